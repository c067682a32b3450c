"""The containers of a pod -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (validateContainers, validateInitContainers, validateContainerCommon).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin import security
from tjgen.cluster.validate.builtin.paths import descending, no_steps_back
from tjgen.cluster.validate.builtin.references import field_reference, resource_reference
from tjgen.cluster.validate.builtin.resources import NOT_NEGATIVE, container_resource_name, requirements
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
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_NOT_EPHEMERAL = (*_PROBES, "lifecycle", "ports", "resizePolicy", "resources", "restartPolicy", "restartPolicyRules")
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
        yield from _lifecycle(container.get("lifecycle", {}), pod.grace, element.child("lifecycle"))
        yield from _probes(container, pod.grace, element)
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
    yield from _environment(container.get("env", ()), at.child("env"))
    yield from _environment_sources(container.get("envFrom", ()), at.child("envFrom"))
    yield from _mounts(container, pod.volumes, at.child("volumeMounts"))
    yield from _devices(container, pod.volumes, at.child("volumeDevices"))
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
        yield from _lifecycle(container.get("lifecycle", {}), pod.grace, at.child("lifecycle"))
        yield from _probes(container, pod.grace, at)
        return
    for name in ("lifecycle", *_PROBES):
        if name in container and not _is_dropped(name, container[name]):
            yield at.child(name).forbidden(_ONLY_SIDECARS)
    for position, policy in enumerate(container.get("resizePolicy", ())):
        if policy.get("restartPolicy") == "RestartContainer":
            field = at.child("resizePolicy").item(position).child("restartPolicy")
            yield field.invalid("RestartContainer", "must not be set to 'RestartContainer' for non-sidecar initContainers")


# Environment variables of a container -> what the API server has against them.
#
# Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateEnv, ValidateEnvFrom).

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_ONE_OF = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)


def _environment(variables: Any, at: Place) -> Iterator[Fault]:
    """`ValidateEnv`."""
    for position, variable in enumerate(variables):
        name = variable.get("name", "")
        if not name:
            yield at.item(position).child("name").required()
        else:
            for message in syntax.env_name(name):
                yield at.item(position).child("name").invalid(name, message)
        if "valueFrom" in variable:
            yield from _value_from(variable, at.item(position).child("valueFrom"))


def _value_from(variable: dict[str, Any], at: Place) -> Iterator[Fault]:
    source = variable["valueFrom"]
    given = [kind for kind in _SOURCES if kind in source]
    if "fieldRef" in source:
        yield from field_reference(source["fieldRef"], _FIELDS, at.child("fieldRef"))
    if "resourceFieldRef" in source:
        yield from resource_reference(source["resourceFieldRef"], at.child("resourceFieldRef"), in_volume=False)
    for kind in ("configMapKeyRef", "secretKeyRef"):
        if kind in source:
            yield from _key(source[kind], at.child(kind))
    if "fileKeyRef" in source:
        yield from _file(source["fileKeyRef"], at.child("fileKeyRef"))
    if not given:
        yield at.invalid("", _ONE_OF)
    elif variable.get("value"):
        yield at.invalid("", "may not be specified when `value` is not empty")
    elif len(given) > 1:
        yield at.invalid("", "may not have more than one field specified at a time")


def _key(reference: dict[str, Any], at: Place) -> Iterator[Fault]:
    for message in syntax.dns1123_subdomain(reference.get("name", "")):
        yield at.child("name").invalid(reference.get("name", ""), message)
    key = reference.get("key", "")
    if not key:
        yield at.child("key").required()
    for message in syntax.config_key(key) if key else ():
        yield at.child("key").invalid(key, message)


def _file(reference: dict[str, Any], at: Place) -> Iterator[Fault]:
    for name, check in (("key", syntax.env_name), ("volumeName", syntax.dns1123_label)):
        if not reference.get(name):
            yield at.child(name).required()
        for message in check(reference[name]) if reference.get(name) else ():
            yield at.child(name).invalid(reference[name], message)
    if not reference.get("path"):
        yield at.child("path").required()
    else:
        yield from no_steps_back(reference["path"], at.child("path"))


def _environment_sources(sources: Any, at: Place) -> Iterator[Fault]:
    """`ValidateEnvFrom`."""
    for position, source in enumerate(sources):
        element, prefix = at.item(position), source.get("prefix", "")
        for message in syntax.env_name(prefix) if prefix else ():
            yield element.child("prefix").invalid(prefix, message)
        given = [kind for kind in ("configMapRef", "secretRef") if kind in source]
        for kind in given:
            name = source[kind].get("name", "")
            if not name:
                yield element.child(kind, "name").required()
            # A name is checked here as the beginning of one: a dash may end it.
            for message in syntax.dns1123_subdomain(_masked(name)) if name else ():
                yield element.child(kind, "name").invalid(name, message)
        if not given:
            yield at.seen_at(position).invalid("", "must specify one of: `configMapRef` or `secretRef`")
        elif len(given) > 1:
            yield at.seen_at(position).invalid("", "may not have more than one field specified at a time")


def _masked(name: str) -> str:
    return name[:-2] + "a" if len(name) > 1 and name.endswith("-") else name


# Probes and lifecycle hooks of a container -> what the API server has against them.
#
# Mirrors kubernetes 1.36 `pkg/apis/core/validation` (validateHandler, validateProbe, validateLifecycle).

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_SCHEMES = ("HTTP", "HTTPS")
# What the server fills in where a count is missing or zero.
_COUNTS = {"initialDelaySeconds": 0, "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


def _probes(container: dict[str, Any], grace: int, at: Place) -> Iterator[Fault]:
    """The three probes of a container that may have them."""
    for name in _PROBES:
        if name in container:
            yield from _probe(container[name], name, grace, at.child(name))


def _probe(probe: dict[str, Any], name: str, grace: int, at: Place) -> Iterator[Fault]:
    yield from _handler({kind: probe[kind] for kind in _HANDLERS[:4] if kind in probe}, grace, at)
    for count, default in _COUNTS.items():
        if (probe.get(count) or default) < 0:
            yield at.child(count).invalid(probe[count], NOT_NEGATIVE)
    seconds = at.child("terminationGracePeriodSeconds")
    if probe.get("terminationGracePeriodSeconds", 1) <= 0:
        yield seconds.invalid(probe["terminationGracePeriodSeconds"], "must be greater than 0")
    if name == "readinessProbe":
        if "terminationGracePeriodSeconds" in probe:
            yield seconds.invalid(probe["terminationGracePeriodSeconds"], "must not be set for readinessProbes")
    elif (probe.get("successThreshold") or 1) != 1:
        yield at.child("successThreshold").invalid(probe["successThreshold"], "must be 1")


def _lifecycle(hooks: dict[str, Any], grace: int, at: Place) -> Iterator[Fault]:
    """`validateLifecycle`; the stop signal is behind a gate that is off."""
    for name in ("postStart", "preStop"):
        if name in hooks:
            yield from _handler(hooks[name], grace, at.child(name))


def _handler(handler: dict[str, Any], grace: int, at: Place) -> Iterator[Fault]:
    given = [kind for kind in _HANDLERS if kind in handler]
    if not given:
        yield at.required("must specify a handler type")
    for kind in given[1:]:
        yield at.child(kind).forbidden("may not specify more than 1 handler type")
    for kind in given[:1]:
        yield from _action(kind, handler[kind], grace, at.child(kind))


def _action(kind: str, action: dict[str, Any], grace: int, at: Place) -> Iterator[Fault]:
    if kind == "exec":
        if not action.get("command"):
            yield at.child("command").required()
    elif kind == "httpGet":
        yield from _http(action, at)
    elif kind in ("tcpSocket", "grpc"):
        yield from port(action.get("port", 0), at.child("port"))
    elif not 0 <= action.get("seconds", 0) <= grace:
        message = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        yield at.invalid(action.get("seconds", 0), message)


def _http(action: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from port(action.get("port", 0), at.child("port"))
    scheme = action.get("scheme") or "HTTP"
    if scheme not in _SCHEMES:
        yield at.child("scheme").not_supported(scheme, _SCHEMES)
    for position, header in enumerate(action.get("httpHeaders", ())):
        for message in syntax.http_header(header.get("name", "")):
            yield at.child("httpHeaders").seen_at(position).invalid(header.get("name", ""), message)


def port(value: int | str, at: Place) -> Iterator[Fault]:
    """`ValidatePortNumOrName`."""
    messages = syntax.port_name(value) if isinstance(value, str) else syntax.port_number(value)
    for message in messages:
        yield at.invalid(value, message)


# What a container mounts of its pod's volumes -> what the API server has against it.
#
# Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateVolumeMounts, ValidateVolumeDevices). Some errors are at the list
# without an index upstream.

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE = ("Disabled", "Enabled", "IfPossible")


def _mounts(container: dict[str, Any], volumes: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateVolumeMounts`, with the list's place."""
    device_paths = {device.get("name", ""): device.get("devicePath", "") for device in container.get("volumeDevices", ())}
    taken: set[str] = set()
    for position, mount in enumerate(container.get("volumeMounts", ())):
        element, name, path = at.item(position), mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            yield element.child("name").required()
        if name not in volumes:
            yield element.child("name").not_found(name)
        if not path:
            yield element.child("mountPath").required()
        if path in taken:
            yield element.child("mountPath").invalid(path, "must be unique")
        taken.add(path)
        if name in device_paths:
            yield element.child("name").invalid(name, "must not already exist in volumeDevices")
        if path in device_paths.values():
            yield element.child("mountPath").invalid(path, "must not already exist as a path in volumeDevices")
        yield from _sub_paths(mount, position, at)
        yield from _propagation(mount, container, Place(f"{at.field}.mountPropagation", (*element.path, "mountPropagation")))
        yield from _recursive(mount, Place(f"{at.field}.recursiveReadOnly", (*element.path, "recursiveReadOnly")))


