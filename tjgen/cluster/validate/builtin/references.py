"""References to fields of the pod and to its containers' resources -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (validateObjectFieldSelector, validateContainerResourceFieldSelector) and
`pkg/apis/core/pods:ConvertDownwardAPIFieldLabel`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import quantity, syntax
from tjgen.trees.typing import Any

_LABELS = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_RESOURCES = tuple(f"{side}.{name}" for side in ("limits", "requests") for name in ("cpu", "ephemeral-storage", "memory"))
_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
_UNITS = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_DIVISORS = {
    "cpu": (("1m", "1"), "1m and 1 are supported with the cpu resource"),
    "memory": (_UNITS, f"{', '.join(_UNITS)} are supported with the memory resource"),
    "ephemeral-storage": (_UNITS, f"{', '.join(_UNITS)} are supported with the local ephemeral storage resource"),
    "hugepages": (_UNITS, f"{', '.join(_UNITS)} are supported with the hugepages resource"),
}


def field_reference(reference: dict[str, Any], known: Sequence[str], at: Place) -> Iterator[Fault]:
    """`validateObjectFieldSelector`."""
    path = reference.get("fieldPath", "")
    version = reference.get("apiVersion") or "v1"
    if not path:
        yield at.child("fieldPath").required()
        return
    converted, wrong = _converted(version, path)
    if wrong:
        yield at.child("fieldPath").invalid(path, f"error converting fieldPath: {wrong}")
        return
    name, subscript = _subscripted(converted)
    if subscript is not None:
        for message in syntax.label_key(subscript.lower() if name == "metadata.annotations" else subscript):
            yield at.invalid(subscript.lower() if name == "metadata.annotations" else subscript, message)
    elif converted not in known:
        yield at.child("fieldPath").not_supported(converted, known)


def _converted(version: str, path: str) -> tuple[str, str]:
    """The path as the current version has it, or why there is none."""
    if version != "v1":
        return "", f"unsupported pod version: {version}"
    name, subscript = _subscripted(path)
    if subscript is not None:
        is_map = name in ("metadata.annotations", "metadata.labels")
        return (path, "") if is_map else ("", f"field label does not support subscript: {path}")
    if path == "spec.host":
        return "spec.nodeName", ""
    return (path, "") if path in _LABELS else ("", f"field label not supported: {path}")


def _subscripted(path: str) -> tuple[str, str | None]:
    """`metadata.labels['x']` as its two parts (`SplitMaybeSubscriptedPath`)."""
    name, bracket, rest = path.removesuffix("']").partition("['")
    return (name, rest) if path.endswith("']") and bracket and name else (path, None)


def resource_reference(reference: dict[str, Any], at: Place, *, in_volume: bool) -> Iterator[Fault]:
    """`validateContainerResourceFieldSelector`."""
    resource = reference.get("resource", "")
    if in_volume and not reference.get("containerName"):
        yield at.child("containerName").required()
    elif not resource:
        yield at.child("resource").required()
    elif resource not in _RESOURCES and not resource.startswith(_HUGE_PAGES):
        yield at.child("resource").not_supported(resource, _RESOURCES)
    divisor = quantity.parse(reference.get("divisor", 0))
    kind = "hugepages" if resource.startswith(_HUGE_PAGES) else resource.partition(".")[2]
    if divisor.nanos and (resource in _RESOURCES or kind == "hugepages"):
        units, values = _DIVISORS[kind]
        if str(divisor) not in units:
            yield at.child("divisor").invalid(resource, f"only divisor's values {values}")
