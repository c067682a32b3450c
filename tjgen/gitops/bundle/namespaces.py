"""`namespaces` with their `podSecurity` and `quotas` -> Namespaces, ResourceQuotas, LimitRanges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.gitops.bundle.manifest import SPEC, manifest
from tjgen.gitops.bundle.volcano import amounts
from tjgen.language.platform.security import ALL_OTHERS, key_of, labels_of
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Bounds, Limits, Namespace, PlatformSpec
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.manifests.sourced import Sourced

QUOTA = "quota"
LIMITS = "limits"
_TYPES = {"container": "Container", "pod": "Pod", "claim": "PersistentVolumeClaim"}


def objects(spec: PlatformSpec) -> Iterator[Manifest]:
    """The namespaces, and what bounds the pods in them."""
    for name, one in spec.namespaces.items():
        at: FieldPath = (*SPEC, "namespaces", name)
        if not one.exists:
            yield _namespace(spec, name, one, at)
        if name in spec.quotas:
            quota_path: FieldPath = (*SPEC, "quotas", name)
            hard = {quota_key(key): Sourced(text(value), (*quota_path, key)) for key, value in spec.quotas[name].items()}
            yield manifest("v1", "ResourceQuota", {"name": QUOTA, "namespace": name}, {"spec": {"hard": hard}}, quota_path)
        if one.limits is not None:
            quota_path = (*at, "limits")
            items = _items(one.limits, quota_path)
            yield manifest("v1", "LimitRange", {"name": LIMITS, "namespace": name}, {"spec": {"limits": items}}, quota_path)


def quota_key(key: str) -> str:
    """The key of a ResourceQuota: extended resources and storage are only counted by what is requested of them."""
    if key == "storage":
        return "requests.storage"
    is_extended = "/" in key and not key.startswith(("requests.", "limits.", "count/"))
    return f"requests.{key}" if is_extended and ".storageclass.storage.k8s.io/" not in key and not _is_devices(key) else key


def _is_devices(key: str) -> bool:
    return key.endswith(".deviceclass.resource.k8s.io/devices")


def _namespace(spec: PlatformSpec, name: str, one: Namespace, at: FieldPath) -> Manifest:
    because: FieldPath = (*SPEC, "podSecurity", key_of(spec.pod_security, name) or ALL_OTHERS)
    labels: Tree = {label: Sourced(level, because) for label, level in labels_of(spec.pod_security, name).items()}
    labels |= {key: Sourced(value, (*at, "labels", key)) for key, value in one.labels.items()}
    metadata: Tree = {"name": name, "labels": labels}
    if one.annotations:
        metadata["annotations"] = {key: Sourced(value, (*at, "annotations", key)) for key, value in one.annotations.items()}
    return manifest("v1", "Namespace", metadata, {}, at)


def _items(limits: Limits, at: FieldPath) -> list[Tree]:
    known: Mapping[str, Bounds | None] = {"container": limits.container, "pod": limits.pod, "claim": limits.claim}
    items = []
    for field, bounds in known.items():
        if bounds is None:
            continue
        place: FieldPath = (*at, field)
        by_type = {
            "default": bounds.default,
            "defaultRequest": bounds.default_request,
            "min": bounds.min,
            "max": bounds.max,
        }
        items.append({"type": _TYPES[field], **{key: amounts(one, (*place, key)) for key, one in by_type.items() if one}})
    return items
