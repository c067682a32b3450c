"""Fields of a container of the experiment -> the same in Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import EnvSource, Port, Probes, Program, ResourceAmount
from tjgen.trees.fields.path import FieldPath, Tree

_QUANTITIES = (
    ("cpu", "cpu", "cpu"),
    ("memory", "memory", "memory"),
    ("ephemeral_storage", "ephemeralStorage", "ephemeral-storage"),
)
_PROBES = ("liveness", "readiness", "startup")


def amounts(program: Program, at: FieldPath) -> Iterator[tuple[str, ResourceAmount, FieldPath]]:
    """Each resource of a container: its name in Kubernetes, the amount, and the field that sets it."""
    for attribute, field, resource in _QUANTITIES:
        amount = getattr(program, attribute)
        if amount is not None:
            yield resource, amount, (*at, field)
    for resource, amount in program.resources.items():
        yield resource, amount, (*at, "resources", resource)


def bounds(amount: ResourceAmount) -> Iterator[tuple[str, str | None]]:
    """`limits` and `requests` of a resource; None removes those of the runtime."""
    # A number is both: a training pod that is throttled or evicted stops the whole gang.
    if amount.limit is not None or amount.request is not None:
        yield "limits", None if amount.limit is None else text(amount.limit)
        yield "requests", None if amount.request is None else text(amount.request)


def resources(program: Program) -> Tree:
    """`resources` of a container; empty if it sets none."""
    tree: dict[str, dict[str, Tree]] = {}
    for resource, amount, _ in amounts(program, ()):
        for bound, quantity in bounds(amount):
            if quantity is not None:
                tree.setdefault(bound, {})[resource] = quantity
    return tree


def sources(env_from: Mapping[str, EnvSource]) -> list[Tree]:
    """`envFrom` of a container."""
    items = []
    for source in env_from.values():
        item: Tree = {"prefix": source.prefix} if source.prefix else {}
        reference: Tree = {"name": source.secret or source.config_map}
        if source.optional is not None:
            reference["optional"] = source.optional
        item["secretRef" if source.secret else "configMapRef"] = reference
        items.append(item)
    return items


def port(name: str, described: Port) -> Tree:
    """An item of `ports` of a container."""
    tree: Tree = {"name": name, "containerPort": described.port}
    if described.host_port is not None:
        tree["hostPort"] = described.host_port
    return tree if described.protocol == "TCP" else {**tree, "protocol": described.protocol}


def probes(described: Probes) -> Iterator[tuple[str, str, Tree]]:
    """Each probe: its name in the language, its field of a container, and its value."""
    for name in _PROBES:
        probe = getattr(described, name)
        if probe is not None:
            yield name, f"{name}Probe", probe
