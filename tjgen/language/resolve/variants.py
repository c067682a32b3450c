"""An experiment's document and what surrounds it -> its runs: one, or one for each task and each point of its sweep."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.resolve import amounts
from tjgen.language.resolve.overlays import Resolved, Surroundings
from tjgen.language.resolve.places import Documents, placed, without_value
from tjgen.language.resolve.rules import check_rules
from tjgen.language.spec import characters
from tjgen.language.spec.check import check_experiment
from tjgen.language.spec.objects import Experiment
from tjgen.trees.budgets import exceeded
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.order import ordered, with_entries
from tjgen.trees.fields.path import FieldPath, Tree, get, parse
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

_SHARED = ("sweep", "tasks")
"""Fields of `spec` that determine the runs."""

_SWEEP = ("spec", "sweep")


class Variant(NamedTuple):
    """One run of an experiment, before it has a name."""

    label: str
    """The task, and the point of the sweep, in a few characters; empty if there is neither."""
    point: dict[str, object]
    """Field path -> value of the point."""
    tree: Managed
    """The merged experiment, in long form and in order."""
    experiment: Experiment
    task: str = ""
    """The task that it is; empty where the experiment has none."""


class KeptState(NamedTuple):
    """What the sources of an environment set as the state of runs of earlier versions of an experiment."""

    state: str
    applies: bool
    """An overlay suspends such runs. The experiment's own state can be meant for its new version, so it does not."""


class Variants(NamedTuple):
    """All runs of an experiment, none where something is wrong with it."""

    runs: list[Variant]
    documents: Documents
    diagnostics: list[Diagnostic]
    overlays: tuple[str, ...] = ()
    """Names of the overlays that are for the experiment."""
    tree: Managed | None = None
    """The merged experiment, if its own fields have errors."""

    def state_for_kept_runs(self, document: Document) -> KeptState | None:
        """The state of runs of earlier versions of the experiment in `document`; None if the new runs have several states."""
        states = {variant.experiment.spec.state for variant in self.runs}
        if len(states) > 1:
            return None
        (state,) = states
        is_own = get(document.value, ("spec", "state"), None) == state
        return KeptState(state, applies=state == "active" or not is_own)


_ROLES: FieldPath = ("spec", "roles")


def variants(document: Document, surroundings: Surroundings) -> Variants:
    """The runs of the experiment in `document`, as many as the budgets allow; diagnostics have their places."""
    resolved = surroundings.resolve(document)
    resolved = resolved._replace(tree=surroundings.with_thresholds(resolved.tree))
    diagnostics = list(resolved.diagnostics)
    if get(document.value, ("spec", "tasks"), None):
        from tjgen.language.resolve import tasks  # few experiments have tasks

        diagnostics += tasks.empty(document)
    if any(get(document.value, ("spec", section, "sets"), None) for section in ("data", "prefetch")):
        from tjgen.language.resolve import named_sets  # few experiments have several data sets

        diagnostics += named_sets.empty(document)
    diagnostics += _empty_variables(document)
    diagnostics += _hidden(document, resolved.tree)
    if not has_errors(diagnostics):
        diagnostics += (
            _shaped(resolved)
            if _has_tasks(resolved.tree)
            else _checked(surroundings.completed(resolved.tree), resolved.documents)
        )
    if has_errors(diagnostics):
        return Variants([], resolved.documents, diagnostics, tree=None if has_errors(resolved.diagnostics) else resolved.tree)
    # Ordered only now: what is wrong is reported in the order of the file.
    if _has_tasks(resolved.tree):
        runs, problems = _divided(resolved._replace(tree=_in_order(resolved.tree)), surroundings)
    elif get(resolved.tree.value, ("spec", "sweep"), None):
        runs, problems = _swept(resolved._replace(tree=_in_order(resolved.tree)), surroundings)
    else:
        runs, problems = [_only(_in_order(surroundings.completed(resolved.tree)))], []
    return Variants(runs, resolved.documents, diagnostics + problems, resolved.overlays)


def _empty_variables(document: Document) -> Iterator[Diagnostic]:
    """TJ769 for variables without a value, of the experiment and of its roles."""
    roles = get(document.value, _ROLES, None)
    for place in (("spec",), *((*_ROLES, name) for name in (roles if roles.__class__ is dict else ()))):
        yield from without_value(
            document, (*place, "env"), "TJ769", "variable", lambda name: f'write {name}: "" for an empty value, or remove it'
        )


def _hidden(document: Document, tree: Managed) -> list[Diagnostic]:
    """The values of the document that must be mappings, and that another layer replaced by one."""
    return [
        one._replace(span=document.locate(path))
        for path in (("spec",), ("spec", "tasks"))
        if get(document.value, path, None).__class__ not in (dict, type(None)) and get(tree.value, path, None).__class__ is dict
        for one in check_experiment(document.value)
        if one.path == path
    ]


def _has_tasks(tree: Managed) -> bool:
    spec = tree.value.get("spec")
    return spec.__class__ is dict and bool(spec.get("tasks"))


