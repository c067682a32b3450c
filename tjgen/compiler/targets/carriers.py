"""Workload -> for each value from the experiment, the field of a TrainJob that can carry it.

A TrainJob sets less than a runtime: `spec.trainer` reaches the trainer's containers, and runtime
patches, or the overrides of earlier releases, the fields that their types know. The rest needs a
runtime that has it. Source: api types of Trainer and the merge rules of its controller.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from tjgen.cluster.trainer.release import Release
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.workload import JOBS, NODE, TRAINER, PodSet, Workload, is_runtimes

IN_TRAINER = "trainer"
IN_PATCH = "patch"
IN_RUNTIME = "runtime"

_JOB = len(JOBS) + 1
POD_DEPTH = len(JOBS) + 5
"""Steps to the spec of a pod template: the job in the list of jobs, its template, spec, template, spec."""
FIELD = POD_DEPTH + 2
"""Position of a container's field in its path."""
_POD_METADATA: FieldPath = ("template", "spec", "template", "metadata")
_JOB_METADATA: FieldPath = ("template", "metadata")
JOBSET_METADATA: FieldPath = ("runtime", "template", "metadata")
_PATCHED_METADATA: dict[str, tuple[FieldPath, ...]] = {
    RUNTIME_PATCHES: (_POD_METADATA, _JOB_METADATA),
    POD_TEMPLATE_OVERRIDES: (_POD_METADATA,),
    POD_SPEC_OVERRIDES: (),
}
"""How a release changes runtimes -> the metadata in a job that it can change."""

TRAINER_FIELDS = {"image": "image", "command": "command", "args": "args", "env": "env", "resources": "resourcesPerNode"}
"""Field of the trainer's container -> the field of `spec.trainer` that the controller writes to it."""

_POD_TYPES = {
    RUNTIME_PATCHES: ("PodSpecPatch", "ContainerPatch"),
    POD_TEMPLATE_OVERRIDES: ("PodTemplateSpecOverride", "ContainerOverride"),
    POD_SPEC_OVERRIDES: ("PodSpecOverride", "ContainerOverride"),
}
"""How a release changes runtimes -> the Go types of the fields that it can set in a pod and in a container."""
_APART = ("containers", "initContainers", "targetJobs", "env", "name")
"""Fields of those types that are carried in their own way, or, as `env` of the known containers, refused."""


_known_fields: dict[str, tuple[frozenset[str], frozenset[str]]] = {}


def _fields(release: Release) -> tuple[frozenset[str], frozenset[str]]:
    """The fields of pods and of containers that patches or overrides of a release reach."""
    known = _known_fields.get(release.name)
    if known is None:
        pod, container = _POD_TYPES[release.overrides]
        names = [frozenset(key for key, _ in release.types.entries(name) if key not in _APART) for name in (pod, container)]
        known = _known_fields[release.name] = (names[0], names[1])
    return known


class CarriedValue(NamedTuple):
    """One value that another manager than the runtime owns."""

    path: FieldPath
    value: Tree
    """MISSING where it was removed."""
    origins: tuple[Origin, ...]
    carrier: str
    """IN_TRAINER, IN_PATCH or IN_RUNTIME."""


def carried_values(workload: Workload, base: Tree, release: Release) -> list[CarriedValue]:
    """What the workload has beyond the runtime spec `base`, each with its carrier in `release`, in order of writing."""
    values = []
    reach = _Reach(workload, base, release)
    for recorded, recorded_origins in workload.tree.owners.items():
        if not recorded or recorded[0] != "runtime":
            continue
        origins = tuple([origin for origin in recorded_origins if not is_runtimes(origin)])
        if origins:
            for path, value in _units(workload, recorded, reach.wanted(recorded)):
                values.append(CarriedValue(path, value, origins, _carrier(reach, path, value)))
    if queue_replaces_overrides(workload, release):
        return [_in_runtime(part) for part in values]
    return values if release.overrides_add_up else _each_job_once(values)


def queue_replaces_overrides(workload: Workload, release: Release) -> bool:
    """Whether Kueue rewrites the overrides of the TrainJob, so that the TrainJob may have none of its own.

    In Trainer 2.1, `podTemplateOverrides` is one atomic value, and an update of it is refused unless the run is suspended.
    Kueue 0.15 and 0.16 add their entry to it when they admit the run (kueue v0.15.2 `pkg/controller/jobs/trainjob`).
    """
    queued = get(workload.tree.value, ("metadata", "labels", KUEUE_QUEUE), None) is not None
    return queued and release.overrides == POD_TEMPLATE_OVERRIDES


def _in_runtime(part: CarriedValue) -> CarriedValue:
    """The part in the emitted runtime. Metadata of the JobSet stays in the TrainJob, which has its own fields for it."""
    is_override = part.carrier == IN_PATCH and part.path[: len(JOBSET_METADATA)] != JOBSET_METADATA
    return part._replace(carrier=IN_RUNTIME) if is_override else part


def _each_job_once(parts: list[CarriedValue]) -> list[CarriedValue]:
    """Where a job can be overridden once only, the second mount of a volume in a container needs the runtime."""
    mounted: set[tuple[FieldPath, str]] = set()
    result = []
    for part in parts:
        if part.carrier == IN_PATCH and len(part.path) > 1 and part.path[-2] == "volumeMounts":
            key = (part.path[:-2], str(part.value.get("name")))
            result.append(part._replace(carrier=IN_RUNTIME) if key in mounted else part)
            mounted.add(key)
        else:
            result.append(part)
    return result


