"""Security contexts of pods and containers -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateSecurityContext, validatePodSpecSecurityContext, validateHostUsers,
validateLinux, validateWindows). Privileged containers are taken to be allowed.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.paths import descending
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.typing import Any

_HIGHEST_ID = 2**31 - 1
_PROC_MOUNTS = ("Default", "Unmasked")
_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_FS_GROUP_POLICIES = ("Always", "OnRootMismatch")
_GROUP_POLICIES = ("Merge", "Strict")
_SELINUX_POLICIES = ("Recursive",)  # the other is behind a gate that is off
_LONGEST_PROFILE = 4095
_SYSCTL = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL_WORDS = rf"must have at most 253 characters and match regex ^({_SYSCTL}[\./])*{_SYSCTL}$"
_IPC_SYSCTLS = ("kernel.sem", "kernel.shm", "kernel.msg", "fs.mqueue.")
_NOT_ON_WINDOWS = "cannot be set for a windows pod"
_POD_LINUX_ONLY = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
)
_CONTEXT = (
    "capabilities",
    "privileged",
    "SELinuxOptions",
    "windowsOptions",
    "runAsUser",
    "runAsGroup",
    "runAsNonRoot",
    "readOnlyRootFilesystem",
    "allowPrivilegeEscalation",
    "procMount",
    "seccompProfile",
    "appArmorProfile",
)
"""The fields of a container's context, in the order of the Go type."""
_CONTAINER_LINUX_ONLY = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)


