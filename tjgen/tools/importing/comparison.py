"""The objects of a run before and after a conversion -> the pods, containers, images and devices that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import Pods
from tjgen.cluster.kinds.ray import SUBMITS
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.compiler.totals.tally import claimed_devices, with_requests
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.workload import INITIALIZERS

_NAMES = 5
"""Containers that a message lists."""


class Difference(NamedTuple):
    """A difference, and what to do."""

    why: str
    hint: str


class _Containers(NamedTuple):
    """Containers with one image in one list of a pod."""

    kind: str
    """`container` or `init container`."""
    image: str


def differences(before: Iterable[Manifest], after: Iterable[Manifest]) -> list[Difference]:
    """Return what the pods of a run lose, and what they have in addition.

    Initializers are jobs of a TrainJob and init containers elsewhere, so only the images of their programs count.
    """
    old, new = list(before), list(after)
    former, latter = _pods(old), _pods(new)
    return [*_of_number(former, latter), *_of_containers(former, latter), *_of_devices(old, former, new, latter)]


def _pods(manifests: Iterable[Manifest]) -> list[Pods]:
    """The sets of pods with at least one pod. The pod that submits the program of a RayJob only waits."""
    sets = (one for manifest in manifests for one in pods_of(manifest))
    return [one for one in sets if one.number and one.role != SUBMITS]


def _members(sets: Iterable[Pods]) -> list[Pods]:
    return [one for one in sets if one.role not in INITIALIZERS]


def _of_number(before: list[Pods], after: list[Pods]) -> Iterator[Difference]:
    former, latter = _members(before), _members(after)
    if sum(one.number for one in former) != sum(one.number for one in latter):
        hint = "write an experiment with a role for each kind of pod, and the number of its pods as replicas"
        yield Difference(f"{_listed(former)} become {_listed(latter)}", hint)


def _listed(sets: list[Pods]) -> str:
    number = sum(one.number for one in sets)
    roles = ", ".join(f"{one.role} {one.number}" for one in sets)
    return f"{number} {'pod' if number == 1 else 'pods'}" + (f" ({roles})" if roles else "")


def _of_containers(before: list[Pods], after: list[Pods]) -> Iterator[Difference]:
    former, latter = _counted(before), _counted(after)
    names = _named(_members(before))
    for key, number in former.items():
        if latter[key] < number and key in names:
            where = ", ".join(names[key][:_NAMES])
            why = f"{key.kind} {where} with image {key.image} runs in {latter[key]} of {number} pods"
            yield Difference(why, "write it as a role, or in sidecars or initContainers of an experiment")
    names = _named(_members(after))
    for key, number in latter.items():
        if key.kind == "container" and former[key] < number and key in names:
            where = ", ".join(names[key][:_NAMES])
            why = f"container {where} has image {key.image}, which runs in {former[key]} pods before and in {number} after"
            yield Difference(why, "set the image of each role in an experiment")


def _counted(sets: Iterable[Pods]) -> Counter[_Containers]:
    """How many pods have each image. The programs of initializers count as init containers."""
    result: Counter[_Containers] = Counter()
    for one in sets:
        for key, _ in _containers(one):
            kind = "init container" if one.role in INITIALIZERS else key.kind
            result[key._replace(kind=kind)] += one.number
    return result


def _named(sets: Iterable[Pods]) -> dict[_Containers, list[str]]:
    result: dict[_Containers, list[str]] = {}
    for one in sets:
        for key, name in _containers(one):
            result.setdefault(key, []).append(f"{one.role}/{name}")
    return result


def _containers(pods: Pods) -> Iterator[tuple[_Containers, str]]:
    for kind, field in (("container", "containers"), ("init container", "initContainers")):
        for container in pods.spec.get(field) or ():
            yield _Containers(kind, str(container.get("image") or "")), str(container.get("name") or "")


def _of_devices(old: list[Manifest], before: list[Pods], new: list[Manifest], after: list[Pods]) -> Iterator[Difference]:
    former, latter = _devices(old, before), _devices(new, after)
    for name in sorted({*former, *latter}):
        had, has = former[name], latter[name]
        if had != has:
            yield Difference(f"{had} of {name} become {has}", "set the devices of each role in an experiment")


def _devices(manifests: list[Manifest], sets: list[Pods]) -> Counter[str]:
    """Extended resources and claimed devices of all pods."""
    templates: dict[str, Tree] = {one.name: one.tree for one in manifests if one.kind == "ResourceClaimTemplate"}
    amounts: Counter[str] = Counter()
    for one in _members(sets):
        for name, quantity in pod_requests(with_requests(one.spec)).items():
            amounts[name] += quantity.value * one.number if "/" in name else 0
        for name, count in claimed_devices(one.spec, templates):
            amounts[name] += count * one.number
    return amounts
