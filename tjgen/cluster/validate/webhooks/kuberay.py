"""A RayJob of ray.io/v1 -> the reason for which KubeRay does not run it.

The webhooks of KubeRay, which are off by default, judge the name alone. The operator judges the rest: it writes the reason into
the status of the RayJob, which is then ValidationFailed, and leaves the job alone. It stops at the first reason, as this does.
Upstream: KubeRay v1.5.1 `controllers/ray/utils/validation.go:ValidateRayJobMetadata`, `ValidateRayJobSpec`,
`ValidateRayClusterSpec`, `validateDeletionConfiguration`, with the default feature gates.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.kuberay import dashboard_port
from tjgen.cluster.kinds.ray import CLUSTER, SELECTED_CLUSTER, WORKERS, is_submitted_by_job
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks.answer import refused
from tjgen.trees.fields.path import FieldPath, Step, Tree, get
from tjgen.trees.k8s.syntax import dns1035_label, label_key, label_value

LONGEST_NAME = 47
"""The name of the RayCluster has six more characters, and its Services are named after it."""
_HEAD: FieldPath = (*CLUSTER, "headGroupSpec")
_NEVER = (None, "", "Never")
_SIDECAR, _INTERACTIVE = "SidecarMode", "InteractiveMode"
_STARTING = ("num-cpus", "num-gpus", "memory", "resources")
_FAULT_TOLERANT = "ray.io/ft-enabled"
_STORAGE = "ray.io/external-storage-namespace"
_AUTOSCALER = "RAY_enable_autoscaler_v2"


def faults(job: Tree) -> Iterator[Fault]:
    """The first reason, if there is one; otherwise, what keeps the submitter from starting."""
    job = {**job, "spec": job.get("spec") or {}}
    first = next(_reasons(job), None)
    if first is not None:
        yield first
        return
    template = job["spec"].get("submitterPodTemplate")
    policy = get(template, ("spec", "restartPolicy"), None)
    if template is not None and is_submitted_by_job(job) and policy not in ("OnFailure", "Never"):
        path: FieldPath = ("spec", "submitterPodTemplate", "spec", "restartPolicy")
        words = "the Job that submits the program requires OnFailure or Never, so it is never created"
        yield refused(words, path, hint="write restartPolicy: Never")
    if _has_no_dashboard(job):
        path = (*_HEAD, "template", "spec", "containers", 0, "ports")
        words = "the head lists ports without one called dashboard, so the operator never submits the program"
        yield refused(words, path, hint="add {name: dashboard, containerPort: 8265}, or remove ports")


def _has_no_dashboard(job: Tree) -> bool:
    cluster = get(job, CLUSTER, None)
    mode = job["spec"].get("submissionMode")
    return cluster is not None and mode != _SIDECAR and dashboard_port(cluster) is None


def _reasons(job: Tree) -> Iterator[Fault]:
    yield from _name(job)
    spec = job["spec"]
    yield from _deletion(spec)
    is_selected = bool(spec.get("clusterSelector"))
    if spec.get("suspend") and is_selected:
        yield _fault("a RayJob on an existing RayCluster cannot be suspended", "spec", "suspend")
    if spec.get("rayClusterSpec") is None and not is_selected:
        yield _fault("one of rayClusterSpec and clusterSelector is required", "spec")
    if is_selected:
        if not get(job, SELECTED_CLUSTER, None):
            yield _fault("the key ray.io/cluster must name a RayCluster", *SELECTED_CLUSTER[:2])
        if spec.get("submissionMode") == _SIDECAR:
            yield _fault("SidecarMode does not support an existing RayCluster", "spec", "submissionMode")
    yield from _mode(spec)
    if spec.get("rayClusterSpec") is not None:
        yield from _cluster(job)
    yield from _runtime_environment(spec.get("runtimeEnvYAML") or "")
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and deadline <= 0:
        yield _fault("must be a positive number", "spec", "activeDeadlineSeconds")
    if (spec.get("backoffLimit") or 0) < 0:
        yield _fault("must be at least 0", "spec", "backoffLimit")


def _name(job: Tree) -> Iterator[Fault]:
    name = get(job, ("metadata", "name"), None) or ""
    if len(name.encode()) > LONGEST_NAME:
        words = f"a RayJob has a name of at most {LONGEST_NAME} characters, and this one has {len(name)}"
        yield refused(words, ("metadata", "name"), hint="use a shorter name")
    elif dns1035_label(name):
        hint = "begin the name with a letter, and use small letters, digits and -"
        yield refused(f"must be a DNS label: {', '.join(dns1035_label(name))}", ("metadata", "name"), hint=hint)


def _deletion(spec: Tree) -> Iterator[Fault]:
    """What is deleted when the job has ended, and a suspension, which deletes as well."""
    is_shut_down = bool(spec.get("shutdownAfterJobFinishes"))
    seconds = spec.get("ttlSecondsAfterFinished") or 0
    hint = "set shutdownAfterJobFinishes: true"
    if spec.get("suspend") and not is_shut_down:
        yield _fault("a RayJob without shutdownAfterJobFinishes cannot be suspended", "spec", "suspend", hint=hint)
    if seconds < 0:
        yield _fault("must be at least 0", "spec", "ttlSecondsAfterFinished")
    if not is_shut_down and seconds > 0:
        words = "has no effect without shutdownAfterJobFinishes, so the operator refuses the job"
        yield _fault(words, "spec", "ttlSecondsAfterFinished", hint=hint)
    if spec.get("deletionStrategy") is not None:
        words = "requires the feature gate RayJobDeletionPolicy of the operator, which is off by default"
        yield _fault(words, "spec", "deletionStrategy", hint="remove it, or enable the feature gate")


def _mode(spec: Tree) -> Iterator[Fault]:
    mode = spec.get("submissionMode")
    if mode == _INTERACTIVE and (spec.get("backoffLimit") or 0) > 0:
        yield _fault("InteractiveMode does not support another attempt", "spec", "backoffLimit", hint="remove backoffLimit")
    if mode != _SIDECAR:
        return
    for field in ("submitterPodTemplate", "submitterConfig"):
        if spec.get(field) is not None:
            yield _fault("SidecarMode does not support it: the head pod submits the program", "spec", field)
    path: FieldPath = ("headGroupSpec", "template", "spec", "restartPolicy")
    if get(spec.get("rayClusterSpec") or {}, path, None) not in _NEVER:
        yield _fault("SidecarMode requires restartPolicy Never of the head", *CLUSTER, *path)


def _cluster(job: Tree) -> Iterator[Fault]:
    """`ValidateRayClusterSpec`."""
    spec = get(job, CLUSTER)
    annotations = get(job, ("metadata", "annotations"), None) or {}
    yield from _group(spec["headGroupSpec"], "the head", _HEAD)
    groups = [((*CLUSTER, WORKERS, position), group) for position, group in enumerate(spec.get(WORKERS) or ())]
    for path, group in groups:
        yield from _group(group, f"group {group.get('groupName')}", path)
    yield from _redis(spec, annotations)
    for path, group in groups:
        if group.get("suspend"):
            words = "requires the feature gate RayJobDeletionPolicy of the operator, which is off by default"
            yield _fault(words, *path, "suspend", hint="remove it")
    yield from _autoscaler(spec, groups)
    if get(spec, ("authOptions", "mode"), None) == "token":
        yield from _token(str(spec.get("rayVersion") or ""))


def _group(group: Tree, name: str, path: FieldPath) -> Iterator[Fault]:
    if not get(group, ("template", "spec", "containers"), None):
        yield _fault(f"{name} requires a container", *path, "template", "spec", "containers")
    options = group.get("rayStartParams") or {}
    if group.get("resources") and any(options.get(key) for key in _STARTING):
        yield _fault(f"{name} sets its resources here and in rayStartParams", *path, "resources", hint="remove one of them")
    if "labels" in options:
        yield _fault("is not supported here", *path, "rayStartParams", "labels", hint="use labels of the group")
    for key, value in (group.get("labels") or {}).items():
        messages = [*label_key(key), *label_value(value)]
        if messages:
            yield _fault("; ".join(messages), *path, "labels", key)


def _variables(spec: Tree) -> dict[str, Tree]:
    """The variables of the head's first container."""
    env = get(spec, ("headGroupSpec", "template", "spec", "containers", 0, "env"), None) or ()
    return {str(one.get("name")): one.get("value") for one in reversed(env)}


