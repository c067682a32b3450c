"""A valid merged experiment -> amounts of CPU, memory, storage and time that cannot be meant as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.quantity import BINARY, Quantity, parse
from tjgen.trees.source.document import Document

_SPEC: FieldPath = ("spec",)
_DEADLINE: FieldPath = (*_SPEC, "deadline")
_RESOURCES = ("cpu", "memory", "ephemeralStorage")
_NATIVE = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "ephemeralStorage"}
"""Resources of Kubernetes, and the fields of the experiment for them."""
_EXTRA = ("sidecars", "initContainers")
_FETCHED = ("dataset", "model")
_BOUNDS = ("request", "limit")
_LEAST = 2**20
"""No container starts with less memory than this many bytes."""
_MOST = {"cpu": 2000, "memory": 64 * 2**40, "sharedMemory": 64 * 2**40, "ephemeralStorage": 16 * 2**50}
"""Field -> an amount that no node has: the largest machines have 1920 CPUs and 32 TiB of memory."""
_SHORTEST = 300
"""Seconds of a deadline, written without a unit, in which no run pulls its image and trains."""
_NANO = 10**9
_UNITS = "kKMGTPEi"


def check(spec: Tree) -> Iterator[Diagnostic]:
    """Amounts that are too small or too large to be meant, and requests above their limits."""
    holders: list[FieldPath] = [(), *(("roles", role) for role in spec.get("roles", {}))]
    containers = [*holders]
    containers += [
        (*holder, kind, name) for holder in holders for kind in _EXTRA for name in get(spec, (*holder, kind), None) or {}
    ]
    if "initializer" in spec:
        containers += [("initializer", kind) for kind in _FETCHED if kind in spec["initializer"]]
    for holder in containers:
        container = get(spec, holder)
        for field in _MOST:
            if field in container:
                for place in _bounds((*holder, field), container[field]):
                    yield from _sized(field, place, _least_bound(get(spec, place)))
        for name, field in _NATIVE.items():
            if name in container.get("resources", {}):
                for place in _bounds((*holder, "resources", name), container["resources"][name]):
                    yield from _sized(field, place, _least_bound(get(spec, place)))
    for name, volume in spec.get("volumes", {}).items():
        for inner in (("pvc", "create", "size"), ("emptyDir", "sizeLimit")):
            amount = get(volume, inner, None)
            if amount is not None:
                yield from _sized(inner[-1], ("volumes", name, *inner), amount)
    for holder in containers:
        yield from _requests(holder, get(spec, holder))


def _sized(field: str, place: FieldPath, amount: Tree) -> Iterator[Diagnostic]:
    """TJ144 or TJ180 for one amount."""
    if amount is None:
        return
    quantity = parse(amount)
    if field != "cpu" and 0 < quantity.nanos < _LEAST * _NANO:
        number = str(amount).rstrip("m")
        hint = f"add the unit: {number}Mi or {number}Gi" if number.isdigit() else "add a unit such as Mi or Gi"
        yield Diagnostic("TJ144", f"{_name(place)} is {amount}, which is less than 1 MiB", path=(*_SPEC, *place), hint=hint)
    elif field in _MOST and quantity.nanos >= _MOST[field] * _NANO:
        suggest = _of_cpu if field == "cpu" else _of_bytes
        message = f"{_name(place)} is {amount}{' CPUs' * (field == 'cpu')}, which is more than any node has"
        yield Diagnostic("TJ180", message, path=(*_SPEC, *place), hint=suggest(place, str(amount), quantity))


def _of_cpu(place: FieldPath, amount: str, quantity: Quantity) -> str:
    """How to write CPUs that are given as bytes or as thousandths."""
    number, key = amount.rstrip(_UNITS), place[-1]
    if amount != number:
        memory = f"memory: {amount}" if key not in _BOUNDS else f"memory: {{{key}: {amount}}}"
        return f"write {key}: {number}, or {memory} if memory is meant"
    thousandths = quantity.nanos // _NANO
    cores = f"{thousandths / 1000:g}" if thousandths % 1000 else str(thousandths // 1000)
    return f"write {cores}, or {amount}m"


def _of_bytes(place: FieldPath, amount: str, quantity: Quantity) -> str:
    """How to write bytes that are given in too large a unit."""
    number = amount.rstrip(_UNITS)
    if amount == number or not number.replace(".", "", 1).isdigit():
        return "write the unit that is meant, such as Mi or Gi"
    return f"write {number}{'T' if 'ephemeralStorage' in place else 'G'}{'i' * (quantity.format == BINARY)}"


def _name(place: FieldPath) -> str:
    """The name of a field, with the field that it bounds."""
    return f"{place[-2]}.{place[-1]}" if place[-1] in _BOUNDS else str(place[-1])


def deadline(tree: Managed, documents: Mapping[str, Document]) -> Iterator[Diagnostic]:
    """TJ181 for a deadline of few seconds that is written without a unit."""
    seconds = get(tree.value, _DEADLINE, None)
    if seconds.__class__ is not int or not 0 < seconds < _SHORTEST:
        return
    for origin in tree.origins(_DEADLINE)[-1:]:
        document = documents.get(origin.source)
        if document is not None and get(document.value, origin.because, None).__class__ is int:
            hint = f"write {seconds}h or {seconds}m, or {seconds}s if seconds are meant"
            yield Diagnostic(
                "TJ181", f"deadline is {seconds} without a unit, which is {seconds} seconds", path=_DEADLINE, hint=hint
            )


def _requests(holder: FieldPath, container: Tree) -> Iterator[Diagnostic]:
    """Requests above their limits, for which the API server refuses the pod."""
    places: list[FieldPath] = [(field,) for field in _RESOURCES if field in container]
    for name in container.get("resources", {}):
        places.append(("resources", name))
        yield from _foreign(name, container["resources"][name], (*_SPEC, *holder, "resources", name))
    for place in places:
        amount = get(container, place)
        if amount.__class__ is not dict:
            continue
        request, limit = (amount.get(bound) for bound in _BOUNDS)
        if request is not None and limit is not None and parse(request).nanos > parse(limit).nanos:
            message = f"{place[-1]} has a request of {request}, which is more than its limit of {limit}"
            path: FieldPath = (*_SPEC, *holder, *place, "request")
            yield Diagnostic("TJ152", message, path=path, hint=f"write request: {limit}, or raise the limit")


def _foreign(name: str, amount: Tree, path: FieldPath) -> Iterator[Diagnostic]:
    """TJ182 for an entry of `resources` that is a field of the experiment."""
    if "/" in name or name in _NATIVE:
        return
    from tjgen.language.spec import advice  # only for an experiment with a mistake

    hint = advice.of_resource(name, _least_bound(amount))
    if hint is not None:
        yield Diagnostic("TJ182", f'"{name}" is not a resource of Kubernetes', path=path, hint=hint)


def _least_bound(amount: Tree) -> Tree:
    return amount.get(_BOUNDS[0]) if amount.__class__ is dict else amount


def _bounds(place: FieldPath, amount: Tree) -> list[FieldPath]:
    """The place of an amount, which is its request and its limit; the places of both if they differ."""
    if amount.__class__ is not dict or all(amount.get(bound) == amount.get(_BOUNDS[0]) for bound in _BOUNDS):
        return [place]
    return [(*place, bound) for bound in _BOUNDS if bound in amount]
