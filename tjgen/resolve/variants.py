"""An experiment's document and what surrounds it -> its runs: one, or one for each task and each point of its sweep."""

from __future__ import annotations

from tjgen.diagnostics.model import Diagnostic, has_errors
from tjgen.fields.managed import Managed
from tjgen.fields.order import ordered
from tjgen.fields.path import get, parse
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
    """The task, and the point of the sweep, in a few characters; empty where there is neither."""
    point: dict[str, object]
    """Field path -> value of the point."""
    tree: Managed
    """The merged experiment, in long form and in order."""
    experiment: Experiment
    task: str = ""
    """The task that it is; empty where the experiment has none."""


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
    if get(document.value, ("spec", "tasks"), None):
        from tjgen.resolve import tasks  # few experiments have tasks

        diagnostics += tasks.empty(document)
    if not has_errors(diagnostics):
        diagnostics += _shaped(resolved) if _has_tasks(resolved.tree) else _checked(resolved.tree, resolved.documents)
    if has_errors(diagnostics):
        return Variants([], resolved.documents, diagnostics)
    # Ordered only now: what is wrong is reported in the order of the file.
    resolved = resolved._replace(tree=_in_order(resolved.tree))
    if _has_tasks(resolved.tree):
        runs, found = _divided(resolved)
    elif get(resolved.tree.value, ("spec", "sweep"), None):
        runs, found = _swept(resolved)
    else:
        runs, found = [_only(resolved.tree)], []
    return Variants(runs, resolved.documents, diagnostics + found, resolved.overlays)


def _has_tasks(tree: Managed) -> bool:
    spec = tree.value.get("spec")
    return spec.__class__ is dict and bool(spec.get("tasks"))


def _shaped(resolved: Resolved) -> list[Diagnostic]:
    """What is wrong with the shape of tasks; the rest is looked at together with what each of them says."""
    from tjgen.resolve import tasks

    found = [one for one in check_experiment(resolved.tree.value) if (one.path or ())[:2] == tasks.TASKS]
    return placed(found or tasks.misnamed(resolved.tree.value), resolved.tree, resolved.documents)


def _divided(resolved: Resolved) -> tuple[list[Variant], list[Diagnostic]]:
    from tjgen.resolve import tasks

    runs: list[Variant] = []
    diagnostics: list[Diagnostic] = []
    for name in tasks.names(resolved.tree.value):
        tree = _in_order(tasks.at(resolved.tree, name))
        found = _checked(tree, resolved.documents)
        own: list[Variant] = []
        # What is wrong cannot be read as an experiment.
        if not has_errors(found) and not get(tree.value, ("spec", "sweep"), None):
            own = [_only(tree)]
        elif not has_errors(found):
            own, found = _swept(resolved._replace(tree=tree))
            paths = [parse(path) for run in own[:1] for path in run.point]
            found = [*found, *placed(tasks.swept(tree.value, name, paths), tree, resolved.documents)]
        diagnostics += [one for one in found if one not in diagnostics]
        for run in own:
            runs.append(run._replace(task=name, label="-".join(part for part in (name, run.label) if part)))
    return ([] if has_errors(diagnostics) else runs), diagnostics


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
