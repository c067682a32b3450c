"""A run that stays pending on an empty cluster -> the field that keeps it there, and the change that lets it start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from tjgen.cluster.queueing.kueue.flavorassigner import FIT, assign_alone
from tjgen.cluster.queueing.kueue.objects import (
    ClusterQueue,
    FlavorTopology,
    PodSetRequest,
    QueuedWorkload,
    ResourceFlavor,
    TopologyRequest,
)
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.filters.table import check_node
from tjgen.cluster.scheduling.filters.taint_toleration import untolerated_taint
from tjgen.cluster.scheduling.hyper_nodes import TOP
from tjgen.cluster.scheduling.node import Node, shown
from tjgen.cluster.scheduling.pod import REQUIRED, SchedulingPod
from tjgen.compiler.fit.demand import ANY_TIER, Demand
from tjgen.compiler.fit.placement import Placement, try_place
from tjgen.compiler.fit.queues import pod_sets
from tjgen.compiler.fit.verdicts import FitRun
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.nearest import nearest
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
        yield Cause(TAINT, taint["key"], (), f"tolerate the taint of these nodes: pod: {{tolerations: [{_toleration(taint)}]}}")


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


# A gang that fits no HyperNode of its network topology -> the changes with which it fits.

_MOST_PODS = 64
"""Above it, no smaller number of pods is looked for."""


def network_hint(demand: Demand, cluster: ScheduledCluster) -> str | None:
    """The changes to a run that fits the nodes of the empty `cluster`, but not its HyperNodes; None for another run."""
    if demand.highest_tier is None or not cluster.hyper_nodes or not _fits(demand, cluster, ANY_TIER):
        return None
    return f"use {', or '.join(_changes(demand, cluster))}"


def anywhere(demand: Demand) -> Demand:
    """A run with a gang of Volcano without its network topology."""
    assert demand.volcano is not None, "the run has a gang of Volcano"
    return demand._replace(volcano=demand.volcano._replace(highest_tier=None))


def _changes(demand: Demand, cluster: ScheduledCluster) -> Iterator[str]:
    assert demand.highest_tier is not None, "the caller looks for a topology"
    tiers = sorted({one.tier for one in cluster.hyper_nodes if one.name != TOP and one.tier > demand.highest_tier})
    wider = next((tier for tier in tiers if _fits(demand, cluster, tier)), None)
    if wider is not None:
        yield f"highestTierAllowed: {wider}"
    yield "mode: soft"
    (own, *others) = demand.sets
    for number in range(min(len(own.pods), _MOST_PODS + 1) - 1, 0, -1) if not others else ():
        if _fits(demand._replace(sets=(own._replace(pods=own.pods[:number]),), gang=number), cluster, demand.highest_tier):
            yield f"at most {number} of {len(own.pods)} pods of {own.role}"
            return


def _fits(demand: Demand, cluster: ScheduledCluster, tier: int) -> bool:
    """Whether all pods fit a HyperNode up to a tier."""
    assert demand.volcano is not None, "the run has a network topology"
    group = demand.volcano._replace(highest_tier=tier, min_resources=demand.resources)
    return try_place(demand._replace(volcano=group, least=demand.number), cluster).fits


# A run that its queue never admits, and the flavors of the queue -> the change with which Kueue admits it.


def queue_hint(run: FitRun, queue: ClusterQueue) -> str | None:
    """The change for a resource that no flavor covers, or for pods whose nodes no flavor has; None for a small quota."""
    covered = {resource for _, quota in queue.flavors for resource in quota}
    for request in pod_sets(run.demand):
        missing = next((resource for resource, amount in request.requests.items() if amount and resource not in covered), None)
        if missing is not None and missing != "pods":
            return f"add {missing} to the quota of a flavor of queue {queue.name} in the Platform, or do not request it"
        hints = [_nodes_hint(request.spec, flavor) for flavor, _ in queue.flavors]
        if hints and None not in hints:
            return hints[0]
    return None


def _toleration(taint: Mapping[str, str]) -> str:
    """The entry of `tolerations` for a taint, to paste."""
    value = f", value: {taint['value']}" if taint.get("value") else ""
    return f"{{key: {taint['key']}, operator: {'Equal' if value else 'Exists'}{value}, effect: {taint.get('effect', '')}}}"


def _nodes_hint(spec: Tree, flavor: ResourceFlavor) -> str | None:
    """The change with which pods match the nodes of a flavor; None if they match."""
    taint = untolerated_taint(flavor.taints, [*(spec.get("tolerations") or ()), *flavor.tolerations])
    if taint is not None:
        entry = _toleration(taint)
        return (
            f"tolerate the taint of flavor {flavor.name}: pod: {{tolerations: [{entry}]}}, or tolerations of the flavor or "
            "of the device class in the Platform"
        )
    for label, value in (spec.get("nodeSelector") or {}).items():
        if flavor.labels.get(label, value) != value:
            return (
                f"select {label}: {flavor.labels[label]}, as flavor {flavor.name} has it, or add a flavor with {label}: {value}"
            )
    return None


# A run whose pods fit no domains of a topology -> the field that causes it, and the changes with which they fit.

_TOPOLOGY: FieldPath = ("spec", "schedule", "topology")


class TopologyCause(NamedTuple):
    """Why no domains take the pods of a run."""

    field: FieldPath
    """The field of the experiment; `nodes` if the experiment requests no level."""
    hint: str
    is_unknown: bool
    """Whether no flavor of the queue has the level, or a topology."""


def topology_cause(run: FitRun, quotas: QueueSnapshot) -> TopologyCause | None:
    """The cause for a run that its queue never admits; None if it is not a topology. `quotas` has no workloads."""
    queue, requests = quotas.queues.get(run.queue), pod_sets(run.demand)
    if queue is None:
        return None
    topologies = [flavor.topology for flavor, _ in queue.flavors if flavor.topology is not None]
    flat = queue._replace(flavors=[(flavor._replace(topology=None), quota) for flavor, quota in queue.flavors])
    cohort = [quotas.queues[name] for name in quotas.cohort_queues(queue)]
    if not _fits_domains(run, [one._replace(topology=None) for one in requests], QueueSnapshot([flat, *cohort])):
        return None
    own = [one.topology for one in requests if one.topology is not None]
    if own and not topologies:
        hint = f"set topology of a flavor of queue {run.queue}, and its levels in topologies of the Platform"
        return TopologyCause(_field(own[0]), hint, is_unknown=True)
    for request in own:
        if not any(request.is_possible(one.levels) or not one.levels for one in topologies):
            return _unknown(request, topologies)
    field = _field(own[0]) if own else ("spec", "nodes")
    changes = list(_changes_of_domains(run, requests, topologies, quotas))
    hint = f"use {', or '.join(changes)}" if changes else "compare the pods with the nodes of each domain"
    return TopologyCause(field, hint, is_unknown=False)


def _unknown(request: TopologyRequest, topologies: Sequence[FlavorTopology]) -> TopologyCause:
    levels = list(dict.fromkeys(label for one in topologies for label in one.levels))
    wanted = [request.required, request.preferred, *(label for label, _ in request.slices)]
    missing = next((label for label in wanted if label and label not in levels), "")
    near = nearest(missing, levels)
    hint = f'did you mean "{near}"?' if near else f"the levels are {', '.join(levels)}"
    field = "slice" if missing not in (request.required, request.preferred) else _kind(request)
    return TopologyCause((*_TOPOLOGY, field), hint, is_unknown=True)


def _changes_of_domains(
    run: FitRun, requests: Sequence[PodSetRequest], topologies: Sequence[FlavorTopology], quotas: QueueSnapshot
) -> Iterator[str]:
    """The changes with each of which the run fits."""

    def fits(change: TopologyRequest) -> bool:
        changed = [one._replace(topology=change if one.topology is not None else None) for one in requests]
        return _fits_domains(run, changed, quotas)

    request = next((one.topology for one in requests if one.topology is not None), None)
    if request is not None and request.required:
        above = [label for one in topologies for label in reversed(one.levels[: _position(one, request.required)])]
        wider = next((label for label in above if fits(request._replace(required=label))), None)
        if wider is not None:
            yield f"topology: {{required: {wider}}}"
        if fits(request._replace(required="", preferred=request.required)):
            yield f"topology: {{preferred: {request.required}}}"
    if request is not None and request.slices and fits(request._replace(slices=(), unconstrained=True)):
        yield "no slice"
    largest = max(requests, key=lambda one: one.number)
    size = request.slices[0][1] if request is not None and request.slices else 1
    whole = (min(largest.number, _MOST_PODS + 1) - 1) // size * size
    for number in range(whole, 0, -size):
        fewer = largest._replace(number=number, requests={name: amount * number for name, amount in largest.per_pod.items()})
        if _fits_domains(run, [fewer if one is largest else one for one in requests], quotas):
            yield f"at most {number} of {largest.number} pods of {largest.name}"
            return


def _fits_domains(run: FitRun, requests: Sequence[PodSetRequest], quotas: QueueSnapshot) -> bool:
    return assign_alone(QueuedWorkload(run.title, run.queue, requests), quotas).mode == FIT


def _position(topology: FlavorTopology, label: str) -> int:
    return topology.levels.index(label) if label in topology.levels else 0


def _kind(request: TopologyRequest) -> str:
    if request.required or request.preferred:
        return "required" if request.required else "preferred"
    return "slice" if request.slices else "unconstrained"


def _field(request: TopologyRequest) -> FieldPath:
    return (*_TOPOLOGY, _kind(request))
