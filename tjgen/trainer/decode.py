"""A TrainJob and its runtime -> the Info that plugins work on.

Upstream: pkg/runtime/core `newRuntimeInfo` and `mergeRuntimePatches`, v2.3.0.
"""

from __future__ import annotations

from tjgen.fields.managed import Origin, Owners
from tjgen.fields.path import FieldPath, Step, Tree, get
from tjgen.trainer import strategic
from tjgen.trainer.info import NODE, TRAINER, Info, PodSet, RefusedError
from tjgen.trainer.job import RUNTIME, TRAINJOB, Job
from tjgen.trainer.resources import merged
from tjgen.trainer.runtimes import SPEC, JobShape, Runtime, shapes, steps_of
from tjgen.typing import Any, NamedTuple

MANAGER = "trainer:jobset"
_TYPES = ("JobSetSpec", "JobSetSpecPatch")
_TEMPLATE: FieldPath = ("trainingRuntimeSpec", "template")


def new_info(job: Job, runtime: Runtime) -> Info:
    """The merged template, pod sets and counts; raises RefusedError for a patch that cannot be merged."""
    info = Info(runtime)
    jobs = runtime.jobs
    if job.spec.get("runtimePatches"):
        patched = _patched(job, runtime)
        info.labels, info.annotations, info.spec, jobs = patched.labels, patched.annotations, patched.spec, patched.jobs
        info.owners = patched.owners.copy()
    for shape in jobs:
        info.podsets.append(_podset(shape, info, job))
    return info


def patches(job: Job) -> list[tuple[FieldPath, dict[str, Any]]]:
    """Each runtime patch with the path of its `template`, as far as it has one."""
    items = job.spec.get("runtimePatches", [])
    steps: list[Step] = steps_of(items, "manager")
    return [
        (("spec", "runtimePatches", step, *_TEMPLATE), item["trainingRuntimeSpec"]["template"])
        for step, item in zip(steps, items, strict=True)
        if "template" in item.get("trainingRuntimeSpec", {})
    ]


class _Patched(NamedTuple):
    """A runtime's template with the patches of a TrainJob in it."""

    labels: dict[str, str]
    annotations: dict[str, str]
    spec: dict[str, Tree]
    jobs: tuple[JobShape, ...]
    owners: Owners


_latest: dict[int, tuple[Tree, Runtime, _Patched]] = {}
"""The last answer by the identity of the TrainJob: webhooks and controller look at the same one, one after the other."""


def _patched(job: Job, runtime: Runtime) -> _Patched:
    tree, other, patched = _latest.get(id(job.tree), (None, None, None))
    if patched is None or tree is not job.tree or other is not runtime:
        owners = runtime.owners.copy()
        labels = _propagated(runtime.labels, "labels", job, owners)
        annotations = _propagated(runtime.annotations, "annotations", job, owners)
        spec = _merged_patches(runtime.spec, job, owners)
        patched = _Patched(labels, annotations, spec, shapes(spec, runtime.jobs), owners)
        _latest.clear()
        _latest[id(job.tree)] = (job.tree, runtime, patched)
    return patched


def _propagated(there: dict[str, str], kind: str, job: Job, owners: Owners) -> dict[str, str]:
    for path, template in patches(job):
        added = template.get("metadata", {}).get(kind)
        if added:
            there = {**there, **added}
            for key, value in added.items():
                owners[("metadata", kind, key)] = (job.origin_of(MANAGER, (*path, "metadata", kind, key), value),)
    return there


def _merged_patches(spec: dict[str, Any], job: Job, owners: Owners) -> dict[str, Any]:
    before = spec.get("replicatedJobs", [])
    order = {item["name"]: position for position, item in enumerate(before)}
    for path, template in patches(job):
        if "spec" not in template:
            continue
        note = _Note(owners, job, (*path, "spec"))
        try:
            spec = strategic.merge(spec, template["spec"], _TYPES, note, ("spec",))
        except strategic.MergeError as error:
            raise RefusedError(str(error), path, "give every element of the list its key") from None
    jobs = spec.get("replicatedJobs")
    if jobs is not before and jobs:
        # A job that the runtime does not have counts as the first: it goes to the front.
        spec = {**spec, "replicatedJobs": sorted(jobs, key=lambda item: order.get(item["name"], 0))}
    return spec


class _Note:
    """Records the origin of each value that a patch brings."""

    __slots__ = ("because", "owners", "written")

    def __init__(self, owners: Owners, job: Job, because: FieldPath) -> None:
        self.owners = owners
        self.because = because
        self.written = get(job.tree, because)

    def __call__(self, path: FieldPath, below: FieldPath, value: Tree) -> None:
        length = len(path)
        for known in [known for known in self.owners if len(known) > length and known[:length] == path]:
            del self.owners[known]
        mirrors = get(self.written, below) == value
        self.owners[path] = (Origin(MANAGER, TRAINJOB, (*self.because, *below), mirrors),)


def _podset(shape: JobShape, info: Info, job: Job) -> PodSet:
    policy = info.ml_policy
    parallelism = shape.tree["template"]["spec"].get("parallelism")
    if shape.ancestor == TRAINER and policy is not None:
        count = policy.get("numNodes")
        because: FieldPath = ("spec", "mlPolicy", "numNodes")
    else:
        count = parallelism
        because = (*SPEC, *shape.path[1:], "template", "spec", "parallelism")
    origin = Origin(MANAGER, RUNTIME, because, mirrors=True)
    if count is None or count < 1:
        count, origin = 1, Origin(MANAGER, "tjgen")
    podset = PodSet(shape, info.owners, count, origin)
    if job.resources is not None and policy is not None:
        as_node = bool(get(policy, ("mpi", "runLauncherAsNode"), False)) and shape.name == NODE
        if shape.ancestor == TRAINER or as_node:
            _merge_resources(podset, job.resources)
    return podset


def _merge_resources(podset: PodSet, override: dict[str, Any]) -> None:
    # Only the first container named node; its claims vanish with this.
    container = podset.container(NODE)
    if container is None:
        return
    base = container.tree["resources"]
    resources = merged(base, override)
    owners = podset.owners
    path = (*container.path, "resources")
    because: FieldPath = ("spec", "trainer", "resourcesPerNode")
    for kind in ("limits", "requests"):
        for name in override.get(kind, ()):
            owners[(*path, kind, name)] = (Origin(MANAGER, TRAINJOB, (*because, kind, name), mirrors=True),)
    if not resources:
        owners[path] = (Origin(MANAGER, TRAINJOB, because),)
    container.tree = {**container.tree, "resources": resources}
    podset.has_merged_resources = True
