"""The overrides of a TrainJob -> the runtime's template with the changes merged in, and the owners of the changes.

Each release has a field of its own for them: runtime patches, overrides of pod templates or of pod specs.
Upstream: pkg/runtime/core `mergeRuntimePatches`, v2.3.0, `mergePodTemplateOverrides`, v2.1.0, and
`mergePodSpecOverrides`, v2.0.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import RUNTIME_PATCHES
from tjgen.cluster.trainer import strategic
from tjgen.cluster.trainer.info import RefusedError
from tjgen.cluster.trainer.job import TRAINJOB, DecodedTrainJob
from tjgen.cluster.trainer.runtimes import POD_SPEC, JobShape, Runtime, shapes, steps_of
from tjgen.trees.fields import subpaths
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Step, Tree, get, with_value
from tjgen.trees.fields.subpaths import Subpaths
from tjgen.trees.typing import Any, NamedTuple

MANAGER = "trainer:jobset"
_JOBS: FieldPath = ("spec", "replicatedJobs")
_TEMPLATE: FieldPath = ("trainingRuntimeSpec", "template")
_POD_TEMPLATE: FieldPath = POD_SPEC[:-1]

_WHOLE = "JobSetSpec"
_PARTS: dict[str, tuple[FieldPath, str]] = {
    "JobTemplateSpec": (("template",), "JobTemplatePatch"),
    "PodTemplateSpec": (_POD_TEMPLATE, "PodTemplateOverride"),
    "PodSpec": (POD_SPEC, "PodSpecOverride"),
}
"""Type of the merge target -> its path in a job, and the type of the merged value."""


class Patched(NamedTuple):
    """A runtime's template with the overrides of a TrainJob in it."""

    labels: dict[str, str]
    annotations: dict[str, str]
    spec: dict[str, Tree]
    jobs: tuple[JobShape, ...]
    owners: Owners


def changes_runtime(job: DecodedTrainJob) -> bool:
    """Return whether the TrainJob sets anything that is merged into the template."""
    spec = job.spec
    return bool(spec.get(job.release.overrides)) or (
        job.release.propagates_metadata and ("labels" in spec or "annotations" in spec)
    )


def patched(job: DecodedTrainJob, runtime: Runtime) -> Patched:
    """The template as the TrainJob changes it; raises RefusedError for what cannot be merged."""
    return job.session.latest("patched runtime", (job.tree, runtime), lambda: _patched(job, runtime))


def _patched(job: DecodedTrainJob, runtime: Runtime) -> Patched:
    owners = runtime.owners.copy()
    labels = _propagated(runtime.labels, "labels", job, owners)
    annotations = _propagated(runtime.annotations, "annotations", job, owners)
    merged = _merged_whole if job.release.merged_type == _WHOLE else _merged_jobs
    spec = merged(runtime.spec, job, owners)
    return Patched(labels, annotations, spec, shapes(spec, runtime.jobs), owners)


def patches(job: DecodedTrainJob) -> list[tuple[FieldPath, dict[str, Any]]]:
    """Each runtime patch with the path of its `template`, as far as it has one."""
    items = job.spec.get(RUNTIME_PATCHES, [])
    steps: list[Step] = steps_of(items, "manager")
    return [
        (("spec", RUNTIME_PATCHES, step, *_TEMPLATE), item["trainingRuntimeSpec"]["template"])
        for step, item in zip(steps, items, strict=True)
        if "template" in item.get("trainingRuntimeSpec", {})
    ]


def _propagated(values: dict[str, str], kind: str, job: DecodedTrainJob, owners: Owners) -> dict[str, str]:
    sources = [((*path, "metadata"), template.get("metadata", {})) for path, template in patches(job)]
    if job.release.propagates_metadata:
        sources.append((("spec",), job.spec))
    for path, metadata in sources:
        added = metadata.get(kind)
        if added:
            values = {**values, **added}
            for key, value in added.items():
                owners[("metadata", kind, key)] = (job.origin_of(MANAGER, (*path, kind, key), value),)
    return values