def _units(workload: Workload, path: FieldPath, value: Tree) -> Iterator[tuple[FieldPath, Tree]]:
    """The parts that are decided one by one: elements of keyed lists, labels apart from annotations.

    A part that has a record of its own is left to it.
    """
    known = workload.tree.owners
    if value.__class__ is list and path[-1].__class__ is str and path[-1] in LIST_KEYS and value:
        key = LIST_KEYS[path[-1]][0]
        for item in value:
            element = (*path, ((key, item[key]),))
            if element not in known:
                yield element, item
    elif value.__class__ is dict and path[-1] == "metadata":
        for field, below in value.items():
            if (*path, field) not in known:
                yield (*path, field), below
    else:
        yield path, value


class _Reach:
    """The containers that `spec.trainer` writes to, by field; and the values, in the workload and before it."""

    def __init__(self, workload: Workload, base: Tree, release: Release) -> None:
        self.release = release
        self.pod_fields, self.container_fields = _fields(release)
        wanted = workload.tree.value
        self.workload = workload
        self.ml_policy = workload.ml_policy
        # Most questions are about pods: each is found once.
        self._pods = {podset.pod: (get(wanted, podset.pod), get(base, podset.pod[1:])) for podset in workload.podsets}
        self._roots = (wanted["runtime"], base)
        self._new_jobs = {podset.path for podset in workload.podsets if get(base, podset.path[1:]) is MISSING}
        trainers = [podset for podset in workload.podsets if podset.ancestor == TRAINER and podset.container == NODE]
        self.program = trainers
        # jobset/builder.go:Trainer (v2.3.0): with runLauncherAsNode the job "node" gets env and resources too.
        as_node = release.sets_up_mpi_nodes and bool(get(self.ml_policy, ("mpi", "runLauncherAsNode"), False))
        extra = [podset for podset in workload.podsets if podset.name == NODE and podset not in trainers]
        self.env = trainers + (extra if as_node else [])
        self._carries_resources: bool | None = None

    def wanted(self, path: FieldPath) -> Tree:
        """The value at `path` in the workload, or MISSING."""
        return self._at(path, 0)

    def before(self, path: FieldPath) -> Tree:
        """The value that the runtime has there, or MISSING."""
        return self._at(path, 1)

    def is_in_pod(self, path: FieldPath) -> bool:
        """Whether `path` leads into the spec of a pod template."""
        return len(path) > POD_DEPTH and path[:POD_DEPTH] in self._pods

    def is_new_job(self, path: FieldPath) -> bool:
        """Whether `path` leads into a job that the runtime does not have: all of it is in the derived runtime."""
        return path[:_JOB] in self._new_jobs

    def _at(self, path: FieldPath, side: int) -> Tree:
        pod = self._pods.get(path[:POD_DEPTH])
        return get(self._roots[side], path[1:]) if pod is None else get(pod[side], path[POD_DEPTH:])

    def carries(self, path: FieldPath, field: str, value: Tree) -> bool:
        """Whether one value in `spec.trainer` gives `value` at `path` and nothing else anywhere."""
        podsets = self.env if field in ("env", "resources") else self.program
        container = path[:FIELD]
        if all(podset.main != container for podset in podsets):
            return False
        if field == "resources":
            if self._carries_resources is None:
                self._carries_resources = self._are_resources_alike(podsets)
            return self._carries_resources
        if len(podsets) == 1:
            return True
        rest = path[FIELD:]
        return all(self._has_from_experiment(podset, rest, value) for podset in podsets)

    def _are_resources_alike(self, podsets: list[PodSet]) -> bool:
        """Whether one map gives all of them: the controller merges the whole map of the TrainJob into each container."""
        if self.ml_policy is None:
            return False
        wholes = [self.wanted((*podset.main, "resources")) for podset in podsets]
        return all(whole == wholes[0] for whole in wholes) and "claims" not in (wholes[0] or {})

    def _has_from_experiment(self, podset: PodSet, rest: FieldPath, value: Tree) -> bool:
        path = (*podset.main, *rest)
        owners = self.workload.tree.origins(path)
        return bool(self.wanted(path) == value) and not all(is_runtimes(owner) for owner in owners)


def _carrier(reach: _Reach, path: FieldPath, value: Tree) -> str:
    if value is MISSING or reach.is_new_job(path):
        return IN_RUNTIME
    if reach.is_in_pod(path):
        return _pod_carrier(reach, path, path[POD_DEPTH:], value)
    if path[:3] == JOBSET_METADATA:
        return IN_PATCH if path[3:4] in (("labels",), ("annotations",)) and value else IN_RUNTIME
    if path[: len(JOBS)] == JOBS:
        rest = path[len(JOBS) + 1 :]
        for metadata in _PATCHED_METADATA[reach.release.overrides]:
            if rest[: len(metadata)] == metadata:
                return IN_PATCH if rest[len(metadata)] in ("labels", "annotations") and value else IN_RUNTIME
    return IN_RUNTIME


def _pod_carrier(reach: _Reach, path: FieldPath, field: FieldPath, value: Tree) -> str:
    if field[0] in ("containers", "initContainers") and len(field) > 2:
        if field[0] == "containers" and field[2] in TRAINER_FIELDS and reach.carries(path, str(field[2]), value):
            return IN_TRAINER
        if field[2] not in reach.container_fields:
            return IN_RUNTIME
        before = reach.before(path)
        # A patch merges into the mount that the runtime has: fields that are to go would stay.
        return IN_PATCH if before is MISSING or before == value or field[2] == "securityContext" else IN_RUNTIME
    if field[0] not in reach.pod_fields or value in ([], {}, ""):
        return IN_RUNTIME
    if field[0] == "volumes":
        before = reach.before(path)
        # The merge would keep the old source as well as the new one (facts: "both sources").
        return IN_PATCH if before is MISSING or before == value else IN_RUNTIME
    return IN_PATCH
