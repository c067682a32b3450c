"""Initializers and runtime patches of a TrainJob -> the errors of the JobSet plugin's checks.

Upstream: plugins/jobset `Validate` and `checkRuntimePatchesImmutability`, v2.3.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.fields.path import FieldPath, Tree, get
from tjgen.trainer.info import DATASET_INITIALIZER, MODEL_INITIALIZER, NODE, Info
from tjgen.trainer.job import Job
from tjgen.trainer.runtimes import POD_SPEC
from tjgen.typing import Any
from tjgen.validate.fault import Fault
from tjgen.validate.webhooks.answer import forbidden, invalid
from tjgen.validate.webhooks.gojson import go_json
from tjgen.validate.webhooks.prefixed import domain_prefixed_path

MOUNT = "initializer"
PATCH_TIME = "2000-01-01T00:00:00Z"
"""Stands for the time that the mutating webhook writes into a patch that has none."""

_REFERENCE: FieldPath = ("spec", "runtimeRef")
_PATCHES: FieldPath = ("spec", "runtimePatches")


def validate_initializers(info: Info, job: Job) -> Iterator[Fault]:
    """Each initializer needs a job and a container of its name, and a mount called initializer."""
    for kind, name in (("dataset", DATASET_INITIALIZER), ("model", MODEL_INITIALIZER)):
        if kind not in job.spec.get("initializer", {}):
            continue
        podsets = [podset for podset in info.podsets if podset.name == name]
        if not podsets:
            words = f"must have {name} job when trainJob is configured with input {kind}Config"
        elif all(item.name != name for item in (*podsets[-1].containers, *podsets[-1].init_containers)):
            words = f"must have container with name - {name} in the {name} job"
        elif not any(_mounts_volume(item) for podset in podsets for item in podset.containers if item.name == name):
            words = f"must have volumeMount with name - {MOUNT} in container {name} of the {name} job"
        else:
            continue
        shown = go_json(job.spec["runtimeRef"], "RuntimeRef")
        yield invalid(_REFERENCE, shown, words, "use a runtime that has them, or remove the initializer")


def _mounts_volume(container: Any) -> bool:
    return any(mount["name"] == MOUNT for mount in container.volume_mounts)


def validate_patches(info: Info, job: Job, old: Job | None, context: Sequence[Tree]) -> Iterator[Fault]:
    """When patches may change, how their managers are called, and what they may reach."""
    if old is not None and _without_times(old) != _without_times(job):
        yield from _changed(job, old, context)
    names = {podset.name: {item.name for item in (*podset.containers, *podset.init_containers)} for podset in info.podsets}
    for patch in job.spec.get("runtimePatches", ()):
        yield from domain_prefixed_path((*_PATCHES, "manager"), patch.get("manager", ""))
        template = patch.get("trainingRuntimeSpec", {}).get("template", {})
        for item in template.get("spec", {}).get("replicatedJobs", ()):
            yield from _targets(item, names, job, old)


def _changed(job: Job, old: Job, context: Sequence[Tree]) -> Iterator[Fault]:
    if not old.suspend and not job.suspend:
        words = "RuntimePatches can only be modified when the TrainJob is suspended before or after the update"
        yield forbidden(_PATCHES, words, "suspend the TrainJob first")
        return
    for tree in context:
        metadata = get(tree, ("metadata",), {})
        is_its_jobset = get(tree, ("kind",)) == "JobSet" and metadata.get("name") == job.name
        if is_its_jobset and (metadata.get("namespace") or "default") == job.namespace:
            for status in get(tree, ("status", "replicatedJobsStatus"), None) or ():
                if status.get("active", 0) > 0:
                    name = status.get("name", "")
                    words = f"RuntimePatches cannot be modified when the JobSet's ReplicatedJob {name} is still active"
                    yield forbidden(_PATCHES, words, "wait until its pods are gone")


def _targets(patch: Any, names: dict[str, set[str]], job: Job, old: Job | None) -> Iterator[Fault]:
    # The runtime was patched before, so unknown jobs and containers are there by now: the first three never fire.
    known = names.get(patch.get("name", ""))
    if known is None:
        yield _about_patches(job, old, "must not have replicated job that doesn't exist in the runtime job template")
        return
    pod = patch
    for step in POD_SPEC:
        pod = pod.get(step, {})
    where = f"that doesn't exist in the runtime job {patch.get('name', '')}"
    for container in pod.get("initContainers", ()):
        if container.get("name", "") not in known:
            yield _about_patches(job, old, f"must not have initContainer {where}")
    special = (DATASET_INITIALIZER, MODEL_INITIALIZER, NODE)
    for container in pod.get("containers", ()):
        if container.get("name", "") not in known:
            yield _about_patches(job, old, f"must not have container {where}")
        elif container.get("env") and container["name"] in special:
            yield _about_patches(job, old, f"must not have envs for the {', '.join(special)} containers")


def _about_patches(job: Job, old: Job | None, words: str) -> Fault:
    before = {patch.get("manager"): patch for patch in old.spec.get("runtimePatches", ())} if old is not None else {}
    stamped = [_stamped(patch, before.get(patch.get("manager"))) for patch in job.spec["runtimePatches"]]
    return invalid(
        _PATCHES,
        go_json(stamped, "RuntimePatch", get(job.tree, _PATCHES)),
        words,
        "use spec.trainer.env or spec.initializer for that",
    )


def _stamped(patch: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    # pkg/webhooks `TrainJobDefaulter.Default`: a changed patch gets the time of day, an unchanged one keeps its own.
    if before is None:
        return {"time": PATCH_TIME, **patch}
    bare = {key: value for key, value in patch.items() if key != "time"}
    if bare == {key: value for key, value in before.items() if key != "time"}:
        return before
    return {**bare, "time": PATCH_TIME}


def _without_times(job: Job) -> list[dict[str, Any]]:
    # The mutating webhook keeps the time of a patch that did not change, so times never make a difference.
    patches = job.spec.get("runtimePatches", [])
    return [{key: value for key, value in patch.items() if key != "time"} for patch in patches]