def _env(spec: Tree, name: str) -> FieldPath:
    path: FieldPath = ("template", "spec", "containers", 0, "env")
    return (*_HEAD, *path, [one.get("name") for one in get(spec["headGroupSpec"], path)].index(name))


def _redis(spec: Tree, annotations: Tree) -> Iterator[Fault]:
    """Fault tolerance of the head has one place for its settings."""
    options, variables = spec.get("gcsFaultToleranceOptions"), _variables(spec)
    parameters = get(spec, ("headGroupSpec", "rayStartParams"), None) or {}
    at: FieldPath = ("metadata", "annotations")
    hint = "set it in gcsFaultToleranceOptions alone"
    if annotations.get(_FAULT_TOLERANT) and options is not None:
        yield _fault("is set together with gcsFaultToleranceOptions", *at, _FAULT_TOLERANT, hint="remove the annotation")
    is_enabled = str(annotations.get(_FAULT_TOLERANT, "")).lower() == "true" or options is not None
    if not is_enabled and "RAY_REDIS_ADDRESS" in variables:
        yield refused("is set without gcsFaultToleranceOptions", _env(spec, "RAY_REDIS_ADDRESS"), hint=hint)
    if options is not None:
        if parameters.get("redis-password"):
            yield _fault("is set together with gcsFaultToleranceOptions", *_HEAD, "rayStartParams", "redis-password", hint=hint)
        for name in ("REDIS_PASSWORD", "RAY_REDIS_ADDRESS"):
            if name in variables:
                yield refused("is set together with gcsFaultToleranceOptions", _env(spec, name), hint=hint)
        if annotations.get(_STORAGE):
            yield _fault("is set together with gcsFaultToleranceOptions", *at, _STORAGE, hint=hint)
    if parameters.get("redis-username"):
        yield _fault("has another place", *_HEAD, "rayStartParams", "redis-username", hint=hint)
    if "REDIS_USERNAME" in variables:
        yield refused("has another place", _env(spec, "REDIS_USERNAME"), hint=hint)


