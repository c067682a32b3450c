"""A run whose pods fit no domains of a topology -> the field that causes it, and the changes with which they fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.queueing.kueue.flavorassigner import FIT, assign_alone
from tjgen.cluster.queueing.kueue.objects import FlavorTopology, PodSetRequest, QueuedWorkload, TopologyRequest
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.compiler.fit.queues import pod_sets
from tjgen.compiler.fit.verdicts import FitRun
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.typing import NamedTuple

_TOPOLOGY: FieldPath = ("spec", "schedule", "topology")
_MOST_PODS = 64
"""Above it, no smaller number of pods is looked for."""


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
    if not _fits(run, [one._replace(topology=None) for one in requests], QueueSnapshot([flat, *cohort])):
        return None
    own = [one.topology for one in requests if one.topology is not None]
    if own and not topologies:
        hint = f"set topology of a flavor of queue {run.queue}, and its levels in topologies of the Platform"
        return TopologyCause(_field(own[0]), hint, is_unknown=True)
    for request in own:
        if not any(request.is_possible(one.levels) or not one.levels for one in topologies):
            return _unknown(request, topologies)
    field = _field(own[0]) if own else ("spec", "nodes")
    changes = list(_changes(run, requests, topologies, quotas))
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


def _changes(
    run: FitRun, requests: Sequence[PodSetRequest], topologies: Sequence[FlavorTopology], quotas: QueueSnapshot
) -> Iterator[str]:
    """The changes with each of which the run fits."""

    def fits(change: TopologyRequest) -> bool:
        changed = [one._replace(topology=change if one.topology is not None else None) for one in requests]
        return _fits(run, changed, quotas)

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
        if _fits(run, [fewer if one is largest else one for one in requests], quotas):
            yield f"at most {number} of {largest.number} pods of {largest.name}"
            return


def _fits(run: FitRun, requests: Sequence[PodSetRequest], quotas: QueueSnapshot) -> bool:
    return assign_alone(QueuedWorkload(run.title, run.queue, requests), quotas).mode == FIT


def _position(topology: FlavorTopology, label: str) -> int:
    return topology.levels.index(label) if label in topology.levels else 0


def _kind(request: TopologyRequest) -> str:
    if request.required or request.preferred:
        return "required" if request.required else "preferred"
    return "slice" if request.slices else "unconstrained"


def _field(request: TopologyRequest) -> FieldPath:
    return (*_TOPOLOGY, _kind(request))
