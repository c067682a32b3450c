"""A run that stays pending on an empty cluster -> the field that keeps it there, and the change that lets it start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.filters.table import check_node
from tjgen.cluster.scheduling.filters.taint_toleration import untolerated_taint
from tjgen.cluster.scheduling.node import Node, shown
from tjgen.cluster.scheduling.pod import REQUIRED, SchedulingPod
from tjgen.compiler.fit.demand import Demand
from tjgen.compiler.fit.placement import Placement, try_place
from tjgen.compiler.fit.queue_causes import toleration
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import NamedTuple

_TOLERATE_ALL = {"operator": "Exists"}
_MOST_DEVICES = 64
"""Above it, no smaller number of devices is looked for."""
TAINT, SELECTOR, RESOURCE, NUMBER, OTHER = "taint", "selector", "resource", "number", "other"


class Cause(NamedTuple):
    """Why a run never starts."""

    kind: str
    """TAINT, SELECTOR, RESOURCE, NUMBER, or OTHER."""
    name: str
    """Label of the selector, or resource; else empty."""
    path: FieldPath
    """Field of the pod's manifest, from its template; empty for the run."""
    hint: str
    values: tuple[str, ...] = ()
    """Values of the label on nodes that the pod fits."""


def causes(placement: Placement, demand: Demand, cluster: ScheduledCluster) -> list[Cause]:
    """The changes that together let the run start. `cluster` is empty."""
    pod, own = placement.pending, placement.pending_set
    assert pod is not None and own is not None, "the run stays pending"
    if cluster.attempt(pod).node is not None:
        return [_number(placement, demand, cluster), *_of_other_roles(own.role, demand, cluster)]
    for size in (1, 2, 3):
        for kinds in combinations((TAINT, SELECTOR, RESOURCE), size):
            changed, reasons = _relaxed(pod, kinds, cluster)
            if len({one.kind for one in reasons}) == size and cluster.attempt(changed).node is not None:
                return [*reasons, *_remaining(own.role, kinds, demand, cluster)]
    return [Cause(OTHER, "", (), "compare the pod with the nodes of the Platform: no single change lets it start")]


def _remaining(role: str, kinds: Sequence[str], demand: Demand, cluster: ScheduledCluster) -> list[Cause]:
    """What else keeps the run from its start, after the changes of `kinds` in the pods of one role."""
    changed = demand.changed(lambda pod, own: _relaxed(pod, kinds, cluster)[0] if own == role else pod)
    placement = try_place(changed, cluster)
    pending = placement.pending_set
    if pending is None or placement.starts(changed):
        return []
    more = causes(placement, changed, cluster)
    return more if pending.role == role else [_for(pending.role, one) for one in more]


def _of_other_roles(role: str, demand: Demand, cluster: ScheduledCluster) -> Iterator[Cause]:
    """What keeps a pod of each other role from all nodes."""
    for one in demand.sets:
        if one.role != role and cluster.attempt(one.pods[0]).node is None:
            alone = demand._replace(sets=(one,))
            yield from (_for(one.role, cause) for cause in causes(try_place(alone, cluster), alone, cluster))


def _for(role: str, cause: Cause) -> Cause:
    return cause._replace(hint=f"for {role}: {cause.hint}")


