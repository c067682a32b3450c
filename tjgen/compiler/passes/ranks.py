"""Variables of an MPI run -> the options of mpirun by which processes on other nodes get them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.kinds.protocol import MPI
from tjgen.cluster.kinds.table import facts_of
from tjgen.compiler import mpirun
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import INFO, Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s.references import NUMBER, references
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.contribution import EXPERIMENT, Contribution, Contributions
from tjgen.trees.workload.roles import programs, role, workers
from tjgen.trees.workload.workload import PodSet, Workload, is_runtimes


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Nothing where no mpirun starts the processes."""
    if is_mpi(workload, experiment):
        yield from _forward(workload, experiment)


def is_mpi(workload: Workload, experiment: Experiment) -> bool:
    """Whether a launcher starts the processes of other nodes by SSH."""
    return facts_of(experiment.spec.target).framework == MPI or get(workload.ml_policy, ("mpi",), None) is not None


# Variables of the nodes of an MPI run -> `-x NAME` in the command of the launcher, or the reason why processes do not get them.
#
# Open MPI gives the processes on all nodes the launcher's value of each name behind -x. Intel MPI and MPICH give them all
# variables of the launcher. So a variable reaches every process if the launcher has the same value as the nodes; a value that
# differs between pods, such as the name of a pod, cannot get to a process in this way.

_LOST = "TJ325"
_OPEN_MPI = "OpenMPI"
_LIST = f"OMPI_MCA_{mpirun.LIST}"
_OF_LAUNCH = ("OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_", "I_MPI_HYDRA_", "HYDRA_")
"""How names begin that mpirun reads itself."""
_OF_CONTAINER = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
"""Names that the container runtime reads, and no process. The MPI Operator clears them in a launcher without devices."""
_EQUAL_FIELDS = (
    "metadata.namespace",
    "spec.serviceAccountName",
    "metadata.labels['jobset.sigs.k8s.io/jobset-name']",
)
"""Fields that all pods of a run have in common."""
_OF_READER = ("TJGEN_SLICE_INDEX", "TJGEN_SLICE_FILE")
"""Variables with the number of the node: the module `tjgen_data` reads the rank instead."""
_MOST_NAMES = 6


class _MpiRun(NamedTuple):
    workload: Workload
    launcher: PodSet
    nodes: Sequence[PodSet]
    computes: bool
    """Whether the launcher is one of the nodes."""

    def variables(self, podset: PodSet) -> dict[str, Tree]:
        return {one["name"]: one for one in get(self.workload.tree.value, (*podset.main, "env"), None) or ()}

    def words(self, podset: PodSet) -> list[str]:
        """The command line of a role."""
        main = get(self.workload.tree.value, podset.main, None) or {}
        return [str(word) for field in ("command", "args") for word in main.get(field) or ()]

    def origins(self, name: str) -> Iterator[Origin]:
        """Who sets a variable of the nodes."""
        for node in self.nodes:
            yield from self.workload.tree.origins((*node.main, "env", named(name)))


class _Sorted(NamedTuple):
    """The variables of the nodes by what their processes get."""

    equal: list[str]
    """The launcher has the same value, or can have it."""
    varying: list[str]
    """The value differs between pods."""
    other: list[str]
    """The launcher has another value, or trains, too, and has none."""