def _autoscaler(spec: Tree, groups: list[tuple[FieldPath, Tree]]) -> Iterator[Fault]:
    variables = _variables(spec)
    version = get(spec, ("autoscalerOptions", "version"), None)
    if not spec.get("enableInTreeAutoscaling"):
        if variables.get(_AUTOSCALER) in ("1", "true"):
            yield refused("requires enableInTreeAutoscaling: true", _env(spec, _AUTOSCALER), hint="remove it")
        return
    if version is not None and _AUTOSCALER in variables:
        yield refused("is set together with autoscalerOptions.version", _env(spec, _AUTOSCALER), hint="remove it")
    if version != "v2":
        return
    for path, group in ((_HEAD, spec["headGroupSpec"]), *groups):
        if get(group, ("template", "spec", "restartPolicy"), None) not in _NEVER:
            yield _fault("version v2 of the autoscaler requires Never", *path, "template", "spec", "restartPolicy")


def _token(version: str) -> Iterator[Fault]:
    path: FieldPath = (*CLUSTER, "rayVersion")
    numbers = version.removeprefix("v").partition("-")[0].partition("+")[0].split(".")
    if not version:
        yield _fault("authOptions with mode token requires rayVersion 2.52.0 or later", *path)
    elif len(numbers) < 2 or not all(one.isascii() and one.isdigit() for one in numbers):
        yield _fault(f"is not a version: {version}", *path)
    elif [*map(int, numbers), 0][:3] < [2, 52, 0]:
        yield _fault(f"authOptions with mode token requires 2.52.0 or later, not {version}", *path)


def _runtime_environment(text: str) -> Iterator[Fault]:
    if not text:
        return
    from tjgen.trees.source.reader import KUBERNETES, read  # few jobs have an environment

    documents, problems = read(text, "runtimeEnvYAML", KUBERNETES)
    if problems:
        yield _fault(f"is not valid YAML: {problems[0].message}", "spec", "runtimeEnvYAML")
    elif documents and documents[0].value.__class__ is not dict:
        yield _fault("must be a mapping", "spec", "runtimeEnvYAML")


def _fault(words: str, *path: Step, hint: str | None = None) -> Fault:
    return refused(words, path, hint=hint)
