"""`slices` and the nodes of a run -> how many slices there are and who reads them, or why that loses or repeats items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.passes.data_sections import DataSection
from tjgen.language.setting import Setting
from tjgen.language.slicing import problems
from tjgen.language.slicing.strategies import STRATEGIES
from tjgen.language.spec.objects import Elastic, Experiment, Slices
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, get, named
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.roles import nodes as nodes_of
from tjgen.trees.workload.workload import PodSet, Workload


class Cut(NamedTuple):
    """How the slices of one run are divided among its readers."""

    data: DataSection
    slices: int
    readers: int
    """How many processes and workers share a slice."""
    tasks: Sequence[str]
    """The tasks that share the items first; empty where none do."""
    position: int
    """Which of them this one is."""

    @property
    def section(self) -> Slices:
        """The `slices` of the data set."""
        assert self.data.slices is not None, "only a data set with slices is divided"
        return self.data.slices

    @property
    def at(self) -> FieldPath:
        """The path of the slices."""
        return self.data.slices_at

    @property
    def over(self) -> str:
        """Who reads alone within a run: nodes or processes."""
        return _written(self.section) or "nodes"


def cut_of(
    workload: Workload, experiment: Experiment, data: DataSection, setting: Setting
) -> tuple[Cut | None, list[Diagnostic]]:
    """How the slices are divided among the readers of the run; None if an error is among the diagnostics."""
    slices, at = data.slices, data.slices_at
    assert slices is not None, "called only for a data set with slices"
    nodes = nodes_of(workload)
    diagnostics: list[Diagnostic] = []
    tasks = sorted(experiment.spec.tasks) if slices.over == "tasks" else []
    if slices.over == "tasks" and not tasks:
        message = f"{data.field}.slices are over tasks, but the experiment has no tasks"
        diagnostics.append(Diagnostic(problems.NO_TASKS, message, path=(*at, "over"), hint="add tasks, or set over: nodes"))
    count = slices.virtual or slices.count or nodes
    if slices.virtual is not None:
        diagnostics += _virtual(slices.virtual, nodes, at)
    elif count != nodes:
        diagnostics.append(_other_count(count, nodes, at))
    diagnostics += _changing(experiment.spec.elastic, slices, nodes, at)
    if slices.options and slices.by in STRATEGIES:
        message = f"{slices.by} takes no options: they are for strategies of plugins"
        diagnostics.append(Diagnostic(problems.REFUSED, message, path=(*at, "options"), hint="remove options"))
    cut = Cut(data, count, 1, tasks, tasks.index(setting.task) if tasks else 0)
    processes, more = _processes(workload, cut)
    diagnostics += more
    diagnostics += _repeated(workload, cut)
    # Virtual slices are put together before they are shared: how many share one is not known.
    readers = processes * slices.workers if slices.virtual is None else 1
    return (None if has_errors(diagnostics) else cut._replace(readers=readers)), diagnostics


def _processes(workload: Workload, cut: Cut) -> tuple[int, list[Diagnostic]]:
    """How many processes share the slice of a node: 1 where that is not known, or where a slice is for the node."""
    if cut.over == "nodes":
        return 1, []
    known = _processes_of_node(workload)
    remainder = cut.section.remainder
    if known is None and remainder != "keep":
        message = f"remainder: {remainder} over processes needs the number of processes of a node"
        hint = "set procsPerNode, or gpu, whose class sets it"
        return 1, [Diagnostic(problems.REFUSED, message, path=(*cut.at, "remainder"), hint=hint)]
    return known or 1, []


def _processes_of_node(workload: Workload) -> int | None:
    """Processes that the run starts on each node; None if that is not known."""
    policy = workload.ml_policy
    stated = [get(workload.tree.value, ("trainer", "numProcPerNode"), None)]
    stated += [get(policy, (kind, "numProcPerNode"), None) for kind in ("torch", "mpi")]
    return next((one for one in stated if one.__class__ is int), None)


def _written(slices: Slices) -> str | None:
    """Who reads alone within a run, if the experiment states it."""
    return slices.within if slices.over == "tasks" else slices.over


def _repeated(workload: Workload, cut: Cut) -> Iterator[Diagnostic]:
    """Warn if several processes of a node read the same items, and the experiment does not choose that."""
    processes = _processes_of_node(workload) or 1
    # Ranks of MPI divide the slice, as the reader of the documentation does; a volume of a task has no reader at all.
    is_mpi = get(workload.ml_policy, ("mpi",), None) is not None
    if processes == 1 or _written(cut.section) is not None or is_mpi or cut.section.deliver == "volume":
        return
    field = "within" if cut.section.over == "tasks" else "over"
    message = f"each of the {processes} processes of a node reads the whole slice: every item is read {processes} times"
    hint = f"set {field}: processes, or {field}: nodes if the program divides the slice among its processes"
    yield Diagnostic(problems.REPEATED, message, path=cut.at, hint=hint)


def _changing(elastic: Elastic | None, slices: Slices, nodes: int, at: FieldPath) -> Iterator[Diagnostic]:
    """Errors if the number of nodes can change, or is declared to change, and the delivery cannot follow it."""
    if slices.virtual is not None and slices.deliver == "init":
        message = "an init container copies one slice before training starts, but virtual slices move between nodes later"
        hint = "use deliver: env, configMap or range, or remove virtual"
        yield Diagnostic(problems.MOVING, message, path=(*at, "virtual"), hint=hint)
    if elastic is None or slices.virtual is not None or slices.deliver == "volume":
        return
    if elastic.min != nodes or elastic.max != nodes:
        bounds = f"between {elastic.min} and {elastic.max}"
        message = f"the number of nodes can change {bounds}, but each of {nodes} nodes has one fixed slice"
        hint = f"set virtual, such as {64 * nodes}, or set elastic.min and elastic.max to {nodes}"
        if slices.deliver in ("init", "subPath"):
            hint = f"use deliver: env, configMap or range with virtual, or set elastic.min and elastic.max to {nodes}"
        yield Diagnostic(problems.ELASTIC, message, path=at, hint=hint)


def _virtual(count: int, nodes: int, slices_at: FieldPath) -> Iterator[Diagnostic]:
    at: FieldPath = (*slices_at, "virtual")
    hint = f"use a number that all numbers of nodes divide, such as {64 * nodes}"
    if count < nodes:
        message = f"{count} virtual slices are too few for {nodes} nodes"
        yield Diagnostic(problems.VIRTUAL, message, path=at, hint=hint, severity=ERROR)
    elif count % nodes:
        message = f"{count} virtual slices do not divide by {nodes} nodes: {count % nodes} of them read one slice more"
        yield Diagnostic(problems.VIRTUAL, message, path=at, hint=hint)


def _other_count(count: int, nodes: int, at: FieldPath) -> Diagnostic:
    left = f"slices {nodes} to {count - 1} have no reader" if count > nodes else f"nodes {count} to {nodes - 1} have no slice"
    return Diagnostic(
        "TJ306",
        f"there are {count} slices for {nodes} nodes: {left}",
        path=(*at, "count"),
        hint="remove count",
        severity=WARNING if count > nodes else ERROR,
    )


# Variables that describe its slice to the training container.


def variable(podset: PodSet, name: str, value: str, because: FieldPath) -> Contribution:
    """A variable of the container that trains."""
    return Contribution((*podset.main, "env", named(name)), {"name": name, "value": value}, because)


def index_variable(workload: Workload, podset: PodSet, because: FieldPath) -> Contribution | Diagnostic:
    """The number of the node, as a variable of the container that trains."""
    number = workload.number(podset)
    if number is None:
        message = (
            f"the pods of role {podset.name} do not get their numbers among all nodes, because another role also has several pods"
        )
        hint = "let only one role have several pods that read the data, or give the role its own volume with volumes.NAME.roles"
        return Diagnostic("TJ413", message, path=because, hint=hint)
    return Contribution((*podset.main, "env", named("TJGEN_SLICE_INDEX")), {"name": "TJGEN_SLICE_INDEX", **number}, because)
