"""An experiment of the wrong shape -> the errors in the other fields, which do not follow from the wrong ones."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.language.resolve.rules import check_rules
from tjgen.language.spec import characters
from tjgen.trees.diagnostics.model import ERROR, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, without

_SPEC: FieldPath = ("spec",)
_ENTRIES = ("env", "patches", "volumes")
"""Fields of spec whose entries do not depend on each other. Every other field is removed as a whole."""
_ABSENCES = {"TJ124": ("code", "initContainers", "initializer", "prefetch", "roles", "sidecars"), "TJ126": ("volumes",)}
"""Code of an error that reports an absence -> the fields of spec that must be complete for it."""
_UNKNOWN = "TJ101"


def independent_errors(experiment: Tree, wrong: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The errors of `experiment`, in long form, that remain without the fields that `wrong` reports.

    Empty if too little is left to check.
    """
    paths = [one.path or () for one in wrong]
    removed = {path[: 3 if path[1:2] and path[1] in _ENTRIES else 2] for path in paths}
    if any(len(path) < 2 and path[:1] in ((), _SPEC) for path in removed):
        return []
    rest = experiment
    for path in removed:
        rest = without(rest, path)
    if not isinstance(rest.get("spec"), dict):
        return []
    incomplete = {path[1] for path in paths if path[0] == "spec"}
    if any(one.code == _UNKNOWN and len(path) == 2 for one, path in zip(wrong, paths, strict=True)):
        incomplete.update(*_ABSENCES.values())  # An unknown field may be any of them, misspelled.
    hidden = {code for code, fields in _ABSENCES.items() if incomplete.intersection(fields)}
    errors = [one for one in (*characters.diagnostics(rest), *check_rules(rest)) if one.severity == ERROR]
    return [one for one in errors if one.code not in hidden and not any(_meet(one.path or (), path) for path in removed)]


def _meet(first: FieldPath, second: FieldPath) -> bool:
    """Whether one path leads to a part of the other."""
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]