def _relaxed(pod: SchedulingPod, kinds: Sequence[str], cluster: ScheduledCluster) -> tuple[SchedulingPod, list[Cause]]:
    """The pod without what keeps it from nodes, and what was changed."""
    reasons: list[Cause] = []
    original = pod
    if TAINT in kinds:
        pod = _changed(pod, {"tolerations": [_TOLERATE_ALL]})
    if SELECTOR in kinds:
        affinity = dict(pod.spec.get("affinity") or {})
        if affinity.get("nodeAffinity"):
            affinity["nodeAffinity"] = {key: value for key, value in affinity["nodeAffinity"].items() if key != REQUIRED}
        pod = _changed(pod, {"nodeSelector": {}, "affinity": affinity})
    nodes = [node for node in cluster.nodes if check_node(pod, node) is None]
    if RESOURCE in kinds and nodes:
        best = max(nodes, key=lambda node: _closeness(pod, node))
        for resource, amount in pod.requests.items():
            most = best.allocatable.get(resource, 0)
            if amount > most:
                text = f"request at most {shown(resource, most)} of {resource} for each pod"
                hint = text if most else f"do not request {resource}: these nodes have none"
                reasons.append(Cause(RESOURCE, resource, (), hint))
                pod = pod._replace(requests={**pod.requests, resource: most})
        pod = pod._replace(kind=f"{pod.kind} less")
    fitting = [node for node in nodes if all(amount <= node.allocatable.get(name, 0) for name, amount in pod.requests.items())]
    if TAINT in kinds:
        reasons += _taints(original, fitting)
    if SELECTOR in kinds:
        reasons += _selectors(original, fitting)
    return pod, reasons


def _changed(pod: SchedulingPod, fields: Tree) -> SchedulingPod:
    return pod._replace(spec={**pod.spec, **fields}, kind=f"{pod.kind} {sorted(fields)}")


def _closeness(pod: SchedulingPod, node: Node) -> tuple[int, float]:
    """How near a node is to the requests: the number of resources that suffice, then the share of the others."""
    shares = [min(node.allocatable.get(name, 0) / amount, 1.0) for name, amount in pod.requests.items()]
    return sum(share >= 1 for share in shares), sum(shares)


def _taints(pod: SchedulingPod, nodes: Sequence[Node]) -> Iterator[Cause]:
    tolerations = pod.spec.get("tolerations") or ()
    taints = (untolerated_taint(node.taints, tolerations) for node in nodes)
    taint = next((one for one in taints if one is not None), None)
    if taint is not None:
        yield Cause(TAINT, taint["key"], (), f"tolerate the taint of these nodes: pod: {{tolerations: [{toleration(taint)}]}}")


def _selectors(pod: SchedulingPod, nodes: Sequence[Node]) -> Iterator[Cause]:
    for label, value in (pod.spec.get("nodeSelector") or {}).items():
        values = sorted({node.labels[label] for node in nodes if label in node.labels})
        if value not in values and nodes:
            having = (
                f"select {label}: {' or '.join(values)}, as nodes that the pod fits have it"
                if values
                else f"select other nodes: no node that the pod fits has the label {label}"
            )
            yield Cause(SELECTOR, label, ("spec", "nodeSelector", label), having, tuple(values))
    if (pod.spec.get("affinity") or {}).get("nodeAffinity", {}).get(REQUIRED):
        yield Cause(SELECTOR, "", ("spec", "affinity"), "require labels that the nodes have")


def _number(placement: Placement, demand: Demand, cluster: ScheduledCluster) -> Cause:
    """One pod fits, and all do not: the number that fits, and the number of devices with which all fit."""
    own = placement.pending_set
    assert own is not None and placement.pending is not None, "the run stays pending"
    fitting = (
        sum(pod.name.startswith(own.pods[0].name) for pod, _ in placement.placed)
        if len(demand.sets) > 1
        else len(placement.placed)
    )
    device = next((name for name in placement.pending.requests if "/" in name), None)
    hint = f'{fitting} of {len(own.pods)} pods of "{own.role}" fit: use fewer pods'
    count = placement.pending.requests[device] if device is not None else 0
    for fewer in range(min(count, _MOST_DEVICES + 1) - 1, 0, -1):
        if device is not None and _fits_with(demand, device, fewer, cluster):
            hint += f", or at most {fewer} of {device} for each pod"
            break
    return Cause(NUMBER, "", (), hint)


def _fits_with(demand: Demand, device: str, count: int, cluster: ScheduledCluster) -> bool:
    def change(pod: SchedulingPod, role: str) -> SchedulingPod:
        if pod.requests.get(device, 0) <= count:
            return pod
        return pod._replace(requests={**pod.requests, device: count}, kind=f"{pod.kind} {count}")

    return try_place(demand.changed(change), cluster).fits
