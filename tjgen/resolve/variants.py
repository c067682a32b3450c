"""An experiment's document and what surrounds it -> its runs: one, or one for each point of its sweep."""

from __future__ import annotations

from tjgen.diagnostics.model import Diagnostic, has_errors
from tjgen.fields.managed import Managed
from tjgen.fields.order import ordered
from tjgen.fields.path import get
from tjgen.resolve.overlays import Resolved, Surroundings
from tjgen.resolve.places import Documents, placed
from tjgen.resolve.rules import check_rules
from tjgen.source.document import Document
from tjgen.spec.check import check_experiment
from tjgen.spec.objects import Experiment
from tjgen.typing import NamedTuple


class Variant(NamedTuple):
    """One run of an experiment, before it has a name."""

    label: str
    """The point of the sweep in a few characters; empty where there is no sweep."""
    point: dict[str, object]
    """Field path -> value of the point."""
    tree: Managed
    """The merged experiment, in long form and in order."""
    experiment: Experiment


class Variants(NamedTuple):
    """All runs of an experiment, none where something is wrong with it."""

    runs: list[Variant]
    documents: Documents
    diagnostics: list[Diagnostic]
    overlays: tuple[str, ...] = ()
    """Names of the overlays that are for the experiment."""


def variants(document: Document, surroundings: Surroundings) -> Variants:
    """The runs of the experiment in `document`; diagnostics have their places."""
    resolved = surroundings.resolve(document)
    diagnostics = list(resolved.diagnostics)
    if not has_errors(diagnostics):
        diagnostics += _checked(resolved.tree, resolved.documents)
    if has_errors(diagnostics):
        return Variants([], resolved.documents, diagnostics)
    # Ordered only now: what is wrong is reported in the order of the file.
    resolved = resolved._replace(tree=_in_order(resolved.tree))
    if get(resolved.tree.value, ("spec", "sweep"), None):
        runs, found = _swept(resolved)
    else:
        runs, found = [_only(resolved.tree)], []
    return Variants(runs, resolved.documents, diagnostics + found, resolved.overlays)


def _swept(resolved: Resolved) -> tuple[list[Variant], list[Diagnostic]]:
    from tjgen.resolve import matrix  # few experiments are swept

    points, found = matrix.points(resolved.tree)
    found = placed(found, resolved.tree, resolved.documents)
    if has_errors(found):
        return [], found
    if not points:
        return [_only(resolved.tree)], found
    runs: list[Variant] = []
    diagnostics = found
    for point in points:
        tree = _in_order(matrix.at(resolved.tree, point))
        found = _checked(tree, resolved.documents)
        diagnostics += [diagnostic for diagnostic in found if diagnostic not in diagnostics]
        if not has_errors(found):
            runs.append(Variant(point.label, point.settings, tree, Experiment(tree.value)))
    return ([] if has_errors(diagnostics) else runs), diagnostics


def _only(tree: Managed) -> Variant:
    return Variant("", {}, tree, Experiment(tree.value))


def _in_order(tree: Managed) -> Managed:
    return Managed(ordered(tree.value), tree.owners)


def _checked(tree: Managed, documents: Documents) -> list[Diagnostic]:
    found = check_experiment(tree.value) or check_rules(tree.value)
    return placed(found, tree, documents) if found else found
