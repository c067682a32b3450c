"""A pod spec -> what a scheduler counts for one pod of it."""

from __future__ import annotations

from tjgen.trees.k8s.quantity import Quantity, compare, parse, total
from tjgen.trees.typing import Any

_POD_LEVEL = ("cpu", "memory")
_NOTHING: dict[str, Any] = {}
_HUGE_PAGES = "hugepages-"


def pod_requests(pod_spec: dict[str, Any]) -> dict[str, Quantity]:
    """The requests of a pod of this spec, resource by resource.

    Upstream: k8s.io/component-helpers v0.36 `resource.PodRequests` without options.
    """
    return _amounts(pod_spec, "requests")


def pod_limits(pod_spec: dict[str, Any]) -> dict[str, Quantity]:
    """The limits of a pod of this spec, resource by resource.

    Upstream: k8s.io/component-helpers v0.36 `resource.PodLimits` without options.
    """
    return _amounts(pod_spec, "limits")


def _amounts(pod_spec: dict[str, Any], field: str) -> dict[str, Quantity]:
    amounts = total([_listed(container, field) for container in pod_spec.get("containers", ())])
    sidecars: dict[str, Quantity] = {}
    largest: dict[str, Quantity] = {}
    for container in pod_spec.get("initContainers", ()):
        own = _listed(container, field)
        if container.get("restartPolicy") == "Always":
            amounts = total((amounts, own))
            sidecars = total((sidecars, own))
            _raise_to(largest, sidecars)
        else:
            _raise_to(largest, total((own, sidecars)))
    _raise_to(amounts, largest)
    for name, amount in _listed(pod_spec, field).items():
        if name in _POD_LEVEL or name.startswith(_HUGE_PAGES):
            amounts[name] = parse(amount)
    overhead = pod_spec.get("overhead") or _NOTHING
    if field == "limits":
        # A resource without a limit stays unlimited.
        overhead = {name: amount for name, amount in overhead.items() if name in amounts}
    return total((amounts, overhead)) if overhead else amounts


def _listed(holder: dict[str, Any], field: str) -> dict[str, Any]:
    resources = holder.get("resources")
    return resources.get(field, _NOTHING) if resources else _NOTHING


def _raise_to(amounts: dict[str, Quantity], others: dict[str, Quantity]) -> None:
    for name, quantity in others.items():
        if name not in amounts or compare(quantity, amounts[name]) > 0:
            amounts[name] = quantity
