"""The checks of Pod Security that level `restricted` adds, one function for each, called by the name of its identifier.

Mirrors k8s.io/pod-security-admission 0.36 `policy/check_*.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.policies.baseline import proc_mount, seccomp_baseline, seccomp_profiles
from tjgen.cluster.policies.pod_view import CONTEXT, PodView, Violation, Violations, named_list, plural, quoted, setters
from tjgen.trees.fields.path import Tree, get

_VOLUMES = ("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret")
_OTHER_VOLUMES = (
    *("hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs", "rbd", "flexVolume"),
    *("cinder", "cephfs", "flocker", "fc", "azureFile", "vsphereVolume", "quobyte", "azureDisk", "photonPersistentDisk"),
    *("portworxVolume", "scaleIO", "storageos"),
)


def privilege_escalation(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 8 or (pod.minor >= 25 and pod.is_windows):
        return
    violations = Violations()
    for path, container, context in pod.containers():
        if context.get("allowPrivilegeEscalation") is not False:
            violations.add((*path, "securityContext", "allowPrivilegeEscalation"), container.get("name", ""))
    if violations.names:
        detail = f"{named_list(violations.names)} must set securityContext.allowPrivilegeEscalation=false"
        yield Violation(violations.path, "allowPrivilegeEscalation != false", detail)


def capabilities_restricted(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 22 or (pod.minor >= 25 and pod.is_windows):
        return
    kept, adding = Violations(), Violations()
    for path, container, context in pod.containers():
        capabilities, path_of_capabilities = context.get("capabilities") or {}, (*path, "securityContext", "capabilities")
        if "ALL" not in (capabilities.get("drop") or ()):
            kept.add((*path_of_capabilities, "drop"), container.get("name", ""))
        added = [one for one in capabilities.get("add") or () if one != "NET_BIND_SERVICE"]
        if added:
            adding.add((*path_of_capabilities, "add"), container.get("name", ""), *added)
    details = []
    if kept.names:
        details.append(f'{named_list(kept.names)} must set securityContext.capabilities.drop=["ALL"]')
    if adding.names:
        details.append(f"{named_list(adding.names)} must not include {quoted(adding.sorted)} in securityContext.capabilities.add")
    if details:
        yield Violation(adding.path or kept.path, "unrestricted capabilities", "; ".join(details))


def proc_mount_restricted(pod: PodView) -> Iterator[Violation]:
    # The baseline check rejects the same, except pods in a user namespace.
    if pod.minor >= 35 and pod.is_in_user_namespace:
        yield from proc_mount(pod)


def restricted_volumes(pod: PodView) -> Iterator[Violation]:
    violations = Violations()
    for position, volume in enumerate(pod.spec.get("volumes") or ()):
        if all(volume.get(kind) is None for kind in _VOLUMES):
            kind = next((kind for kind in _OTHER_VOLUMES if volume.get(kind) is not None), "unknown")
            violations.add(("spec", "volumes", position, kind), volume.get("name", ""), kind)
    if violations.names:
        uses = "uses" if len(violations.names) == 1 else "use"
        kinds = f"{plural('restricted volume type', violations.sorted)} {quoted(violations.sorted)}"
        yield Violation(violations.path, "restricted volume types", f"{named_list(violations.names, 'volume')} {uses} {kinds}")


def run_as_non_root(pod: PodView) -> Iterator[Violation]:
    if pod.minor >= 35 and pod.is_in_user_namespace:
        return
    bad, lacking = Violations(), Violations()
    own = pod.context.get("runAsNonRoot")
    if own is False:
        bad.add((*CONTEXT, "runAsNonRoot"), None)
    for path, container, context in pod.containers():
        given, location = context.get("runAsNonRoot"), (*path, "securityContext", "runAsNonRoot")
        if given is False:
            bad.add(location, container.get("name", ""))
        elif given is None and own is not True:
            lacking.add(location, container.get("name", ""))
    if bad.path:
        detail = f"{setters(own is False, bad.names)} must not set securityContext.runAsNonRoot=false"
        yield Violation(bad.path, "runAsNonRoot != true", detail)
    elif lacking.names:
        detail = f"pod or {named_list(lacking.names)} must set securityContext.runAsNonRoot=true"
        yield Violation(lacking.path, "runAsNonRoot != true", detail)


def run_as_user(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 23 or (pod.minor >= 35 and pod.is_in_user_namespace):
        return
    violations = Violations()
    is_pod = is_zero(pod.context.get("runAsUser"))
    if is_pod:
        violations.add((*CONTEXT, "runAsUser"), None)
    for path, container, context in pod.containers():
        if is_zero(context.get("runAsUser")):
            violations.add((*path, "securityContext", "runAsUser"), container.get("name", ""))
    if violations.path:
        yield Violation(violations.path, "runAsUser=0", f"{setters(is_pod, violations.names)} must not set runAsUser=0")


def is_zero(value: Tree) -> bool:
    return value is not None and value == 0


def seccomp_restricted(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 19 or (pod.minor >= 25 and pod.is_windows):
        return
    if seccomp_profiles(pod)[0].path:
        yield from seccomp_baseline(pod)
        return
    lacking = Violations()
    for path, container, context in pod.containers():
        if get(context, ("seccompProfile", "type"), None) is None and get(pod.context, ("seccompProfile", "type"), None) is None:
            lacking.add((*path, "securityContext", "seccompProfile"), container.get("name", ""))
    if lacking.names:
        words = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
        yield Violation(lacking.path, "seccompProfile", f"pod or {named_list(lacking.names)} {words}")
