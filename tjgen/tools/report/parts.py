"""Objects of a run -> their fields, each with its source; and the common parts of the runs of one experiment."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.gitops.diff.side import AttributeField
from tjgen.tools.report.content import ReportField, ReportPart, Shown
from tjgen.trees.fields.path import MISSING, FieldPath, Tree
from tjgen.trees.manifests.identity import ref_of
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.manifests.secrets import without_secrets
from tjgen.trees.typing import NamedTuple

_KNOWN: tuple[FieldPath, ...] = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))
"""Return the heading of an object."""


def part(tree: Tree, file: str, attribute: AttributeField) -> ReportPart:
    """An object, field by field, without secrets."""
    ref = ref_of(tree)
    fields = [
        ReportField(path, without_secrets(value, path, ref.kind), attribute(ref, path, value))
        for path, value in leaves(tree)
        if path not in _KNOWN and path
    ]
    return ReportPart(ref, file, tuple(fields))


class Common(NamedTuple):
    """What runs of one experiment have in common, and what each has for itself."""

    parts: tuple[ReportPart, ...]
    own: tuple[tuple[ReportPart, ...], ...]


def common(runs: Sequence[Shown]) -> Common:
    """Return the fields that are the same in all of several runs, which are listed once; one run has all for itself."""
    if len(runs) < 2:
        return Common((), tuple([run.parts for run in runs]))
    shared: dict[tuple[str, str], dict[FieldPath, Tree]] = {}
    for position, run in enumerate(runs):
        by_object = _by_object(run)
        if position == 0:
            shared = by_object
        shared = {
            key: {path: value for path, value in fields.items() if by_object.get(key, {}).get(path, MISSING) == value}
            for key, fields in shared.items()
        }
    first = runs[0]
    parts = [_only(one, shared.get(_key(one, first), {}), inside=True) for one in first.parts]
    own = [tuple([_only(one, shared.get(_key(one, run), {}), inside=False) for one in run.parts]) for run in runs]
    return Common(
        tuple([one for one in parts if one.fields]), tuple([tuple([one for one in rest if one.fields]) for rest in own])
    )


def _by_object(run: Shown) -> dict[tuple[str, str], dict[FieldPath, Tree]]:
    return {_key(one, run): {field.path: field.value for field in one.fields} for one in run.parts}


def _key(one: ReportPart, run: Shown) -> tuple[str, str]:
    """What an object is to its run: names begin with that of the run, or are the same for all."""
    return one.ref.kind, one.ref.name.replace(run.name, "")


def _only(one: ReportPart, shared: dict[FieldPath, Tree], *, inside: bool) -> ReportPart:
    return one._replace(fields=tuple([field for field in one.fields if (field.path in shared) == inside]))
