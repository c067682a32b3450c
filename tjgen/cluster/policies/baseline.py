"""The checks of Pod Security at level `baseline`, one function for each, called by the name of its identifier.

Mirrors k8s.io/pod-security-admission 0.36 `policy/check_*.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.policies.pod_view import CONTEXT, LATEST, PodView, Violation, Violations, named_list, plural, quoted, setters
from tjgen.trees.fields.path import FieldPath, Tree, get

_CAPABILITIES = frozenset(
    (
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"),
        *("SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    )
)
_SELINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t")
_SYSCTLS = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_wmem": 32,
}
"""Name -> the minor release that allows it."""
_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"


def app_armor(pod: PodView) -> Iterator[Violation]:
    violations = Violations()
    own = get(pod.context, ("appArmorProfile", "type"), None)
    is_pod = own is not None and own not in ("RuntimeDefault", "Localhost")
    if is_pod:
        violations.add((*CONTEXT, "appArmorProfile", "type"), None, own)
    for path, container, context in pod.containers():
        kind = get(context, ("appArmorProfile", "type"), None)
        if kind is not None and kind not in ("RuntimeDefault", "Localhost"):
            violations.add((*path, "securityContext", "appArmorProfile", "type"), container.get("name", ""), kind)
    annotations = []
    for key, value in sorted((pod.metadata.get("annotations") or {}).items()):
        if key.startswith(_APPARMOR) and value and value != "runtime/default" and not value.startswith("localhost/"):
            annotations.append(f'{key}="{value}"')
            violations.path = violations.path or ("metadata", "annotations", key)
    values = [*violations.sorted, *annotations]
    if violations.path:
        sources = [
            one for one in (setters(is_pod, violations.names), plural("annotation", annotations) if annotations else "") if one
        ]
        detail = f"{' and '.join(sources)} must not set AppArmor profile type to {quoted(values)}"
        yield Violation(violations.path, plural("forbidden AppArmor profile", values), detail)


def capabilities_baseline(pod: PodView) -> Iterator[Violation]:
    violations = Violations()
    for path, container, context in pod.containers():
        added = [one for one in get(context, ("capabilities", "add"), None) or () if one not in _CAPABILITIES]
        if added:
            violations.add((*path, "securityContext", "capabilities", "add"), container.get("name", ""), *added)
    if violations.names:
        detail = (
            f"{named_list(violations.names)} must not include {quoted(violations.sorted)} in securityContext.capabilities.add"
        )
        yield Violation(violations.path, "non-default capabilities", detail)


def host_namespaces(pod: PodView) -> Iterator[Violation]:
    fields = [field for field in ("hostNetwork", "hostPID", "hostIPC") if pod.spec.get(field)]
    if fields:
        yield Violation(("spec", fields[0]), "host namespaces", ", ".join(f"{field}=true" for field in fields))


def host_path_volumes(pod: PodView) -> Iterator[Violation]:
    violations = Violations()
    for position, volume in enumerate(pod.spec.get("volumes") or ()):
        if volume.get("hostPath") is not None:
            violations.add(("spec", "volumes", position, "hostPath"), volume.get("name", ""))
    if violations.names:
        yield Violation(violations.path, "hostPath volumes", named_list(violations.names, "volume"))


def host_ports(pod: PodView) -> Iterator[Violation]:
    violations = Violations()
    for path, container, _ in pod.containers():
        ports = [
            (position, port["hostPort"]) for position, port in enumerate(container.get("ports") or ()) if port.get("hostPort")
        ]
        if ports:
            violations.add(
                (*path, "ports", ports[0][0], "hostPort"), container.get("name", ""), *(str(port) for _, port in ports)
            )
    if violations.names:
        uses = "uses" if len(violations.names) == 1 else "use"
        ports_used = f"{plural('hostPort', violations.sorted)} {', '.join(violations.sorted)}"
        yield Violation(violations.path, "hostPort", f"{named_list(violations.names)} {uses} {ports_used}")


def host_probes(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 34:
        return
    violations = Violations()
    for path, container, _ in pod.containers():
        handlers: list[FieldPath] = [("livenessProbe",), ("readinessProbe",), ("startupProbe",)]
        handlers += [("lifecycle", "postStart"), ("lifecycle", "preStop")]
        for handler in handlers:
            for action in ("httpGet", "tcpSocket"):
                host = get(container, (*handler, action, "host"), None)
                if host:
                    violations.add((*path, *handler, action, "host"), container.get("name", ""), host)
    names = sorted(set(violations.names))
    if names:
        uses = "uses" if len(names) == 1 else "use"
        hosts = f"{plural('probe or lifecycle host', violations.sorted)} {quoted(violations.sorted)}"
        yield Violation(violations.path, "probe or lifecycle host", f"{named_list(names)} {uses} {hosts}")


def privileged(pod: PodView) -> Iterator[Violation]:
    violations = Violations()
    for path, container, context in pod.containers():
        if context.get("privileged"):
            violations.add((*path, "securityContext", "privileged"), container.get("name", ""))
    if violations.names:
        yield Violation(
            violations.path, "privileged", f"{named_list(violations.names)} must not set securityContext.privileged=true"
        )


def proc_mount_baseline(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 35 or not pod.is_in_user_namespace:
        yield from proc_mount(pod)


def proc_mount(pod: PodView) -> Iterator[Violation]:
    violations = Violations()
    for path, container, context in pod.containers():
        kind = context.get("procMount")
        if kind is not None and kind != "Default":
            violations.add((*path, "securityContext", "procMount"), container.get("name", ""), kind)
    if violations.names:
        detail = f"{named_list(violations.names)} must not set securityContext.procMount to {quoted(violations.sorted)}"
        yield Violation(violations.path, "procMount", detail)


def seccomp_annotations(pod: PodView) -> Iterator[Violation]:
    annotations = pod.metadata.get("annotations") or {}
    keys = [_SECCOMP_POD, *(f"{_SECCOMP_CONTAINER}{container.get('name', '')}" for _, container, _ in pod.containers())]
    bad = [key for key in keys if key in annotations and not is_seccomp_annotation(annotations[key])]
    if bad:
        texts = sorted({f'{key}="{annotations[key]}"' for key in bad})
        detail = f"forbidden {plural('annotation', texts)} {', '.join(texts)}"
        yield Violation(("metadata", "annotations", bad[0]), "seccompProfile", detail)


def is_seccomp_annotation(value: str) -> bool:
    return value in ("runtime/default", "docker/default") or value.startswith("localhost/")


def seccomp_profiles(pod: PodView) -> tuple[Violations, bool]:
    """The profiles that are refused, and whether the pod sets one of them."""
    violations = Violations()
    own = get(pod.context, ("seccompProfile", "type"), None)
    is_pod = own is not None and own not in ("Localhost", "RuntimeDefault")
    if is_pod:
        violations.add((*CONTEXT, "seccompProfile", "type"), None, own)
    for path, container, context in pod.containers():
        kind = get(context, ("seccompProfile", "type"), None)
        if kind is not None and kind not in ("Localhost", "RuntimeDefault"):
            violations.add((*path, "securityContext", "seccompProfile", "type"), container.get("name", ""), kind)
    return violations, is_pod


def seccomp_baseline(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 19:
        yield from seccomp_annotations(pod)
        return
    violations, is_pod = seccomp_profiles(pod)
    if violations.path:
        detail = (
            f"{setters(is_pod, violations.names)} must not set securityContext.seccompProfile.type to {quoted(violations.sorted)}"
        )
        yield Violation(violations.path, "seccompProfile", detail)


def selinux(pod: PodView) -> Iterator[Violation]:
    allowed = (*_SELINUX_TYPES, *(("container_engine_t",) if pod.minor >= 31 else ()))
    violations, sets = Violations(), set()

    def refused(options: Tree, path: FieldPath, name: str | None) -> bool:
        options = options or {}
        kind = options.get("type") or ""
        bad = [field for field in ("user", "role") if options.get(field)]
        sets.update(bad)
        if kind not in allowed:
            violations.values.add(kind)
            bad.insert(0, "type")
        if bad:
            violations.add((*path, "seLinuxOptions", bad[0]), name)
        return bool(bad)

    is_pod = refused(pod.context.get("seLinuxOptions"), CONTEXT, None)
    for path, container, context in pod.containers():
        refused(context.get("seLinuxOptions"), (*path, "securityContext"), container.get("name", ""))
    if violations.path:
        words = [named_list(violations.sorted, "type")] if violations.values else []
        words += [f"{field} may not be set" for field in ("user", "role") if field in sets]
        detail = f"{setters(is_pod, violations.names)} set forbidden securityContext.seLinuxOptions: {'; '.join(words)}"
        yield Violation(violations.path, "seLinuxOptions", detail)


def sysctls(pod: PodView) -> Iterator[Violation]:
    given = [(position, one.get("name", "")) for position, one in enumerate(pod.context.get("sysctls") or ())]
    bad = [(position, name) for position, name in given if _SYSCTLS.get(name, LATEST + 1) > pod.minor]
    if bad:
        path = (*CONTEXT, "sysctls", bad[0][0], "name")
        yield Violation(path, "forbidden sysctls", ", ".join(name for _, name in bad))


def host_process(pod: PodView) -> Iterator[Violation]:
    violations = Violations()
    field: FieldPath = ("windowsOptions", "hostProcess")
    is_pod = bool(get(pod.context, field, None))
    if is_pod:
        violations.add((*CONTEXT, *field), None)
    for path, container, context in pod.containers():
        if get(context, field, None):
            violations.add((*path, "securityContext", *field), container.get("name", ""))
    if violations.path:
        detail = f"{setters(is_pod, violations.names)} must not set securityContext.windowsOptions.hostProcess=true"
        yield Violation(violations.path, "hostProcess", detail)