def _forward(workload: Workload, experiment: Experiment) -> Contributions:
    """The command of the launcher with -x, and variables that the launcher lacks. TJ325 for what does not get to processes."""
    policy = get(workload.ml_policy, ("mpi",), None) or {}
    launcher = role(workload, "launcher") or next(iter(programs(workload)), None)
    nodes = [podset for podset in workers(workload) if podset != launcher]
    if launcher is None or not nodes:
        return
    run = _MpiRun(workload, launcher, nodes, bool(policy.get("runLauncherAsNode")))
    own = run.variables(launcher)
    known = _sorted(run, own)
    for name in known.equal:
        if name not in own:
            origin = next(run.origins(name))
            variable = run.variables(nodes[0])[name]
            yield Contribution((*launcher.main, "env", named(name)), variable, origin.because, source=origin.source)
    words = run.words(launcher)
    forwarded = mpirun.forwarded(words)
    is_open = _implementation(policy, experiment) == _OPEN_MPI
    if is_open:
        yield from _by_options(run, own, known.equal, words, has_policy=bool(policy))
    has_reader = experiment.spec.data is not None and experiment.spec.data.reader is not None
    yield from _lost(run, known, forwarded | _set_by_sshd(run, known), is_open=is_open, has_reader=has_reader)
    if is_open and forwarded <= own.keys():
        yield from _unknown_names(run)


def _implementation(policy: Tree, experiment: Experiment) -> str:
    """What starts the processes: that of a patch, which is applied later, or that of the runtime."""
    for patch in experiment.spec.patches.values():
        patched = [*leaves(patch.merge), *((tuple(one.path.split("/")), one.value) for one in patch.operations)]
        for path, value in patched:
            if path[-1:] == ("mpiImplementation",):
                return str(value)
    return str(policy.get("mpiImplementation", _OPEN_MPI))


def _sorted(run: _MpiRun, own: Mapping[str, Tree]) -> _Sorted:
    of_nodes = [run.variables(node) for node in run.nodes]
    result = _Sorted([], [], [])
    same: dict[str, bool] = {}
    for name in dict.fromkeys(name for variables in of_nodes for name in variables):
        if name.startswith(_OF_LAUNCH) or name in _OF_CONTAINER:
            continue
        values = [variables.get(name) for variables in of_nodes]
        if name in own:
            values.append(own[name])
        is_varying = any(value is not None and _varies(run, value, same) for value in values)
        is_equal = values[1:] == values[:-1] and (name in own or not run.computes)
        same[name] = is_equal and not is_varying
        (result.varying if is_varying else result.equal if same[name] else result.other).append(name)
    return result


def _set_by_sshd(run: _MpiRun, known: _Sorted) -> set[str]:
    """The variables that sshd of every node gives to what it starts: `-o SetEnv=NAME=$(NAME)`."""
    texts = [" ".join(run.words(node)) for node in run.nodes]
    names = (*known.varying, *known.other)
    return {name for name in names if all("SetEnv" in text and f"{name}=" in text for text in texts)}


def _varies(run: _MpiRun, variable: Tree, same: Mapping[str, bool]) -> bool:
    """Whether the value differs between pods. `same` has the variables before it, which it can refer to."""
    source = variable.get("valueFrom")
    if source is None:
        written = str(variable.get("value") or "").replace("$$", "")
        return any(name == NUMBER or not same.get(name, True) for name in references(written))
    if "fieldRef" in source:
        return source["fieldRef"].get("fieldPath") not in _EQUAL_FIELDS
    if "resourceFieldRef" in source:
        resources = [get(run.workload.tree.value, (*podset.main, "resources"), None) for podset in (run.launcher, *run.nodes)]
        return resources[1:] != resources[:-1]
    return "secretKeyRef" not in source and "configMapKeyRef" not in source


