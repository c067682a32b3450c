"""The total requests of a pod's containers, compared with the requests of the pod itself.

Mirrors kubernetes 1.36 `pkg/apis/core/validation:validatePodResourceConsistency` and k8s.io/component-helpers
`resource/helpers.go` (AggregateContainerRequests, AggregateContainerLimits).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.resources import HUGE_PAGES, amounts
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import quantity
from tjgen.trees.k8s.quantity import Quantity
from tjgen.trees.typing import Any

Resources = dict[str, Quantity]


def pod_totals(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """The pod's requests cover its containers', and no container may use more than the pod (`at` is the pod's resources)."""
    requests, limits = amounts(spec["resources"], "requests"), amounts(spec["resources"], "limits")
    for name, used in _aggregate(spec, "requests").items():
        if name in requests and used.nanos > requests[name].nanos:
            message = f"must be greater than or equal to aggregate container requests of {used}"
            yield at.child("requests").key(name).invalid(str(requests[name]), message)
    for name, used in _aggregate(spec, "limits").items():
        if name.startswith(HUGE_PAGES) and name in limits and used.nanos > limits[name].nanos:
            message = f"must be greater than or equal to aggregate container limits of {used}"
            yield at.child("limits").key(name).invalid(str(limits[name]), message)
    for position, container in enumerate(spec.get("containers", ())):
        for name, used in _of(container, "limits").items():
            if name in limits and used.nanos > limits[name].nanos:
                field = f"{at.field}.containers[{position}][{name}].limits"
                field_at = Place(field, (*at.path[:-1], "containers", position, "resources", "limits", name))
                yield field_at.invalid(str(used), f"must be less than or equal to pod limits of {limits[name]}")


def with_requests(spec: dict[str, Any]) -> dict[str, Any]:
    """A Pod's spec with the requests that the server takes from limits, for containers and the pod (`SetDefaults_Pod`)."""
    filled = dict(spec)
    for name in ("containers", "initContainers"):
        if name in spec:
            filled[name] = [_container_with_requests(container) for container in spec[name]]
    return filled if "resources" not in spec else {**filled, "resources": _pod_resources(filled)}


def _container_with_requests(container: dict[str, Any]) -> dict[str, Any]:
    resources = container.get("resources", {})
    if not resources.get("limits"):
        return container
    return {**container, "resources": {**resources, "requests": {**resources["limits"], **resources.get("requests", {})}}}


def _pod_resources(spec: dict[str, Any]) -> dict[str, Any]:
    """`defaultHugePagePodLimits` and `defaultPodRequests`."""
    given = spec["resources"]
    limits, requests = given.get("limits", {}), given.get("requests", {})
    if limits or requests:
        used = _aggregate(spec, "limits")
        pages = {name: str(value) for name, value in used.items() if name.startswith(HUGE_PAGES) and name not in requests}
        limits = {**pages, **limits}
    if limits:
        used = _aggregate(spec, "requests")
        shared = {name: str(value) for name, value in used.items() if name in ("cpu", "memory")}
        own = {name: value for name, value in limits.items() if name in ("cpu", "memory") or name.startswith(HUGE_PAGES)}
        requests = {**own, **shared, **requests}
    return {**given, **({"limits": limits} if limits else {}), **({"requests": requests} if requests else {})}


def _of(container: dict[str, Any], side: str) -> Resources:
    return amounts(container.get("resources", {}), side)


def _aggregate(spec: dict[str, Any], side: str) -> Resources:
    """Return the sum over containers and sidecars, or the need of an init container with the sidecars before it, if larger."""
    total = quantity.total(_of(container, side) for container in spec.get("containers", ()))
    sidecars: Resources = {}
    highest: Resources = {}
    for container in spec.get("initContainers", ()):
        own = _of(container, side)
        if container.get("restartPolicy") == "Always":
            total = quantity.total([total, own])
            sidecars = quantity.total([sidecars, own])
            needed = sidecars
        else:
            needed = quantity.total([own, sidecars])
        highest = _most(highest, needed)
    return _most(total, highest)


def _most(left: Resources, right: Resources) -> Resources:
    merged = dict(left)
    for name, value in right.items():
        if name not in merged or value.nanos > merged[name].nanos:
            merged[name] = value
    return merged
