"""Initializers and overrides of a TrainJob -> the errors of the JobSet plugin's checks.

Upstream: plugins/jobset `Validate` and `checkRuntimePatchesImmutability`, v2.3.0; the latter is called
`checkPodTemplateOverridesImmutability` in v2.1.0 and `checkPodSpecOverridesImmutability` in v2.0.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.releases import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from tjgen.cluster.trainer.info import DATASET_INITIALIZER, MODEL_INITIALIZER, NODE, Info
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.runtimes import POD_SPEC
from tjgen.cluster.validate.fault import DUPLICATE, Fault
from tjgen.cluster.validate.webhooks.answer import forbidden, invalid
from tjgen.cluster.validate.webhooks.gojson import shown
from tjgen.cluster.validate.webhooks.mutating import stamped
from tjgen.cluster.validate.webhooks.prefixed import domain_prefixed_path
from tjgen.cluster.validate.wording import field, quote
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.objects import indexed
from tjgen.trees.typing import Any

MOUNT = "initializer"

_REFERENCE: FieldPath = ("spec", "runtimeRef")
_TITLES = {
    RUNTIME_PATCHES: "RuntimePatches",
    POD_TEMPLATE_OVERRIDES: "PodTemplateOverrides",
    POD_SPEC_OVERRIDES: "PodSpecOverrides",
}
_ELEMENTS = {
    RUNTIME_PATCHES: "RuntimePatch",
    POD_TEMPLATE_OVERRIDES: "PodTemplateOverride",
    POD_SPEC_OVERRIDES: "PodSpecOverride",
}


def validate_initializers(info: Info, job: DecodedTrainJob) -> Iterator[Fault]:
    """Each initializer needs a job and a container of its name, and a mount called initializer."""
    for kind, name in (("dataset", DATASET_INITIALIZER), ("model", MODEL_INITIALIZER)):
        if kind not in job.spec.get("initializer", {}):
            continue
        podsets = [podset for podset in info.podsets if podset.name == name]
        if not podsets:
            words = f"must have {name} job when trainJob is configured with input {kind}Config"
        elif all(item.name != name for item in (*podsets[-1].containers, *podsets[-1].init_containers)):
            words = f"must have container with name - {name} in the {name} job"
        elif info.release.checks_initializer_mounts and not any(
            _mounts_volume(item) for podset in podsets for item in podset.containers if item.name == name
        ):
            words = f"must have volumeMount with name - {MOUNT} in container {name} of the {name} job"
        else:
            continue
        yield invalid(
            _REFERENCE,
            shown(job.spec["runtimeRef"], "RuntimeRef", job.release),
            words,
            "use a runtime that has them, or remove the initializer",
        )


def _mounts_volume(container: Any) -> bool:
    return any(mount["name"] == MOUNT for mount in container.volume_mounts)


def validate_patches(info: Info, job: DecodedTrainJob, old: DecodedTrainJob | None, context: Sequence[Tree]) -> Iterator[Fault]:
    """When overrides may change, how their managers are called, and what they may reach."""
    if old is not None and _without_times(old) != _without_times(job):
        yield from _changed(job, old, context)
    names = {podset.name: {item.name for item in (*podset.containers, *podset.init_containers)} for podset in info.podsets}
    if job.release.overrides != RUNTIME_PATCHES:
        yield from _validate_overrides(names, job)
        return
    for patch in job.spec.get(RUNTIME_PATCHES, ()):
        yield from domain_prefixed_path((*_field(job), "manager"), patch.get("manager", ""))
        template = patch.get("trainingRuntimeSpec", {}).get("template", {})
        for item in template.get("spec", {}).get("replicatedJobs", ()):
            pod = item
            for step in POD_SPEC:
                pod = pod.get(step, {})
            what = "must not have replicated job that doesn't exist in the runtime job template"
            if item.get("name", "") not in names:
                yield _about(job, old, what)
            else:
                yield from _containers(pod, item["name"], names, job, old)


def _validate_overrides(names: dict[str, set[str]], job: DecodedTrainJob) -> Iterator[Fault]:
    seen: set[str] = set()
    for override in job.spec.get(job.release.overrides, ()):
        targets = [target.get("name", "") for target in override.get("targetJobs", ())]
        for name in targets:
            if name in seen and not job.release.overrides_add_up:
                yield Fault(
                    DUPLICATE, field(_field(job)), f"Duplicate value: {quote(name)}", _field(job), hint="name each job once"
                )
            seen.add(name)
        pod = override if job.release.overrides == POD_SPEC_OVERRIDES else override.get("spec", {})
        for name in targets:
            if name not in names:
                yield _about(job, None, "must not have targetJob that doesn't exist in the runtime job template")
            yield from _containers(pod, name, names, job, None)


def _field(job: DecodedTrainJob) -> FieldPath:
    return ("spec", job.release.overrides)


def _changed(job: DecodedTrainJob, old: DecodedTrainJob, context: Sequence[Tree]) -> Iterator[Fault]:
    title = _TITLES[job.release.overrides]
    on_resume = job.release.patches_may_change_on_resume
    if not job.suspend and not (on_resume and old.suspend):
        when = "before or after the update" if on_resume else ""
        words = f"{title} can only be modified when the TrainJob is suspended {when}".rstrip()
        yield forbidden(_field(job), words, "suspend the TrainJob first")
        return
    for tree in indexed(context).named("JobSet", job.name):
        if (tree["metadata"].get("namespace") or "default") == job.namespace:
            for status in get(tree, ("status", "replicatedJobsStatus"), None) or ():
                if status.get("active", 0) > 0:
                    name = status.get("name", "")
                    words = f"{title} cannot be modified when the JobSet's ReplicatedJob {name} is still active"
                    yield forbidden(_field(job), words, "wait until its pods are gone")


def _containers(
    pod: Any, job_name: str, names: dict[str, set[str]], job: DecodedTrainJob, old: DecodedTrainJob | None
) -> Iterator[Fault]:
    # A runtime patch is merged before this check, so the containers that it names exist: the first two never apply to it.
    known = names.get(job_name, set())
    where = f"that doesn't exist in the runtime job {job_name}"
    for container in pod.get("initContainers", ()):
        if container.get("name", "") not in known:
            yield _about(job, old, f"must not have initContainer {where}")
    special = (DATASET_INITIALIZER, MODEL_INITIALIZER, NODE)
    for container in pod.get("containers", ()):
        if container.get("name", "") not in known:
            yield _about(job, old, f"must not have container {where}")
        elif container.get("env") and container["name"] in special:
            yield _about(job, old, f"must not have envs for the {', '.join(special)} containers")


def _about(job: DecodedTrainJob, old: DecodedTrainJob | None, words: str) -> Fault:
    overrides = job.spec[job.release.overrides]
    if job.release.overrides == RUNTIME_PATCHES:
        before = {patch.get("manager"): patch for patch in old.spec.get(RUNTIME_PATCHES, ())} if old is not None else {}
        overrides = [stamped(patch, before.get(patch.get("manager"))) for patch in overrides]
    path = _field(job)
    text = shown(overrides, f"[]{_ELEMENTS[job.release.overrides]}", job.release, get(job.tree, path))
    return invalid(path, text, words, "use spec.trainer.env or spec.initializer for that")


def _without_times(job: DecodedTrainJob) -> list[dict[str, Any]]:
    # The mutating webhook keeps the time of a patch that did not change, so times never make a difference.
    return [{key: value for key, value in item.items() if key != "time"} for item in job.spec.get(job.release.overrides, [])]
