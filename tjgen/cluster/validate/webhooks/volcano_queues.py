"""A Volcano Queue, or a field that names one -> what Volcano's webhooks have against it.

Upstream: volcano `pkg/webhooks/admission/queues/validate`. Unknown queues are assumed to exist, and to be
open, because the cluster is unknown.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks.answer import refused
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s import quantity
from tjgen.trees.manifests.objects import indexed
from tjgen.trees.typing import Any

ROOT = "root"
_HIERARCHY = "volcano.sh/hierarchy"
_WEIGHTS = "volcano.sh/hierarchy-weights"
_ANNOTATIONS: FieldPath = ("metadata", "annotations")
_SHARES = (("guarantee", "deserved"), ("deserved", "capability"), ("guarantee", "capability"))
_DEEPEST = 5
_STATES = ("", "Open", "Closed")


def unusable(name: str, path: FieldPath, context: Sequence[Tree]) -> Iterator[Fault]:
    """Why no Job can go to a queue."""
    if name == ROOT:
        yield refused("can not submit job to root queue;", path, "name a queue below root")
    elif _children(context).get(name):
        words = f"can only submit job to leaf queue, queue `{name}` has child queues;"
        yield refused(words, path, "name one of its children")
    else:
        yield from closed(name, path, context)


def closed(name: str | None, path: FieldPath, context: Sequence[Tree]) -> Iterator[Fault]:
    """A queue that is known to be closed takes nothing."""
    state = get(_queues(context).get(name or "", {}), ("status", "state"), None)
    if state and state != "Open":
        words = f"can only submit job to queue with state `Open`, queue `{name}` status is `{state}`;"
        yield refused(words, path, "open the queue, or name another one")


def faults(tree: dict[str, Any], context: Sequence[Tree]) -> Iterator[Fault]:
    """What is wrong with a Queue, which has its schema's defaults."""
    spec, name = tree.get("spec") or {}, str(get(tree, ("metadata", "name"), ""))
    state = get(tree, ("status", "state"), None) or ""
    if state not in _STATES:
        yield refused("queue state must be in [Open Closed]", ("status", "state"))
    if spec.get("weight", 1) <= 0:
        yield refused("queue weight must be a positive integer", ("spec", "weight"))
    yield from _hierarchy(tree, name, context)
    yield from _shares(spec)
    if name != ROOT:
        yield from _place(spec, name, context)


def _hierarchy(tree: dict[str, Any], name: str, context: Sequence[Tree]) -> Iterator[Fault]:
    """`validateHierarchicalAttributes`, of the annotations that came before `parent`."""
    given = get(tree, _ANNOTATIONS, None) or {}
    path, weights = given.get(_HIERARCHY) or "", given.get(_WEIGHTS) or ""
    if not path and not weights:
        return
    at = (*_ANNOTATIONS, _HIERARCHY if _HIERARCHY in given else _WEIGHTS)
    if len(path.split("/")) != len(weights.split("/")):
        yield refused(f"{_HIERARCHY} must have the same length with {_WEIGHTS}", at, "give each part of the path a weight")
        return
    for weight in weights.split("/"):
        try:
            number = float(weight)
        except ValueError:
            yield refused(f"{weight} in the {weights} is invalid number", (*_ANNOTATIONS, _WEIGHTS), "write numbers")
            return
        if not number > 0:
            yield refused(f"{weight} in the {weights} must be larger than 0", (*_ANNOTATIONS, _WEIGHTS), "write positive numbers")
            return
    places: list[tuple[str, str]] = indexed(context).derived(_by_hierarchy)
    start = bisect_left(places, (path, ""))
    if not any(theirs.startswith(path) and other != name for theirs, other in places[start : start + 2]):
        return
    for other, queue in _queues(context).items():
        theirs = get(queue, (*_ANNOTATIONS, _HIERARCHY), None) or ""
        if theirs.startswith(path) and theirs and other != name:
            words = f"{path} is not allowed to be in the sub path of {theirs} of queue {other}"
            yield refused(words, at, "use a path of its own")
            return


