"""The metadata of a new and of a stored object -> the server's errors about the change.

Mirrors k8s.io/apiserver 0.36 `registry/rest:BeforeUpdate`, which takes over what the system sets, and k8s.io/apimachinery
0.36 `api/validation/objectmeta.go:ValidateObjectMetaAccessorUpdate`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import at
from tjgen.cluster.validate.update.stored_object import RESOURCE_VERSION
from tjgen.trees.typing import Any

CONFLICT = "the object has been modified; please apply your changes to the latest version and try again"
_FIXED = ("name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds")
IMMUTABLE = "field is immutable"


def settled(metadata: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """The metadata with what the server takes from the object that it holds, and not from the request."""
    kept: dict[str, Any] = {key: stored[key] for key in ("generation", "creationTimestamp") if key in stored}
    uid = {"uid": metadata.get("uid") or stored["uid"]}
    namespace = {} if "namespace" not in stored else {"namespace": metadata.get("namespace") or stored["namespace"]}
    given = {key: value for key, value in metadata.items() if key not in ("generation", "namespace")}
    return {**given, **kept, **uid, **namespace}


def is_conflict(metadata: dict[str, Any]) -> bool:
    """Return whether the manifest has another resourceVersion or UID than the stored object."""
    return metadata.get("resourceVersion", "") not in ("", RESOURCE_VERSION)


def faults(metadata: dict[str, Any], stored: dict[str, Any]) -> Iterator[Fault]:
    """What may not change."""
    field = at(("metadata",))
    if not metadata.get("resourceVersion"):
        yield field.child("resourceVersion").invalid("", "must be specified for an update")
    for name in _FIXED:
        if metadata.get(name) != stored.get(name):
            yield field.child(name).invalid(metadata.get(name), IMMUTABLE)