def _sub_paths(mount: dict[str, Any], position: int, at: Place) -> Iterator[Fault]:
    path, expression = mount.get("subPath", ""), mount.get("subPathExpr", "")
    if path and expression:
        yield at.item(position).child("subPathExpr").invalid(expression, "subPathExpr and subPath are mutually exclusive")
    for name, value in (("subPath", path), ("subPathExpr", expression)):
        if value:
            yield from descending(value, Place(f"{at.field}.{name}", (*at.path, position, name)))


def _propagation(mount: dict[str, Any], container: dict[str, Any], at: Place) -> Iterator[Fault]:
    mode = mount.get("mountPropagation")
    if mode is None:
        return
    if mode not in _PROPAGATIONS:
        yield at.not_supported(mode, _PROPAGATIONS)
    if mode == "Bidirectional" and not container.get("securityContext", {}).get("privileged"):
        yield at.forbidden("Bidirectional mount propagation is available only to privileged containers")


def _recursive(mount: dict[str, Any], at: Place) -> Iterator[Fault]:
    mode = mount.get("recursiveReadOnly", "Disabled")
    if mode not in _RECURSIVE:
        yield at.not_supported(mode, _RECURSIVE)
    elif mode != "Disabled":
        if not mount.get("readOnly"):
            yield at.forbidden("may only be specified when readOnly is true")
        if mount.get("mountPropagation", "None") != "None":
            yield at.forbidden("may only be specified when mountPropagation is None or not specified")


def _devices(container: dict[str, Any], volumes: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateVolumeDevices`."""
    mounted = {mount.get("name", ""): mount.get("mountPath", "") for mount in container.get("volumeMounts", ())}
    names: set[str] = set()
    paths: set[str] = set()
    for position, device in enumerate(container.get("volumeDevices", ())):
        element, name, path = at.item(position), device.get("name", ""), device.get("devicePath", "")
        if not name:
            yield element.child("name").required()
        if name in names:
            yield element.child("name").invalid(name, "must be unique")
        if name not in volumes:
            yield element.child("name").not_found(name)
        elif not volumes[name].keys() & {"persistentVolumeClaim", "ephemeral"}:
            message = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            yield element.child("name").invalid(name, message)
        if not path:
            yield element.child("devicePath").required()
        if path in paths:
            yield element.child("devicePath").invalid(path, "must be unique")
        if ".." in path.split("/"):
            yield element.child("devicePath").invalid(path, "can not contain backsteps ('..')")
        else:
            paths.add(path)
        if name in mounted:
            yield element.child("name").invalid(name, "must not already exist in volumeMounts")
        if path in mounted.values():
            yield element.child("devicePath").invalid(path, "must not already exist as a path in volumeMounts")
        if name:
            names.add(name)
