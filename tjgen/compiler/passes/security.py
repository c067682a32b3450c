"""Finished pods -> the fields that the namespace would reject, if the Platform sets its Pod Security level.

Mirrors the checks of k8s.io/pod-security-admission, release 1.36, for pods of Linux: `baseline`, and over it `restricted`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.workload import PodSet, Workload

RESTRICTED = "restricted"
_BASELINE_CAPABILITIES = frozenset(
    (
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"),
        *("SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    )
)
_RESTRICTED_VOLUMES = frozenset(
    (
        *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected"),
        *("secret", "podCertificate"),
    )
)
_SECURED = (
    "set pod.containerSecurityContext to {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}, "
    "runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}"
)
_OTHER_SOURCE = "use a claim, a csi volume or an image, or a namespace that allows it"
_WITHOUT = "remove it, or use a namespace that allows it"

Violations = Iterator[tuple[FieldPath, str]]


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """Nothing but diagnostics (TJ327), one for each pod and what is wrong with it."""
    level = setting.cluster.security_of(setting.namespace)
    for podset in workload.podsets:
        pod = get(workload.tree.value, podset.pod, None) or {}
        for path, what in refused(pod, level):
            yield _refused(workload, podset, path, what, setting, str(level))


def refused(pod: Tree, level: str | None) -> Violations:
    """Yield the violations of a level of Pod Security in a pod: path and value."""
    if level not in (None, "privileged"):
        yield from _baseline(pod)
    if level == RESTRICTED:
        yield from _restricted(pod)


def _baseline(pod: Tree) -> Violations:
    for volume in pod.get("volumes") or ():
        if "hostPath" in volume:
            yield ("volumes", named(volume["name"])), f"hostPath volume {volume['name']}"
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(field):
            yield (field,), f"{field}: true"
    for path, container in _containers(pod):
        context = container.get("securityContext") or {}
        if context.get("privileged"):
            yield (*path, "securityContext", "privileged"), "privileged: true"
        added = sorted(set(get(context, ("capabilities", "add"), None) or ()) - _BASELINE_CAPABILITIES)
        if added:
            yield (*path, "securityContext", "capabilities", "add"), f"capability {', '.join(added)}"
        if any(port.get("hostPort") for port in container.get("ports") or ()):
            yield (*path, "ports"), "hostPort"
    for path, context in _contexts(pod):
        for field, name in (("seccompProfile", "seccomp"), ("appArmorProfile", "AppArmor")):
            if get(context, (field, "type"), None) == "Unconfined":
                yield (*path, field), f"{name} profile Unconfined"


def _restricted(pod: Tree) -> Violations:
    for volume in pod.get("volumes") or ():
        kinds = [kind for kind in volume if kind != "name" and kind not in _RESTRICTED_VOLUMES and kind != "hostPath"]
        for kind in kinds:
            yield ("volumes", named(volume["name"])), f"{kind} volume {volume['name']}"
    whole = pod.get("securityContext") or {}
    for path, container in _containers(pod):
        context = container.get("securityContext") or {}
        lacks = [
            (context.get("allowPrivilegeEscalation") is not False, "allowPrivilegeEscalation: false"),
            ("ALL" not in (get(context, ("capabilities", "drop"), None) or ()), "capabilities.drop: [ALL]"),
            (context.get("runAsNonRoot", whole.get("runAsNonRoot")) is not True, "runAsNonRoot: true"),
            (
                get(context, ("seccompProfile", "type"), get(whole, ("seccompProfile", "type"), None))
                not in ("RuntimeDefault", "Localhost"),
                "seccompProfile.type: RuntimeDefault",
            ),
        ]
        missing = [field for lacking, field in lacks if lacking]
        if missing:
            yield path, f"container {container.get('name')} without {', '.join(missing)}"
        added = sorted((set(get(context, ("capabilities", "add"), None) or ()) & _BASELINE_CAPABILITIES) - {"NET_BIND_SERVICE"})
        if added:
            yield (*path, "securityContext", "capabilities", "add"), f"capability {', '.join(added)}"
    for path, context in _contexts(pod):
        if context.get("runAsUser") == 0:
            yield (*path, "runAsUser"), "runAsUser: 0"


def _containers(pod: Tree) -> Iterator[tuple[FieldPath, Tree]]:
    for kind in ("initContainers", "containers"):
        for container in pod.get(kind) or ():
            yield (kind, named(container.get("name", ""))), container


def _contexts(pod: Tree) -> Iterator[tuple[FieldPath, Tree]]:
    """Security settings of the pod, and of each of its containers."""
    yield ("securityContext",), pod.get("securityContext") or {}
    for path, container in _containers(pod):
        yield (*path, "securityContext"), container.get("securityContext") or {}


def _refused(workload: Workload, podset: PodSet, path: FieldPath, what: str, setting: Setting, level: str) -> Diagnostic:
    origins = [one for one in workload.tree.origins((*podset.pod, *path)) if one.source == EXPERIMENT]
    message = f"namespace {setting.namespace} enforces Pod Security {level}, which refuses {podset.name}: {what}"
    is_whole = path[0] in ("containers", "initContainers") and len(path) == len(("containers", "its name"))
    hint = _SECURED if is_whole else _OTHER_SOURCE if path[0] == "volumes" else _WITHOUT
    because = origins[-1].because if origins and not is_whole else (*SPEC, "runtime")
    return Diagnostic("TJ327", message, path=because, hint=hint)
