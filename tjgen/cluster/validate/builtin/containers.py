"""The containers of a pod -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (validateContainers, validateInitContainers, validateContainerCommon).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin import handlers, security
from tjgen.cluster.validate.builtin.environment import environment, environment_sources
from tjgen.cluster.validate.builtin.mounts import devices, mounts
from tjgen.cluster.validate.builtin.resources import container_resource_name, requirements
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any, NamedTuple

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_RESTART_ACTIONS = ("Restart", "RestartAllContainers")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_OPERATORS = ("In", "NotIn")
_RESIZED = ("cpu", "memory")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_NOT_EPHEMERAL = (*handlers.PROBES, "lifecycle", "ports", "resizePolicy", "resources", "restartPolicy", "restartPolicyRules")
_ONLY_SIDECARS = "may not be set for init containers without restartPolicy=Always"


class PodContext(NamedTuple):
    """What a container has to know of its pod."""

    volumes: dict[str, Any]
    claims: set[str]
    grace: int
    restart_policy: str
    host_users: bool


def containers(spec: dict[str, Any], pod: PodContext, at: Place) -> Iterator[Fault]:
    """`validateContainers` and `validateInitContainers`, with the pod spec's place."""
    given = spec.get("containers", [])
    if not given:
        yield at.child("containers").required()
    names: set[str] = set()
    for position, container in enumerate(given):
        element = at.child("containers").item(position)
        yield from _container(container, pod, element)
        yield from _unique(container, names, element)
        yield from handlers.lifecycle(container.get("lifecycle", {}), pod.grace, element.child("lifecycle"))
        yield from handlers.probes(container, pod.grace, element)
        yield from _restart_policy(container, element)
    yield from _host_ports(given, at.child("containers"))
    names = {container.get("name", "") for container in given}
    for position, container in enumerate(spec.get("initContainers", ())):
        element = at.child("initContainers").item(position)
        yield from _container(container, pod, element)
        yield from _init_restart_policy(container, element)
        yield from _unique(container, names, element)
        yield from _host_ports([container], at.child("initContainers"))
        yield from _init_handlers(container, pod, element)


def ephemeral_containers(spec: dict[str, Any], pod: PodContext, at: Place) -> Iterator[Fault]:
    """`validateEphemeralContainers`: looked at although no new pod may have them."""
    others = {container.get("name", "") for name in ("containers", "initContainers") for container in spec.get(name, ())}
    names = set(others)
    for position, container in enumerate(spec.get("ephemeralContainers", ())):
        element = at.child("ephemeralContainers").item(position)
        yield from _container(container, pod, element)
        image = container.get("image", "")
        if image != image.strip():
            yield element.child("image").invalid(image, "must not have leading or trailing whitespace")
        yield from _unique(container, names, element)
        target = container.get("targetContainerName", "")
        if target and target not in others:
            yield element.child("targetContainerName").not_found(target)
        for name, value in container.items():
            if name in _NOT_EPHEMERAL and not _is_dropped(name, value):
                yield element.child(name).forbidden("cannot be set for an Ephemeral Container")
        for number, mount in enumerate(container.get("volumeMounts", ())):
            for name in ("subPath", "subPathExpr"):
                if mount.get(name):
                    place = element.child("volumeMounts").item(number).child(name)
                    yield place.forbidden("cannot be set for an Ephemeral Container")


def _is_dropped(name: str, value: Any) -> bool:
    """What is as good as nothing: no resources, and hooks with nothing but a stop signal, which is behind a gate that is off."""
    return (name == "resources" and not value) or (name == "lifecycle" and set(value) == {"stopSignal"})


def _unique(container: dict[str, Any], names: set[str], at: Place) -> Iterator[Fault]:
    name = container.get("name", "")
    if name in names:
        yield at.child("name").duplicate(name)
    names.add(name)


def _container(container: dict[str, Any], pod: PodContext, at: Place) -> Iterator[Fault]:
    """`validateContainerCommon`."""
    name = container.get("name", "")
    if not name:
        yield at.child("name").required()
    for message in syntax.dns1123_label(name) if name else ():
        yield at.child("name").invalid(name, message)
    if not container.get("image"):
        yield at.child("image").required()
    policy = container.get("terminationMessagePolicy") or "File"
    if policy not in _MESSAGE_POLICIES:
        yield at.child("terminationMessagePolicy").not_supported(policy, _MESSAGE_POLICIES)
    yield from _ports(container.get("ports", ()), at.child("ports"))
    yield from environment(container.get("env", ()), at.child("env"))
    yield from environment_sources(container.get("envFrom", ()), at.child("envFrom"))
    yield from mounts(container, pod.volumes, at.child("volumeMounts"))
    yield from devices(container, pod.volumes, at.child("volumeDevices"))
    policy = container.get("imagePullPolicy") or "Always"
    if policy not in _PULL_POLICIES:
        yield at.child("imagePullPolicy").not_supported(policy, _PULL_POLICIES)
    yield from requirements(container.get("resources", {}), container_resource_name, pod.claims, at.child("resources"))
    yield from _resize_policies(container.get("resizePolicy", ()), pod, at.child("resizePolicy"))
    yield from security.container(container.get("securityContext"), at.child("securityContext"), host_users=pod.host_users)


