"""A TrainJob and its runtime -> the Info that plugins work on.

Upstream: pkg/runtime/core `newRuntimeInfo`, v2.3.0.
"""

from __future__ import annotations

from tjgen.cluster.trainer.info import NODE, TRAINER, Info, PodSet
from tjgen.cluster.trainer.job import RUNTIME, TRAINJOB, DecodedTrainJob
from tjgen.cluster.trainer.overrides import MANAGER, changes_runtime, patched
from tjgen.cluster.trainer.resources import merged
from tjgen.cluster.trainer.runtimes import SPEC, JobShape, Runtime
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.typing import Any


def new_info(job: DecodedTrainJob, runtime: Runtime) -> Info:
    """The merged template, pod sets and counts; raises RefusedError for a patch that cannot be merged."""
    info = Info(runtime)
    jobs = runtime.jobs
    if changes_runtime(job):
        merged = patched(job, runtime)
        info.labels, info.annotations, info.spec, jobs = merged.labels, merged.annotations, merged.spec, merged.jobs
        info.owners = merged.owners.copy()
    for shape in jobs:
        info.podsets.append(_podset(shape, info, job))
    return info


def _podset(shape: JobShape, info: Info, job: DecodedTrainJob) -> PodSet:
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
    if job.resources is None or policy is None:
        return podset
    if job.release.merges_resources:
        as_node = bool(get(policy, ("mpi", "runLauncherAsNode"), False)) and shape.name == NODE
        if shape.ancestor == TRAINER or as_node:
            _merge_resources(podset, job.resources)
    elif job.release.shows_resources_to_gangs and shape.ancestor == TRAINER:
        podset.gang_resources = job.resources
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
