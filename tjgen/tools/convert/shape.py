"""A TrainJob or a runtime in the shape of one release -> the same in the shape of another, and what is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES, newest_with
from tjgen.cluster.trainer.release import RELEASES, Release
from tjgen.trees.fields.path import FieldPath, Tree, get, list_at, mapping_at, mappings_at, text_at
from tjgen.trees.typing import Any, NamedTuple

MANAGER = "tjgen.dev/converted"
_POD: FieldPath = ("template", "spec", "template")
_TORCH: FieldPath = ("mlPolicy", "torch")
_WORDS = ("auto", "")
"""Values that are equal to the default of `numProcPerNode`."""


class Lost(NamedTuple):
    """Something that the release has no place for; `path` is where it stood."""

    path: FieldPath
    what: str


class ConvertedPart(NamedTuple):
    """What is changed in one job, or in the JobSet where `job` is empty; `path` is where it stood."""

    order: int
    """The patch or override that it came in."""
    job: str
    metadata: dict[str, Any]
    job_metadata: dict[str, Any]
    pod: dict[str, Any]
    path: FieldPath


def source_of(tree: Tree) -> Release | None:
    """The newest release that has all the fields of a TrainJob that releases differ in; None where all of them have."""
    spec = mapping_at(tree, ("spec",))
    if POD_SPEC_OVERRIDES in spec:
        return RELEASES[newest_with(POD_SPEC_OVERRIDES).name]
    word = get(spec, ("trainer", "numProcPerNode"), None)
    if POD_TEMPLATE_OVERRIDES in spec or "labels" in spec or "annotations" in spec or word.__class__ is str:
        return RELEASES[newest_with(POD_TEMPLATE_OVERRIDES).name]
    return RELEASES[newest_with(RUNTIME_PATCHES).name] if RUNTIME_PATCHES in spec else None


def trainjob(tree: Tree, source: Release, target: Release) -> tuple[Tree, list[Lost]]:
    """The TrainJob for `target`. Fields keep their order; runtime changes keep their position."""
    lost: list[Lost] = []
    spec = tree["spec"]
    overrides = _overrides(list(_parts(spec, source)), target, lost)
    result: dict[str, Tree] = {}
    for key, value in spec.items():
        if key in (source.overrides, "labels", "annotations") and (key == source.overrides or source.propagates_metadata):
            result.update(overrides)
            overrides = {}
        elif key == "trainer" and value.__class__ is dict:
            result[key] = _trainer(value, target, lost)
        elif all(key != known for known, _ in target.types.entries("TrainJobSpec")):
            lost.append(Lost(("spec", key), key))
        else:
            result[key] = value
    return {**tree, "spec": {**result, **overrides}}, lost


def runtime(tree: Tree, target: Release) -> tuple[Tree, list[Lost]]:
    """The runtime without the fields of its policies that `target` does not have."""
    lost: list[Lost] = []
    spec = dict(mapping_at(tree, ("spec",)))
    for policy, name in (("mlPolicy", "MLPolicy"), ("podGroupPolicy", "PodGroupPolicy")):
        if spec.get(policy).__class__ is dict:
            spec[policy] = _known(spec[policy], name, target, ("spec", policy), lost)
    torch = get(spec, _TORCH, None)
    if torch.__class__ is dict:
        spec["mlPolicy"] = {**spec["mlPolicy"], "torch": _known(torch, "TorchMLPolicySource", target, ("spec", *_TORCH), lost)}
    return ({**tree, "spec": spec} if spec else tree), lost


def _trainer(trainer: dict[str, Tree], target: Release, lost: list[Lost]) -> Tree:
    processes = trainer.get("numProcPerNode")
    if processes.__class__ is not str or not target.numbers_processes:
        return trainer
    rest = {key: value for key, value in trainer.items() if key != "numProcPerNode"}
    if str(processes).isdecimal():
        return {key: int(str(processes)) if key == "numProcPerNode" else value for key, value in trainer.items()}
    if processes not in _WORDS:
        lost.append(Lost(("spec", "trainer", "numProcPerNode"), f"numProcPerNode {processes}"))
    return rest


def _known(tree: dict[str, Tree], name: str, target: Release, path: FieldPath, lost: list[Lost]) -> dict[str, Tree]:
    fields = {field for field, _ in target.types.entries(name)}
    # A value equal to the default is not a loss.
    lost += [Lost((*path, key), key) for key, value in tree.items() if key not in fields and value not in _WORDS]
    return {key: value for key, value in tree.items() if key in fields}


def _parts(spec: dict[str, Any], source: Release) -> Iterator[ConvertedPart]:
    if source.propagates_metadata:
        own = {key: spec[key] for key in ("labels", "annotations") if mapping_at(spec, (key,))}
        if own:
            yield ConvertedPart(0, "", own, {}, {}, ("spec",))
    for order, item in enumerate(list_at(spec, (source.overrides,))):
        if item.__class__ is not dict:
            continue
        path: FieldPath = ("spec", source.overrides, order)
        if source.overrides == RUNTIME_PATCHES:
            yield from _of_patch(order, item, path)
            continue
        pod = {key: value for key, value in item.items() if key not in ("targetJobs", "metadata", "spec")}
        pod = pod if source.overrides == POD_SPEC_OVERRIDES else mapping_at(item, ("spec",))
        # A job counts once in an override, however often that names it.
        for job in dict.fromkeys(text_at(target, ("name",)) for target in mappings_at(item, ("targetJobs",))):
            yield ConvertedPart(order, job, mapping_at(item, ("metadata",)), {}, pod, path)


def _of_patch(order: int, item: dict[str, Any], path: FieldPath) -> Iterator[ConvertedPart]:
    template = mapping_at(item, ("trainingRuntimeSpec", "template"))
    below: FieldPath = (*path, "trainingRuntimeSpec", "template")
    metadata = mapping_at(template, ("metadata",))
    if metadata:
        yield ConvertedPart(order, "", metadata, {}, {}, (*below, "metadata"))
    for position, job in enumerate(list_at(template, ("spec", "replicatedJobs"))):
        metadata = mapping_at(job, ("template", "metadata"))
        where = (*below, "spec", "replicatedJobs", position)
        pod_metadata, pod = mapping_at(job, (*_POD, "metadata")), mapping_at(job, (*_POD, "spec"))
        yield ConvertedPart(order, text_at(job, ("name",)), pod_metadata, metadata, pod, where)


def _overrides(parts: list[ConvertedPart], target: Release, lost: list[Lost]) -> dict[str, Tree]:
    if target.overrides == RUNTIME_PATCHES:
        return _as_patches(parts, target, lost)
    result: dict[str, Tree] = {}
    overrides: list[Tree] = []
    seen: set[str] = set()
    for part in parts:
        if not part.job:
            result.update({key: value for key, value in part.metadata.items() if key in ("labels", "annotations")})
            continue
        if part.job_metadata:
            lost.append(Lost((*part.path, "template", "metadata"), f"metadata of job {part.job}"))
        if part.job in seen and not target.overrides_add_up:
            lost.append(Lost(part.path, f"a second override of job {part.job}"))
            continue
        seen.add(part.job)
        pod_type = "PodSpecOverride" if target.overrides == POD_SPEC_OVERRIDES else "PodTemplateSpecOverride"
        pod = _pod(part, pod_type, "ContainerOverride", target, lost)
        shell: dict[str, Tree] = {"targetJobs": [{"name": part.job}]}
        if target.overrides == POD_SPEC_OVERRIDES:
            if part.metadata:
                lost.append(Lost(part.path, f"pod metadata of job {part.job}"))
            overrides.append({**shell, **pod})
        else:
            metadata: dict[str, Tree] = {"metadata": part.metadata} if part.metadata else {}
            overrides.append({**shell, **metadata, **({"spec": pod} if pod else {})})
    return {**result, **({target.overrides: overrides} if overrides else {})}


def _as_patches(parts: list[ConvertedPart], target: Release, lost: list[Lost]) -> dict[str, Tree]:
    jobs = [part.job for part in parts if part.job]
    apart = len(set(jobs)) < len(jobs)
    # One patch holds every job once: a second change of a job is in a later patch, so it is merged later, too.
    patches: dict[int, dict[str, Any]] = {}
    for part in parts:
        template = patches.setdefault(part.order if apart else 0, {})
        if not part.job:
            template["metadata"] = part.metadata
            continue
        pod = _pod(part, "PodSpecPatch", "ContainerPatch", target, lost)
        inner = {**({"metadata": part.metadata} if part.metadata else {}), **({"spec": pod} if pod else {})}
        job = {**({"metadata": part.job_metadata} if part.job_metadata else {}), "spec": {"template": inner}}
        template.setdefault("spec", {"replicatedJobs": []})["replicatedJobs"].append({"name": part.job, "template": job})
    if not patches:
        return {}
    return {
        RUNTIME_PATCHES: [
            {"manager": MANAGER if not number else f"{MANAGER}-{number + 1}", "trainingRuntimeSpec": {"template": template}}
            for number, template in enumerate(patches.values())
        ]
    }


def _pod(part: ConvertedPart, pod_type: str, container_type: str, target: Release, lost: list[Lost]) -> dict[str, Tree]:
    pod = _known(part.pod, pod_type, target, part.path, lost)
    for field in ("containers", "initContainers"):
        containers = mappings_at(pod, (field,))
        if containers:
            pod[field] = [_known(item, container_type, target, (*part.path, field), lost) for item in containers]
    return pod