def _shaped(resolved: Resolved) -> list[Diagnostic]:
    """Yield errors in the shape of tasks; the rest is checked together with the values of each task."""
    from tjgen.language.resolve import tasks

    diagnostics = [one for one in check_experiment(resolved.tree.value) if (one.path or ())[:2] == tasks.TASKS]
    return placed(diagnostics or tasks.misnamed(resolved.tree.value), resolved.tree, resolved.documents)


def _divided(resolved: Resolved, surroundings: Surroundings) -> tuple[list[Variant], list[Diagnostic]]:
    from tjgen.language.resolve import tasks

    budgets = surroundings.budgets
    base, shared = _apart(resolved.tree)
    sweep = shared.get("sweep")
    # The first task reports a sweep of another form; no task can be swept by it.
    has_sound_sweep = not sweep or not any((one.path or ())[:2] == _SWEEP for one in check_experiment(resolved.tree.value))
    runs: list[Variant] = []
    diagnostics: dict[Diagnostic, None] = {}
    names = tasks.names(resolved.tree.value)
    if len(names) > budgets.tasks:
        excess = exceeded("tasks", len(names), budgets.tasks, "the experiment", path=tasks.TASKS)
        return [], placed([excess], resolved.tree, resolved.documents)
    for number, name in enumerate(names):
        tree = tasks.at(resolved.tree, name, base)
        completed = _in_order(surroundings.completed(tree))
        whole = _together(completed, shared)
        # What the tasks share is the same in each of them.
        problems = _checked(completed if number else whole, resolved.documents)
        own: list[Variant] = []
        # What is wrong cannot be read as an experiment.
        if not has_errors(problems) and not sweep:
            own = [_only(whole)]
        elif not has_errors(problems) and has_sound_sweep:
            whole = _together(_in_order(tree), shared)
            own, problems = _swept(resolved._replace(tree=whole), surroundings)
            paths = [parse(path) for run in own[:1] for path in run.point]
            problems = [*problems, *placed(tasks.swept(whole.value, name, paths), whole, resolved.documents)]
        diagnostics.update(dict.fromkeys(problems))
        if len(runs) + len(own) > budgets.runs:
            excess = exceeded("runs", len(own) * len(names), budgets.runs, "the experiment", path=tasks.TASKS)
            return [], placed([excess], resolved.tree, resolved.documents)
        for run in own:
            runs.append(run._replace(task=name, label="-".join(part for part in (name, run.label) if part)))
    return ([] if has_errors(list(diagnostics)) else runs), list(diagnostics)


def _swept(resolved: Resolved, surroundings: Surroundings) -> tuple[list[Variant], list[Diagnostic]]:
    from tjgen.language.resolve import matrix  # few experiments are swept

    points, problems = matrix.points(resolved.tree, surroundings.budgets)
    problems = placed(problems, resolved.tree, resolved.documents)
    if has_errors(problems):
        return [], problems
    base, shared = _apart(resolved.tree)
    if not points:
        return [_only(_together(_in_order(surroundings.completed(base)), shared))], problems
    runs: list[Variant] = []
    diagnostics = dict.fromkeys(problems)
    for point in points:
        tree = _in_order(surroundings.completed(matrix.at(base, point)))
        problems = _checked(tree, resolved.documents)
        diagnostics.update(dict.fromkeys(problems))
        if not has_errors(problems):
            tree = _mounted(_together(tree, shared))
            runs.append(Variant(point.label, point.settings, tree, Experiment(tree.value)))
    return ([] if has_errors(list(diagnostics)) else runs), list(diagnostics)


def _apart(tree: Managed) -> tuple[Managed, dict[str, Tree]]:
    """The experiment without what all of its runs share, which no run changes and which is as long as there are runs."""
    spec = tree.value["spec"]
    shared = {key: spec[key] for key in _SHARED if key in spec}
    spec = {key: value for key, value in spec.items() if key not in shared}
    return Managed({**tree.value, "spec": spec}, tree.owners), shared


def _together(tree: Managed, shared: dict[str, Tree]) -> Managed:
    return Managed({**tree.value, "spec": with_entries(tree.value["spec"], shared)}, tree.owners)


def _only(tree: Managed) -> Variant:
    tree = _mounted(tree)
    return Variant("", {}, tree, Experiment(tree.value))


def _mounted(tree: Managed) -> Managed:
    """The run with mounts of the folders that `data.isolate` separates."""
    data = tree.value["spec"].get("data")
    if not data:
        return tree
    from tjgen.language.resolve import isolated  # loaded only for those who have data

    return isolated.isolated(tree) if isolated.isolates(data) else tree


def _in_order(tree: Managed) -> Managed:
    return Managed(ordered(tree.value), tree.owners)


def _checked(tree: Managed, documents: Documents) -> list[Diagnostic]:
    diagnostics = check_experiment(tree.value)
    if diagnostics:
        from tjgen.language.resolve.independent import independent_errors  # only for an experiment with a mistake

        diagnostics += independent_errors(tree.value, diagnostics)
    else:
        diagnostics = [*characters.diagnostics(tree.value), *check_rules(tree.value), *amounts.deadline(tree, documents)]
    return placed(diagnostics, tree, documents) if diagnostics else diagnostics
