"""A Node manifest -> what the scheduler reads of it."""

from __future__ import annotations

from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.quantity import BINARY, DECIMAL, Quantity, parse
from tjgen.trees.typing import NamedTuple

CPU, MEMORY, PODS = "cpu", "memory", "pods"
_NATIVE = (CPU, MEMORY, "ephemeral-storage")
_NANOS_PER_MILLI = 10**6
_NANOS = 10**9


class Node(NamedTuple):
    """A node of a cluster."""

    name: str
    labels: dict[str, str]
    taints: tuple[dict[str, str], ...]
    is_unschedulable: bool
    allocatable: dict[str, int]
    """Resource -> amount: thousandths of a processor, bytes, or whole devices."""
    devices: dict[str, int]
    """DeviceClass -> devices of the node, for claims of dynamic resource allocation."""


DEVICES = "tjgen.dev/devices"
"""Annotation of a Node manifest with the devices of each DeviceClass, as `CLASS=COUNT,...`. Nodes themselves do not list them."""


def read_node(tree: Tree) -> Node:
    """The node of a manifest. Raises QuantityError for an amount that is not a quantity."""
    metadata = tree.get("metadata") or {}
    name = str(metadata.get("name", ""))
    marks = get(metadata, ("annotations", DEVICES), None) or ""
    return Node(
        name,
        dict(metadata.get("labels") or {}),
        tuple(get(tree, ("spec", "taints"), None) or ()),
        bool(get(tree, ("spec", "unschedulable"), None)),
        amounts({key: parse(value) for key, value in (get(tree, ("status", "allocatable"), None) or {}).items()}),
        {key: int(value) for key, _, value in (mark.partition("=") for mark in marks.split(",") if mark)},
    )


def amounts(quantities: dict[str, Quantity]) -> dict[str, int]:
    """Resource -> the amount that the scheduler counts (`framework.Resource.Add`); resources that it ignores are left out."""
    return {name: _amount(name, quantity) for name, quantity in quantities.items() if is_counted(name)}


def is_counted(resource: str) -> bool:
    """Whether the scheduler counts a resource: native ones, huge pages and extended ones (`IsScalarResourceName`)."""
    return (
        "/" in resource or resource in _NATIVE or resource == PODS or resource.startswith(("hugepages-", "attachable-volumes-"))
    )


def _amount(resource: str, quantity: Quantity) -> int:
    return -(-quantity.nanos // _NANOS_PER_MILLI) if resource == CPU else quantity.value


def shown(resource: str, amount: int) -> str:
    """An amount as Kubernetes and Kueue print it."""
    if resource == CPU:
        return str(Quantity(amount * _NANOS_PER_MILLI, DECIMAL))
    is_binary = resource in _NATIVE or resource.startswith("hugepages-")
    return str(Quantity(amount * _NANOS, BINARY if is_binary else DECIMAL))
