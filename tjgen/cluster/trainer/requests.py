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
    requests = total([_requests(container) for container in pod_spec.get("containers", ())])
    sidecars: dict[str, Quantity] = {}
    largest: dict[str, Quantity] = {}
    for container in pod_spec.get("initContainers", ()):
        asked = _requests(container)
        if container.get("restartPolicy") == "Always":
            requests = total((requests, asked))
            sidecars = total((sidecars, asked))
            _raise_to(largest, sidecars)
        else:
            _raise_to(largest, total((asked, sidecars)))
    _raise_to(requests, largest)
    for name, amount in _requests(pod_spec).items():
        if name in _POD_LEVEL or name.startswith(_HUGE_PAGES):
            requests[name] = parse(amount)
    return total((requests, pod_spec["overhead"])) if "overhead" in pod_spec else requests


def _requests(holder: dict[str, Any]) -> dict[str, Any]:
    resources = holder.get("resources")
    return resources.get("requests", _NOTHING) if resources else _NOTHING


def _raise_to(amounts: dict[str, Quantity], others: dict[str, Quantity]) -> None:
    for name, quantity in others.items():
        if name not in amounts or compare(quantity, amounts[name]) > 0:
            amounts[name] = quantity