def _by_options(
    run: _MpiRun, own: Mapping[str, Tree], names: Sequence[str], words: Sequence[str], *, has_policy: bool
) -> Contributions:
    """-x for each of the names, unless the experiment has a list of its own."""
    list_of_own = own.get(_LIST)
    if list_of_own is not None or any(mpirun.LIST in word for word in words):
        text = " ".join((str((list_of_own or {}).get("value", "")), *words))
        listed = set(text.replace(";", " ").replace("=", " ").split())
        missing = [name for name in names if name not in listed]
        if missing:
            message = f"{mpirun.LIST} lacks {_enumerated(missing)}, so processes on other nodes do not get them"
            hint = f"remove {mpirun.LIST}: tjgen adds -x for each variable, and Open MPI 4 refuses both"
            yield Diagnostic(_LOST, message, path=_place(run, missing[0]), hint=hint)
        return
    if not names:
        return
    main = run.launcher.main
    command, args = (get(run.workload.tree.value, (*main, field), None) or [] for field in ("command", "args"))
    lines = mpirun.forwarding(command, args, names)
    if lines is None:
        names = [name for name in names if name not in mpirun.forwarded(words)]
    if lines is None and names:
        message = f"no mpirun is in the command of the launcher, so its script must forward {_enumerated(names)} to other nodes"
        options = " ".join(f"-x {name}" for name in names[:_MOST_NAMES])
        yield Diagnostic(_LOST, message, path=_place(run, names[0]), hint=f"write mpirun {options}", severity=INFO)
    if lines is None:
        return
    because: FieldPath = ("spec", "mlPolicy", "mpi") if has_policy else ("spec", "target")
    for field, before, value in zip(("command", "args"), (command, args), lines, strict=True):
        if value != before:
            path = (*main, field)
            for origin in run.workload.tree.origins(path):
                if not is_runtimes(origin):
                    yield Contribution(path, value, origin.because, origin.manager, origin.source)
            yield Contribution(path, value, because, source="runtime" if has_policy else EXPERIMENT)


def _lost(run: _MpiRun, known: _Sorted, chosen: set[str], *, is_open: bool, has_reader: bool) -> Iterator[Diagnostic]:
    # Kubernetes sets the index next to variables that refer to it; the module of the reader does not need the number of the node.
    needless = (NUMBER, *_OF_READER) if has_reader else (NUMBER,)
    varying = [name for name in known.varying if name not in chosen and not name.startswith(needless)]
    if varying:
        message = f"processes on other nodes do not get {_enumerated(varying)}, because the value differs between pods"
        hint = f"compute the value in the program, or add -o and SetEnv={varying[0]}=$({varying[0]}) to the args of sshd"
        if not is_open:
            message = f"all processes get the launcher's {_enumerated(varying)}, although the value differs between pods"
            hint = "compute the value in the program"
        if any(name.startswith(_OF_READER) for name in varying):
            hint = "add reader: v1 to data, or choose the slice by the rank, as the module of the reader does"
        yield Diagnostic(_LOST, message, path=_place(run, varying[0]), hint=hint)
    other = [name for name in known.other if name not in chosen]
    if other:
        message = f"processes on other nodes do not get {_enumerated(other)}, because the launcher does not have the same value"
        yield Diagnostic(
            _LOST, message, path=_place(run, other[0]), hint="set the same value for all roles, in env of the experiment"
        )


def _unknown_names(run: _MpiRun) -> Iterator[Diagnostic]:
    """Sources of variables whose names are not in the experiment."""
    for podset in run.nodes:
        path: FieldPath = (*podset.main, "envFrom")
        for source in get(run.workload.tree.value, path, None) or ():
            kind = "secret" if "secretRef" in source else "configMap"
            name = source.get(f"{kind}Ref", {}).get("name")
            message = (
                f"processes on other nodes do not get the variables of envFrom: their names are in {name}, not in the experiment"
            )
            hint = f"name each key in env, such as KEY: {{{kind}: {name}, key: KEY}}, or write -x KEY behind mpirun"
            origins = [one.because for one in run.workload.tree.origins(path) if one.source == EXPERIMENT]
            yield Diagnostic(_LOST, message, path=next(iter(origins), ("spec", "runtime")), hint=hint)


def _place(run: _MpiRun, name: str) -> FieldPath:
    """The line of the experiment that sets a variable of the nodes."""
    return next((origin.because for origin in run.origins(name) if origin.source == EXPERIMENT), ("spec", "runtime"))


def _enumerated(names: Sequence[str]) -> str:
    shown = names if len(names) <= _MOST_NAMES else names[: _MOST_NAMES - 1]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