def _ports(ports: Any, at: Place) -> Iterator[Fault]:
    names: set[str] = set()
    for position, given in enumerate(ports):
        element, name = at.item(position), given.get("name", "")
        messages = syntax.port_name(name) if name else []
        for message in messages:
            yield element.child("name").invalid(name, message)
        if name and not messages:
            if name in names:
                yield element.child("name").duplicate(name)
            names.add(name)
        if not given.get("containerPort"):
            yield element.child("containerPort").required()
        for field in ("containerPort", "hostPort"):
            for message in syntax.port_number(given[field]) if given.get(field) else ():
                yield element.child(field).invalid(given[field], message)
        protocol = given.get("protocol") or "TCP"
        if protocol not in _PROTOCOLS:
            yield element.child("protocol").not_supported(protocol, _PROTOCOLS)


def _host_ports(given: list[Any], at: Place) -> Iterator[Fault]:
    """`checkHostPortConflicts`."""
    taken: set[str] = set()
    for position, container in enumerate(given):
        for number, port in enumerate(container.get("ports", ())):
            if not port.get("hostPort"):
                continue
            key = f"{port.get('protocol') or 'TCP'}/{port.get('hostIP', '')}/{port['hostPort']}"
            if key in taken:
                yield at.item(position).child("ports").item(number).child("hostPort").duplicate(key)
            taken.add(key)


def _resize_policies(policies: Any, pod: PodContext, at: Place) -> Iterator[Fault]:
    seen: set[str] = set()
    for position, policy in enumerate(policies):
        resource, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        element = at.seen_at(position)
        if resource in seen:
            yield at.item(position).duplicate(resource)
        seen.add(resource)
        for value, known in ((resource, _RESIZED), (restart, _RESIZE_POLICIES)):
            if not value:
                yield element.required()
            elif value not in known:
                yield element.not_supported(value, known)
        if pod.restart_policy == "Never" and restart != "NotRequired":
            yield element.invalid(restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")


def _init_restart_policy(container: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateInitContainerRestartPolicy`: without a policy the rules are not validated."""
    for fault in _restart_policy(container, at):
        yield fault
        if "restartPolicy" not in container:
            return


def _restart_policy(container: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateContainerRestartPolicy`."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules", [])
    if policy is None and rules:
        yield at.child("restartPolicy").required("must specify restartPolicy when restart rules are used")
    elif policy is not None and policy not in _RESTART_POLICIES:
        yield at.child("restartPolicy").not_supported(policy, _RESTART_POLICIES)
    if len(rules) > 20:
        yield at.child("restartPolicyRules").too_many(len(rules), 20)
    for position, rule in enumerate(rules):
        element = at.child("restartPolicyRules").item(position)
        if rule.get("action", "") not in _RESTART_ACTIONS:
            yield element.child("action").not_supported(rule.get("action", ""), _RESTART_ACTIONS)
        codes = rule.get("exitCodes")
        if codes is None:
            yield element.child("exitCodes").required("must be specified")
            continue
        if codes.get("operator", "") not in _OPERATORS:
            yield element.child("exitCodes", "operator").not_supported(codes.get("operator", ""), _OPERATORS)
        if len(codes.get("values", ())) > 255:
            yield element.child("exitCodes", "values").too_many(len(codes["values"]), 255)


def _init_handlers(container: dict[str, Any], pod: PodContext, at: Place) -> Iterator[Fault]:
    if container.get("restartPolicy") == "Always":
        yield from handlers.lifecycle(container.get("lifecycle", {}), pod.grace, at.child("lifecycle"))
        yield from handlers.probes(container, pod.grace, at)
        return
    for name in ("lifecycle", *handlers.PROBES):
        if name in container and not _is_dropped(name, container[name]):
            yield at.child(name).forbidden(_ONLY_SIDECARS)
    for position, policy in enumerate(container.get("resizePolicy", ())):
        if policy.get("restartPolicy") == "RestartContainer":
            field = at.child("resizePolicy").item(position).child("restartPolicy")
            yield field.invalid("RestartContainer", "must not be set to 'RestartContainer' for non-sidecar initContainers")