def container(context: dict[str, Any] | None, at: Place, *, host_users: bool) -> Iterator[Fault]:
    """`ValidateSecurityContext`."""
    if context is None:
        return
    yield from _ids(context, ("runAsUser", "runAsGroup"), at)
    proc_mount = context.get("procMount")
    if proc_mount is not None and proc_mount not in _PROC_MOUNTS:
        yield at.child("procMount").not_supported(proc_mount, _PROC_MOUNTS)
    if proc_mount == "Unmasked" and host_users:
        yield at.child("procMount").invalid(proc_mount, "`hostUsers` must be false to use `Unmasked`")
    yield from _seccomp(context.get("seccompProfile"), at.child("seccompProfile"))
    if context.get("allowPrivilegeEscalation") is False:
        if context.get("privileged"):
            yield at.invalid(_as_struct(context), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
        if "CAP_SYS_ADMIN" in context.get("capabilities", {}).get("add", ()):
            message = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            yield at.invalid(_as_struct(context), message)
    yield from _app_armor(context.get("appArmorProfile"), at.child("appArmorProfile"))
    yield from _windows_options(context, at)


def _as_struct(context: dict[str, Any]) -> GoStruct:
    """The context as the server shows it."""
    shown = GoStruct({name[0].upper() + name[1:]: context.get(name) for name in _CONTEXT})
    if "capabilities" in context:
        shown["Capabilities"] = GoStruct(Add=context["capabilities"].get("add"), Drop=context["capabilities"].get("drop"))
    return shown


def _windows_options(context: dict[str, Any], at: Place) -> Iterator[Fault]:
    if "windowsOptions" in context:
        from tjgen.cluster.validate.builtin import windows  # pods for Windows are rare here

        yield from windows.options(context["windowsOptions"], at.child("windowsOptions"))


def pod(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validatePodSpecSecurityContext` and `validateHostUsers`, with the pod spec's place."""
    context, field = spec.get("securityContext", {}), at.child("securityContext")
    yield from _ids(context, ("fsGroup", "runAsUser", "runAsGroup"), field)
    for position, group in enumerate(context.get("supplementalGroups", ())):
        yield from _id(group, field.child("supplementalGroups").item(position))
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        shared = Place(f"{field.field}.shareProcessNamespace", (*at.path, "shareProcessNamespace"))
        yield shared.invalid(True, "ShareProcessNamespace and HostPID cannot both be enabled")
    yield from _sysctls(spec, context.get("sysctls", ()), field.child("sysctls"))
    for name, known in (
        ("fsGroupChangePolicy", _FS_GROUP_POLICIES),
        ("supplementalGroupsPolicy", _GROUP_POLICIES),
        ("seLinuxChangePolicy", _SELINUX_POLICIES),
    ):
        if name in context and context[name] not in known:
            yield field.child(name).not_supported(context[name], known)
    yield from _seccomp(context.get("seccompProfile"), field.child("seccompProfile"))
    yield from _app_armor(context.get("appArmorProfile"), field.child("appArmorProfile"))
    yield from _windows_options(context, field)
    yield from _host_process(spec, at)
    if spec.get("hostUsers") is False:
        yield from _own_users(spec, at)


def _host_process(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    each = [(place.child("securityContext"), one.get("securityContext", {})) for place, one in _all_containers(spec, at)]
    if any("windowsOptions" in context for context in (spec.get("securityContext", {}), *[context for _, context in each])):
        from tjgen.cluster.validate.builtin import windows  # pods for Windows are rare here

        yield from windows.host_process(spec, each, at)


def _ids(context: dict[str, Any], names: tuple[str, ...], at: Place) -> Iterator[Fault]:
    for name in names:
        if name in context:
            yield from _id(context[name], at.child(name))


def _id(value: int, at: Place) -> Iterator[Fault]:
    if not 0 <= value <= _HIGHEST_ID:
        yield at.invalid(value, f"must be between 0 and {_HIGHEST_ID}, inclusive")


def _own_users(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    for name, spelling in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(name):
            yield Place(f"{at.field}.{spelling}", (*at.path, name)).forbidden("when `hostUsers` is false")
    for place, each in _all_containers(spec, at):
        if each.get("volumeDevices"):
            yield place.child("volumeDevices").forbidden("when `hostUsers` is false")


def _all_containers(spec: dict[str, Any], at: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    for name in ("initContainers", "containers", "ephemeralContainers"):
        for position, each in enumerate(spec.get(name, ())):
            yield at.child(name).item(position), each


def _sysctls(spec: dict[str, Any], given: Any, at: Place) -> Iterator[Fault]:
    names: set[str] = set()
    for position, sysctl in enumerate(given):
        name, field = sysctl.get("name", ""), at.item(position).child("name")
        if not name:
            yield field.required()
        elif not _is_sysctl(name):
            yield field.invalid(name, _SYSCTL_WORDS)
        elif name in names:
            yield field.duplicate(name)
        names.add(name)
        dotted = name.replace("/", ".") if "/" in name and "." not in name.split("/")[0] else name
        if spec.get("hostNetwork") and dotted.startswith("net."):
            yield field.invalid(name, "may not be specified when 'hostNetwork' is true")
        elif spec.get("hostIPC") and dotted.startswith(_IPC_SYSCTLS):
            yield field.invalid(name, "may not be specified when 'hostIPC' is true")


def _is_sysctl(name: str) -> bool:
    from re import fullmatch  # sysctls are rare

    return len(name) <= 253 and fullmatch(rf"({_SYSCTL}[./])*{_SYSCTL}", name) is not None


def _seccomp(profile: dict[str, Any] | None, at: Place) -> Iterator[Fault]:
    """`validateSeccompProfileField`."""
    if profile is None:
        return
    kind, local = profile.get("type", ""), profile.get("localhostProfile")
    if not kind:
        yield at.child("type").required("type is required when seccompProfile is set")
    elif kind not in _PROFILES:
        yield at.child("type").not_supported(kind, _PROFILES)
    if kind != "Localhost":
        if local is not None:
            shown = GoStruct(Type=kind, LocalhostProfile=local)
            yield at.child("localhostProfile").invalid(shown, "can only be set when seccomp type is Localhost")
    elif local is None:
        yield at.child("localhostProfile").required("must be set when seccomp type is Localhost")
    else:
        yield from descending(local, at.child("localhostProfile"))


def _app_armor(profile: dict[str, Any] | None, at: Place) -> Iterator[Fault]:
    """`ValidateAppArmorProfileField`."""
    if profile is None:
        return
    kind, local, field = profile.get("type", ""), profile.get("localhostProfile"), at.child("localhostProfile")
    if not kind:
        yield at.child("type").required("type is required when appArmorProfile is set")
    elif kind not in _PROFILES:
        yield at.child("type").not_supported(kind, _PROFILES)
    elif kind != "Localhost":
        if local is not None:
            yield field.invalid(local, "can only be set when AppArmor type is Localhost")
    elif local is not None and local != local.strip():
        yield field.invalid(local, "must not be padded with whitespace")
    elif not local:
        yield field.required("must be set when AppArmor type is Localhost")
    if kind == "Localhost" and local and len(local.encode()) > _LONGEST_PROFILE:
        yield field.too_long(_LONGEST_PROFILE)


def operating_system(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateOS`, then what the named system does not have."""
    system = spec.get("os")
    if system is None:
        return
    name = system.get("name", "")
    if not name:
        yield at.child("os", "name").required()
    elif name not in ("linux", "windows"):
        yield at.child("os").not_supported(name, ("linux", "windows"))
    elif name == "linux":
        for place, context in _contexts(spec, at):
            if "windowsOptions" in context:
                yield place.child("windowsOptions").forbidden("windows options cannot be set for a linux pod")
    else:
        yield from _windows(spec, at)


def _windows(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    for name in ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"):
        if name in spec and (spec[name] or name in ("hostUsers", "shareProcessNamespace")):
            yield at.child(name).forbidden(_NOT_ON_WINDOWS)
    for place, context in _contexts(spec, at):
        is_pod = len(place.path) == len(at.path) + 1
        for name in _POD_LINUX_ONLY if is_pod else _CONTAINER_LINUX_ONLY:
            # Upstream checks whether sysctls have elements, and whether other fields are set.
            if name in context and not (name == "sysctls" and context[name] == []):
                yield place.child(name).forbidden(_NOT_ON_WINDOWS)


def _contexts(spec: dict[str, Any], at: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    if "securityContext" in spec:
        yield at.child("securityContext"), spec["securityContext"]
    for place, each in _all_containers(spec, at):
        if "securityContext" in each:
            yield place.child("securityContext"), each["securityContext"]


def file_references(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """Variables that are read from files need a volume that containers can write (`validateFileKeyRefVolumes`)."""
    volumes = {volume.get("name", ""): volume for volume in spec.get("volumes", ())}
    for place, each in _all_containers(spec, at):
        for position, variable in enumerate(each.get("env", ())):
            reference = variable.get("valueFrom", {}).get("fileKeyRef")
            if reference is None:
                continue
            name = reference.get("volumeName", "")
            field = place.child("env").item(position).child("valueFrom", "fileKeyRef", "volumeName")
            if name not in volumes:
                yield field.not_found(name)
            elif "emptyDir" not in volumes[name] and set(volumes[name]) != {"name"}:
                yield field.invalid(name, "referenced volume must be of type emptyDir")


def names_of(spec: dict[str, Any]) -> list[str]:
    """The names of all containers."""
    return [each.get("name", "") for _, each in _all_containers(spec, Place())]
