"""The checks of Pod Security that level `restricted` adds, one function for each, called by the name of its identifier.

Mirrors k8s.io/pod-security-admission 0.36 `policy/check_*.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.policies.baseline import proc_mount, seccomp_baseline, seccomp_profiles
from tjgen.cluster.policies.pod_view import CONTEXT, Found, PodView, Violation, named_list, plural, quoted, setters
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
    found = Found()
    for path, container, context in pod.containers():
        if context.get("allowPrivilegeEscalation") is not False:
            found.add((*path, "securityContext", "allowPrivilegeEscalation"), container.get("name", ""))
    if found.names:
        detail = f"{named_list(found.names)} must set securityContext.allowPrivilegeEscalation=false"
        yield Violation(found.path, "allowPrivilegeEscalation != false", detail)


def capabilities_restricted(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 22 or (pod.minor >= 25 and pod.is_windows):
        return
    kept, adding = Found(), Found()
    for path, container, context in pod.containers():
        capabilities, here = context.get("capabilities") or {}, (*path, "securityContext", "capabilities")
        if "ALL" not in (capabilities.get("drop") or ()):
            kept.add((*here, "drop"), container.get("name", ""))
        added = [one for one in capabilities.get("add") or () if one != "NET_BIND_SERVICE"]
        if added:
            adding.add((*here, "add"), container.get("name", ""), *added)
    details = []
    if kept.names:
        details.append(f'{named_list(kept.names)} must set securityContext.capabilities.drop=["ALL"]')
    if adding.names:
        details.append(f"{named_list(adding.names)} must not include {quoted(adding.sorted)} in securityContext.capabilities.add")
    if details:
        yield Violation(adding.path or kept.path, "unrestricted capabilities", "; ".join(details))


def proc_mount_restricted(pod: PodView) -> Iterator[Violation]:
    # The baseline check refuses the same, but for pods in a user namespace.
    if pod.minor >= 35 and pod.is_in_user_namespace:
        yield from proc_mount(pod)


def restricted_volumes(pod: PodView) -> Iterator[Violation]:
    found = Found()
    for position, volume in enumerate(pod.spec.get("volumes") or ()):
        if all(volume.get(kind) is None for kind in _VOLUMES):
            kind = next((kind for kind in _OTHER_VOLUMES if volume.get(kind) is not None), "unknown")
            found.add(("spec", "volumes", position, kind), volume.get("name", ""), kind)
    if found.names:
        uses = "uses" if len(found.names) == 1 else "use"
        kinds = f"{plural('restricted volume type', found.sorted)} {quoted(found.sorted)}"
        yield Violation(found.path, "restricted volume types", f"{named_list(found.names, 'volume')} {uses} {kinds}")


def run_as_non_root(pod: PodView) -> Iterator[Violation]:
    if pod.minor >= 35 and pod.is_in_user_namespace:
        return
    bad, lacking = Found(), Found()
    own = pod.context.get("runAsNonRoot")
    if own is False:
        bad.add((*CONTEXT, "runAsNonRoot"), None)
    for path, container, context in pod.containers():
        given, here = context.get("runAsNonRoot"), (*path, "securityContext", "runAsNonRoot")
        if given is False:
            bad.add(here, container.get("name", ""))
        elif given is None and own is not True:
            lacking.add(here, container.get("name", ""))
    if bad.path:
        detail = f"{setters(own is False, bad.names)} must not set securityContext.runAsNonRoot=false"
        yield Violation(bad.path, "runAsNonRoot != true", detail)
    elif lacking.names:
        detail = f"pod or {named_list(lacking.names)} must set securityContext.runAsNonRoot=true"
        yield Violation(lacking.path, "runAsNonRoot != true", detail)


def run_as_user(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 23 or (pod.minor >= 35 and pod.is_in_user_namespace):
        return
    found = Found()
    is_pod = is_zero(pod.context.get("runAsUser"))
    if is_pod:
        found.add((*CONTEXT, "runAsUser"), None)
    for path, container, context in pod.containers():
        if is_zero(context.get("runAsUser")):
            found.add((*path, "securityContext", "runAsUser"), container.get("name", ""))
    if found.path:
        yield Violation(found.path, "runAsUser=0", f"{setters(is_pod, found.names)} must not set runAsUser=0")


def is_zero(value: Tree) -> bool:
    return value is not None and value == 0


def seccomp_restricted(pod: PodView) -> Iterator[Violation]:
    if pod.minor < 19 or (pod.minor >= 25 and pod.is_windows):
        return
    if seccomp_profiles(pod)[0].path:
        yield from seccomp_baseline(pod)
        return
    lacking = Found()
    for path, container, context in pod.containers():
        if get(context, ("seccompProfile", "type"), None) is None and get(pod.context, ("seccompProfile", "type"), None) is None:
            lacking.add((*path, "securityContext", "seccompProfile"), container.get("name", ""))
    if lacking.names:
        words = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
        yield Violation(lacking.path, "seccompProfile", f"pod or {named_list(lacking.names)} {words}")
