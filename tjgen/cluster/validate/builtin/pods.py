"""A pod's spec, in a Pod or in a template -> what the API server has against it.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidatePodCreate, ValidatePodTemplateSpec, ValidatePodSpec) with the
feature gates of a cluster that sets none, after defaulting and the service account admission.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin import scheduling, security
from tjgen.cluster.validate.builtin.containers import PodContext, containers, ephemeral_containers
from tjgen.cluster.validate.builtin.paths import descending
from tjgen.cluster.validate.builtin.resources import container_resource_name, pod_resource_name, requirements
from tjgen.cluster.validate.builtin.scheduling import tolerations
from tjgen.cluster.validate.builtin.security import names_of
from tjgen.cluster.validate.builtin.selectors import affinity, label_name
from tjgen.cluster.validate.builtin.totals import pod_totals, with_requests
from tjgen.cluster.validate.builtin.volumes import volumes
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.metadata import annotation_keys, labels
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.k8s import quantity, syntax
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import Any

_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_PREEMPTION = ("PreemptLowerPriority", "Never")
_LONGEST_DEADLINE = 2**31 - 1
_NAMES = (
    ("serviceAccountName", syntax.dns1123_subdomain),
    ("nodeName", syntax.dns1123_subdomain),
    ("hostname", syntax.dns1123_label),
    ("subdomain", syntax.dns1123_label),
    ("priorityClassName", syntax.dns1123_subdomain),
)


def faults(pod: dict[str, Any]) -> Iterator[Fault]:
    """`ValidatePodCreate`, metadata left out."""
    metadata, spec = pod.get("metadata", {}), with_requests(pod.get("spec", {}))
    at = Place("spec", ("spec",))
    yield from _pod_annotations(metadata.get("annotations", {}), spec, Place().child("metadata", "annotations"), at)
    yield from pod_spec(spec, at, is_pod=True, pod_name=generated(metadata))
    for name in ("containers", "initContainers"):
        for position, container in enumerate(spec.get(name, ())):
            image = container.get("image", "")
            if image != image.strip():
                field = at.child(name).item(position).child("image")
                yield field.invalid(image, "must not have leading or trailing whitespace")
    if spec.get("ephemeralContainers"):
        yield at.child("ephemeralContainers").forbidden("cannot be set on create")
    if spec.get("nodeName") and spec.get("schedulingGates"):
        yield at.child("nodeName").forbidden("cannot be set until all schedulingGates have been cleared")


def template_faults(template: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidatePodTemplateSpec`."""
    metadata, spec = template.get("metadata", {}), template.get("spec", {})
    # Upstream leaves the step `metadata` out of what it calls these.
    field = {name: Place(f"{at.field}.{name}", (*at.path, "metadata", name)) for name in ("labels", "annotations")}
    yield from labels(metadata.get("labels", {}), field["labels"])
    yield from annotation_keys(metadata.get("annotations", {}), field["annotations"])
    yield from _pod_annotations(metadata.get("annotations", {}), spec, field["annotations"], at.child("spec"))
    yield from pod_spec(spec, at.child("spec"), is_pod=False)
    if spec.get("ephemeralContainers"):
        yield at.child("spec", "ephemeralContainers").forbidden("ephemeral containers not allowed in pod template")


def pod_spec(spec: dict[str, Any], at: Place, *, is_pod: bool, pod_name: str = "") -> Iterator[Fault]:
    """`ValidatePodSpec`."""
    spec = with_host_ports(spec) if is_pod else spec
    mountable, wrong = volumes(spec.get("volumes", []), at.child("volumes"), is_pod=is_pod, pod_name=pod_name)
    yield from wrong
    claims = spec.get("resourceClaims", ())
    yield from _claims(claims, at.child("resourceClaims"))
    names = {claim["name"] for claim in claims if claim.get("name")}
    grace = spec.get("terminationGracePeriodSeconds", 30)
    restart = spec.get("restartPolicy") or "Always"
    seen = PodContext(mountable, names, 1 if is_pod and grace < 0 else grace, restart, spec.get("hostUsers") is not False)
    yield from containers(spec, seen, at)
    yield from ephemeral_containers(spec, seen, at)
    yield from _resources(spec, names, at.child("resources"))
    yield from _host_network_ports(spec, at)
    if restart not in _RESTART_POLICIES:
        yield at.child("restartPolicy").not_supported(restart, _RESTART_POLICIES)
    yield from scheduling.dns(spec, at)
    yield from labels(spec.get("nodeSelector", {}), at.child("nodeSelector"))
    yield from security.pod(spec, at)
    yield from affinity(spec.get("affinity", {}), at.child("affinity"))
    for position, gate in enumerate(spec.get("readinessGates", ())):
        field = at.child("readinessGates").item(position).child("conditionType")
        yield from label_name(gate.get("conditionType", ""), field)
    yield from scheduling.scheduling_gates(spec.get("schedulingGates", []), at.child("schedulingGates"))
    yield from scheduling.topology_spread(spec.get("topologySpreadConstraints", []), at.child("topologySpreadConstraints"))
    yield from _names(spec, at)
    yield from _numbers(spec, at)
    yield from scheduling.tolerations(spec.get("tolerations", []), at.child("tolerations"))
    yield from scheduling.host_aliases(spec.get("hostAliases", []), at.child("hostAliases"))
    yield from security.operating_system(spec, at)
    yield from security.file_references(spec, at)