def _shares(spec: dict[str, Any]) -> Iterator[Fault]:
    """guarantee <= deserved <= capability for each resource; a guarantee requires a deserved share."""
    given = {"capability": spec.get("capability"), "deserved": spec.get("deserved"), "guarantee": _guarantee(spec)}
    for less, more in _SHARES:
        upper = given[more] or {}
        for resource, amount in (given[less] or {}).items():
            if less == "guarantee" and more == "deserved" and resource not in upper:
                words = f"guarantee of {resource} needs deserved of {resource}"
                yield refused(words, ("spec", "guarantee"), f"add {resource} to deserved")
            elif resource in upper and _is_more(amount, upper[resource]):
                words = f"{less} of {resource} ({amount}) is greater than {more} ({upper[resource]})"
                yield refused(words, ("spec", less), f"lower it, or raise {more}")


def _place(spec: dict[str, Any], name: str, context: Sequence[Tree]) -> Iterator[Fault]:
    """Return the queue among its ancestors and siblings, if they are known."""
    queues, parent = _queues(context), spec.get("parent") or ROOT
    if parent == name:
        yield refused(f"queue {name} cannot be its own parent", ("spec", "parent"), "name another queue")
        return
    above = [parent]
    while above[-1] in queues and above[-1] != ROOT and len(above) <= _DEEPEST:
        above.append(_parent(queues[above[-1]]))
    if len(above) > _DEEPEST:
        yield refused(f"queue {name} is more than {_DEEPEST} levels below root", ("spec", "parent"), "name a queue further up")
        return
    for resource, amount in (spec.get("capability") or {}).items():
        for ancestor in above:
            limit = get(queues.get(ancestor, {}), ("spec", "capability", resource), None)
            if limit is not None:
                if _is_more(amount, limit):
                    words = f"capability of {resource} ({amount}) is greater than that of queue {ancestor} ({limit})"
                    yield refused(words, ("spec", "capability", resource), "lower it")
                break
    if parent in queues:
        yield from _siblings(spec, name, parent, context)


def _siblings(spec: dict[str, Any], name: str, parent: str, context: Sequence[Tree]) -> Iterator[Fault]:
    """The children of a queue deserve, and are guaranteed, at most what the queue itself is; a share it lacks counts as zero.

    Since volcano v1.14. The queue root has no limits.
    """
    if parent == ROOT or not (spec.get("deserved") or _guarantee(spec)):
        return
    queues = _queues(context)
    above = queues[parent].get("spec") or {}
    others = [queues[other].get("spec") or {} for other in _children(context).get(parent, ()) if other != name]
    for share, of in (("deserved", lambda one: one.get("deserved") or {}), ("guarantee", _guarantee)):
        for resource, amount in of(spec).items():
            limit = of(above).get(resource, 0)
            total = quantity.parse(amount)
            for other in others:
                total = quantity.add(total, quantity.parse(of(other).get(resource, 0)))
            if quantity.compare(total, quantity.parse(limit)) > 0:
                words = f"{share} of {resource} of the children of queue {parent} is greater than its own ({limit})"
                hint = "lower it" if resource in of(above) else f"set {share} of {resource} of queue {parent}"
                yield refused(words, ("spec", share), hint)


def _guarantee(spec: dict[str, Any]) -> dict[str, Any]:
    return (spec.get("guarantee") or {}).get("resource") or {}


def _is_more(left: Any, right: Any) -> bool:
    return quantity.compare(quantity.parse(left), quantity.parse(right)) > 0


def _parent(queue: Tree) -> str:
    return str(get(queue, ("spec", "parent"), None) or ROOT)


def _queues(context: Sequence[Tree]) -> dict[str, Tree]:
    """The queues of the cluster by name."""
    queues: dict[str, Tree] = indexed(context).derived(_by_name)
    return queues


def _children(context: Sequence[Tree]) -> dict[str, list[str]]:
    """Name of a queue -> names of the queues below it."""
    children: dict[str, list[str]] = indexed(context).derived(_by_parent)
    return children


def _by_name(context: Sequence[Tree]) -> dict[str, Tree]:
    return {
        str(get(one, ("metadata", "name"), "")): one
        for one in indexed(context).of_kind("Queue")
        if one.get("apiVersion") == "scheduling.volcano.sh/v1beta1"
    }


def _by_hierarchy(context: Sequence[Tree]) -> list[tuple[str, str]]:
    """The places of all queues that have one in the former hierarchy, sorted, each with the name of its queue."""
    places = [(get(queue, (*_ANNOTATIONS, _HIERARCHY), None) or "", name) for name, queue in _queues(context).items()]
    return sorted(place for place in places if place[0])


def _by_parent(context: Sequence[Tree]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    for name, queue in _queues(context).items():
        children.setdefault(_parent(queue), []).append(name)
    return children