def _merged_whole(spec: dict[str, Any], job: DecodedTrainJob, owners: Owners) -> dict[str, Any]:
    before = spec.get("replicatedJobs", [])
    order = {item["name"]: position for position, item in enumerate(before)}
    merging = _Merging(job, owners)
    for path, template in patches(job):
        if "spec" in template:
            spec = merging.merged(spec, template["spec"], (_WHOLE, "JobSetSpecPatch"), ("spec",), (*path, "spec"))
    jobs = spec.get("replicatedJobs")
    if jobs is not before and jobs:
        # A job that the runtime does not have counts as the first: it goes to the front.
        spec = {**spec, "replicatedJobs": sorted(jobs, key=lambda item: order.get(item["name"], 0))}
    return spec


def _merged_jobs(spec: dict[str, Any], job: DecodedTrainJob, owners: Owners) -> dict[str, Any]:
    """Override by override into every job of the name that it targets; what targets no job is lost."""
    merged_type = job.release.merged_type
    place, override_type = _PARTS[merged_type]
    jobs = list(spec.get("replicatedJobs", []))
    steps = steps_of(jobs)
    merging = _Merging(job, owners)
    for because, name, override in _targeted(job):
        for position, step in enumerate(steps):
            if jobs[position]["name"] == name:
                part = get(jobs[position], place)
                path = (*_JOBS, step, *place)
                merged = merging.merged(part, override, (merged_type, override_type), path, because)
                jobs[position] = with_value(jobs[position], place, merged)
    return {**spec, "replicatedJobs": jobs} if jobs else spec


def _targeted(job: DecodedTrainJob) -> Iterator[tuple[FieldPath, str, dict[str, Any]]]:
    """The path of an override, the name of its target job, and its values."""
    if job.release.overrides == RUNTIME_PATCHES:
        for path, template in patches(job):
            items = template.get("spec", {}).get("replicatedJobs", [])
            for step, item in zip(steps_of(items), items, strict=True):
                if "template" in item:
                    yield (*path, *_JOBS, step, "template"), item.get("name", ""), item["template"]
        return
    for position, item in enumerate(job.spec.get(job.release.overrides, ())):
        override = item
        if "metadata" in item:
            kept = {key: value for key, value in item["metadata"].items() if key in ("labels", "annotations")}
            override = {**item, "metadata": kept}
        # A job is merged into once for an override, however often that names it.
        for name in dict.fromkeys(target.get("name", "") for target in item.get("targetJobs", ())):
            yield ("spec", job.release.overrides, position), name, override


_SEVERAL = 4
"""For up to so many values, a look at all owners for each is cheaper than an index."""


class _Merging:
    """Merges the patches of a TrainJob, and records the origin of each value that they bring."""

    __slots__ = ("_job", "_merger", "_owners", "_subpaths", "_values")

    def __init__(self, job: DecodedTrainJob, owners: Owners) -> None:
        self._job = job
        self._owners = owners
        self._merger = strategic.Merger(job.release.types)
        self._values = 0
        self._subpaths: Subpaths | None = None

    def merged(self, tree: Any, patch: dict[str, Any], names: tuple[str, str], path: FieldPath, because: FieldPath) -> Any:
        """`tree`, which is at `path`, with a patch merged in; raises RefusedError for one that cannot be merged."""
        written = get(self._job.tree, because)

        def note(at: FieldPath, below: FieldPath, value: Tree) -> None:
            mirrors = get(written, below) == value
            self._record(at, Origin(MANAGER, TRAINJOB, (*because, *below), mirrors))

        try:
            return self._merger.merge(tree, patch, names, note, path)
        except strategic.MergeError as error:
            where = because[:-1] if self._job.release.merged_type == _WHOLE else because
            raise RefusedError(str(error), where, "give every element of the list its key") from None

    def _record(self, path: FieldPath, origin: Origin) -> None:
        self._values += 1
        if self._subpaths is None and self._values > _SEVERAL:
            self._subpaths = Subpaths(self._owners)
        owned = subpaths.below(self._owners, path) if self._subpaths is None else self._subpaths.take_below(path)
        for known in owned:
            self._owners.pop(known, None)
        if self._subpaths is not None:
            self._subpaths.add(path)
        self._owners[path] = (origin,)