def _claims(claims: Any, at: Place) -> Iterator[Fault]:
    """`validatePodResourceClaims`."""
    names: set[str] = set()
    for position, claim in enumerate(claims):
        element, name = at.item(position), claim.get("name", "")
        if not name:
            yield element.child("name").required()
        elif name in names:
            yield element.child("name").duplicate(name)
        else:
            for message in syntax.dns1123_label(name):
                yield element.child("name").invalid(name, message)
            names.add(name)
        sources = {kind: claim.get(kind) for kind in ("resourceClaimName", "resourceClaimTemplateName")}
        shown = GoStruct(Name=name, **{kind[0].upper() + kind[1:]: value for kind, value in sources.items()})
        given = [kind for kind, value in sources.items() if value is not None]
        if len(given) > 1:
            message = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            yield element.invalid(shown, message)
        elif not given:
            yield element.invalid(shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
        for kind in given:
            for message in syntax.dns1123_subdomain(claim[kind]):
                yield element.child(kind).invalid(claim[kind], message)


def _resources(spec: dict[str, Any], claims: set[str], at: Place) -> Iterator[Fault]:
    """`validatePodResources`."""
    given = spec.get("resources")
    if given is None:
        return
    if spec.get("os", {}).get("name") == "windows":
        yield at.forbidden("may not be set for a windows pod")
        return
    if "claims" in given:
        yield at.child("claims").forbidden("claims may not be set for Resources at pod-level")
    yield from requirements(given, pod_resource_name, claims, at)
    yield from pod_totals(spec, at)


def with_host_ports(spec: dict[str, Any]) -> dict[str, Any]:
    """`defaultHostNetworkPorts`: the ports of a Pod on the network of its node are those of the node."""
    if not spec.get("hostNetwork"):
        return spec
    kinds = [kind for kind in ("containers", "initContainers") if spec.get(kind)]
    return {**spec, **{kind: [_on_node(container) for container in spec[kind]] for kind in kinds}}


def _on_node(container: dict[str, Any]) -> dict[str, Any]:
    if not container.get("ports"):
        return container
    ports = [{**port, "hostPort": port.get("hostPort") or port.get("containerPort", 0)} for port in container["ports"]]
    return {**container, "ports": ports}


def _host_network_ports(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validatePodHostNetworkDeps`."""
    if not spec.get("hostNetwork"):
        return
    for position, container in enumerate(spec.get("containers", ())):
        for number, port in enumerate(container.get("ports", ())):
            host, inner = port.get("hostPort", 0), port.get("containerPort", 0)
            if host and host != inner:
                field = at.child("containers").item(position).child("ports").item(number).child("hostPort")
                yield field.invalid(host, "must match `containerPort` when `hostNetwork` is true")


def _names(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    given = dict(spec)
    if not given.get("serviceAccountName"):
        given["serviceAccountName"] = given.get("serviceAccount", "")  # its old name
    for name, check in _NAMES:
        for message in check(given[name]) if given.get(name) else ():
            yield at.child(name).invalid(given[name], message)
    if "runtimeClassName" in spec:
        for message in syntax.dns1123_subdomain(spec["runtimeClassName"]):
            yield at.child("runtimeClassName").invalid(spec["runtimeClassName"], message)
    override, field = spec.get("hostnameOverride"), at.child("hostnameOverride")
    if override is not None:
        for name in ("setHostnameAsFQDN", "hostNetwork"):
            if spec.get(name):
                yield field.forbidden(f"may not be specified when {name} is true")
        if len(override.encode()) > 64:
            yield field.too_long(64)
        for message in syntax.dns1123_subdomain(override):
            yield field.invalid(override, message)


def _numbers(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    deadline = spec.get("activeDeadlineSeconds", 1)
    if not 1 <= deadline <= _LONGEST_DEADLINE:
        message = f"must be between 1 and {_LONGEST_DEADLINE}, inclusive"
        yield at.child("activeDeadlineSeconds").invalid(deadline, message)
    yield from preemption_policy(spec, at)
    if "overhead" in spec:
        overhead = {"limits": {name: str(quantity.parse(value)) for name, value in spec["overhead"].items()}}
        # Upstream checks the overhead as limits, and its paths name limits.
        for fault in requirements(overhead, container_resource_name, set(), at.child("overhead")):
            yield fault._replace(path=tuple(step for step in fault.path if step != "limits"))


def preemption_policy(given: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidatePreemptionPolicy`."""
    policy = given.get("preemptionPolicy", "Never")
    if not policy:
        yield at.child("preemptionPolicy").required()
    elif policy not in _PREEMPTION:
        yield at.child("preemptionPolicy").not_supported(policy, _PREEMPTION)


# Annotations that mean something on a pod -> what the API server has against them.
#
# Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidatePodSpecificAnnotations and the checks that old annotations agree
# with the fields that replaced them).

_MIRROR = "kubernetes.io/config.mirror"
_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_PROFILE_TYPES: dict[Any, dict[str, tuple[str, ...]]] = {
    "Unconfined": {"seccomp": ("unconfined",), "apparmor": ("unconfined",)},
    "RuntimeDefault": {"seccomp": ("runtime/default", "docker/default"), "apparmor": ("runtime/default",)},
    "Localhost": {"seccomp": (), "apparmor": ()},
}
"""The values that an annotation may have in addition to a profile of some type."""
_PROFILES = ("runtime/default", "docker/default", "unconfined")


def _pod_annotations(annotations: dict[str, str], spec: dict[str, Any], at: Place, pod: Place) -> Iterator[Fault]:
    """`ValidatePodSpecificAnnotations`, with the places of the annotations and of the pod's spec."""
    if not annotations:
        return
    if _MIRROR in annotations and not spec.get("nodeName"):
        message = "must set spec.nodeName if mirror pod annotation is set"
        yield at.key(_MIRROR).invalid(annotations[_MIRROR], message)
    if annotations.get(_TOLERATIONS):
        yield from _tolerations(annotations[_TOLERATIONS], at)
    if _DELETION_COST in annotations and not _is_cost(annotations[_DELETION_COST]):
        yield at.key(_DELETION_COST).invalid(annotations[_DELETION_COST], "must be a 32bit integer")
    names = names_of(spec)
    for key, value in annotations.items():
        if key == _SECCOMP or key.startswith(_SECCOMP_CONTAINER):
            yield from _seccomp(value, at.child(key))
        elif key.startswith(_APP_ARMOR):
            if key.removeprefix(_APP_ARMOR) not in names:
                yield at.key(key).invalid(key.removeprefix(_APP_ARMOR), "container not found")
            if value not in ("", "runtime/default", "unconfined") and not value.startswith("localhost/"):
                yield at.key(key).invalid(value, f'invalid AppArmor profile name: "{value}"')
    yield from _agreement(annotations, spec, pod)


def _is_cost(text: str) -> bool:
    """What strconv.ParseInt takes for 32 bits, without a plus; leading zeros only behind a minus (`validFirstDigit`)."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or (text[0] == "0" and text != "0"):
        return False
    return -(2**31) <= int(text) < 2**31


def _tolerations(text: str, at: Place) -> Iterator[Fault]:
    from json import loads  # an annotation of old times

    from tjgen.cluster.validate.builtin.gojson import json_problem, unmarshal_problem

    problem = json_problem(text, list, "[]core.Toleration")
    given = loads(text) if not problem else None
    wrong = next((item for item in given or () if item is not None and not isinstance(item, dict)), None)
    if wrong is not None:
        problem = unmarshal_problem(wrong, "core.Toleration")
    if problem:
        yield at.seen_at(_TOLERATIONS).invalid(_TOLERATIONS, problem)
    else:
        yield from tolerations([item or {} for item in given or ()], at.child(_TOLERATIONS))


def _seccomp(profile: str, at: Place) -> Iterator[Fault]:
    if profile.startswith("localhost/"):
        yield from descending(profile.removeprefix("localhost/"), at)
    elif profile not in _PROFILES:
        yield at.invalid(profile, "must be a valid seccomp profile")


def _agreement(annotations: dict[str, str], spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateSeccompAnnotationsAndFields` and `validateAppArmorAnnotationsAndFieldsMatchOnCreate`."""
    context = spec.get("securityContext", {})
    if _SECCOMP in annotations:
        field = at.child("securityContext", "seccompProfile")
        yield from _agrees("seccomp", annotations[_SECCOMP], context.get("seccompProfile"), field)
    for name in ("initContainers", "containers"):
        for position, container in enumerate(spec.get(name, ())):
            own = container.get("securityContext", {})
            field = at.child(name).item(position).child("securityContext")
            key = f"{_SECCOMP_CONTAINER}{container.get('name', '')}"
            if key in annotations:
                yield from _agrees("seccomp", annotations[key], own.get("seccompProfile"), field.child("seccompProfile"))
            key = f"{_APP_ARMOR}{container.get('name', '')}"
            if key in annotations and spec.get("os", {}).get("name") != "windows":
                profile = own.get("appArmorProfile", context.get("appArmorProfile"))
                yield from _agrees("apparmor", annotations[key], profile, field.child("appArmorProfile"))


def _agrees(what: str, annotation: str, profile: dict[str, Any] | None, at: Place) -> Iterator[Fault]:
    kind = (profile or {}).get("type")
    if kind == "Localhost" and profile is not None and annotation.startswith("localhost/"):
        if annotation.removeprefix("localhost/") != profile.get("localhostProfile"):
            yield at.child("localhostProfile").forbidden(f"{what} profile in annotation and field must match")
    elif kind in _PROFILE_TYPES and annotation not in _PROFILE_TYPES[kind][what]:
        yield at.child("type").forbidden(f"{what} type in annotation and field must match")
