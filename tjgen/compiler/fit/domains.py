"""Annotations of a pod template -> the request for domains of a topology. Domains of Kueue -> the pods that are bound to them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

from tjgen.cluster.queueing.kueue.flavor_attempt import in_flavor
from tjgen.cluster.queueing.kueue.flavorassigner import Assignment
from tjgen.cluster.queueing.kueue.objects import TopologyAssignment, TopologyRequest
from tjgen.cluster.queueing.kueue.topology import NodeUsage, add_amounts
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.node import PODS
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.compiler.fit.demand import Demand, DemandSet
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.labels import (
    KUEUE_GROUP,
    KUEUE_POD_SET,
    KUEUE_PREFERRED,
    KUEUE_REQUIRED,
    KUEUE_SLICE_LAYERS,
    KUEUE_SLICE_LEVEL,
    KUEUE_SLICE_SIZE,
    KUEUE_UNCONSTRAINED,
)

_MOST_DOMAINS = 3
"""Above it, further domains are counted."""
_TRUE = ("1", "t", "T", "true", "TRUE", "True")
"""What `strconv.ParseBool` reads as true."""


def topology_request(annotations: Mapping[str, object]) -> TopologyRequest | None:
    """`podSetTopologyRequestBuilder.Build`: the request of a pod set; None if its annotations contain none."""
    own = {key: str(value) for key, value in annotations.items()}
    required = own.get(KUEUE_REQUIRED, "")
    preferred = "" if required else own.get(KUEUE_PREFERRED, "")
    value = None if required or preferred else own.get(KUEUE_UNCONSTRAINED)
    slices = _slices(own)
    if not (required or preferred or slices or value is not None):
        return None
    group = own.get(KUEUE_GROUP, "") if required or preferred else ""
    return TopologyRequest(required, preferred, None if value is None else value in _TRUE, slices, group)


def _slices(annotations: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    """The layers of slices. A webhook of Kueue refuses annotations that cannot be read; they count as absent."""
    if KUEUE_SLICE_LAYERS in annotations:
        try:
            layers: Tree = json.loads(annotations[KUEUE_SLICE_LAYERS])
            return tuple([(str(one["topology"]), int(one["size"])) for one in layers if int(one["size"]) > 0])
        except (ValueError, TypeError, KeyError):
            return ()
    size = annotations.get(KUEUE_SLICE_SIZE, "")
    if KUEUE_SLICE_LEVEL in annotations and size.isdecimal() and int(size):
        return ((annotations[KUEUE_SLICE_LEVEL], int(size)),)
    return ()


def admitted(demand: Demand, assignment: Assignment) -> Demand:
    """The pods as the scheduler reads them after the run is admitted: with the labels and tolerations of their flavors.

    Pods that Kueue places also select the labels of their domain.
    """
    flavors = assignment.flavors

    def change(pod: SchedulingPod, role: str) -> SchedulingPod:
        flavor = flavors.get(role)
        return pod if flavor is None else pod._replace(spec=in_flavor(pod.spec, flavor), kind=f"{pod.kind} {flavor.name}")

    changed = demand.changed(change)
    if not assignment.domains:
        return changed
    return changed._replace(sets=tuple([_in_domains(one, assignment.domains.get(one.role)) for one in changed.sets]))


def _in_domains(one: DemandSet, assigned: TopologyAssignment | None) -> DemandSet:
    """The pods of a set, in the order of the domains (`topology_ungater.go`)."""
    if assigned is None:
        return one
    places = [dict(zip(assigned.levels, path, strict=True)) for path, count in assigned.domains for _ in range(count)]
    return one._replace(pods=tuple([_in_domain(pod, place, one.role) for pod, place in zip(one.pods, places, strict=False)]))


def _in_domain(pod: SchedulingPod, place: Mapping[str, str], role: str) -> SchedulingPod:
    spec = {**pod.spec, "nodeSelector": {**(pod.spec.get("nodeSelector") or {}), **place}}
    return pod._replace(spec=spec, labels={**pod.labels, KUEUE_POD_SET: role}, is_plain=False)


def other_usage(cluster: ScheduledCluster) -> NodeUsage:
    """What the pods that Kueue did not place use of each node."""
    usage: dict[str, dict[str, int]] = {}
    for position, node in enumerate(cluster.nodes):
        for pod in cluster.pods(position):
            if KUEUE_POD_SET not in pod.labels:
                used = usage.setdefault(node.name, {})
                add_amounts(used, pod.requests)
                add_amounts(used, {PODS: 1})
    return usage


def shown_domains(assignment: Assignment | None) -> str:
    """The domains of a run with the number of pods in each, such as `b0/r1: 2, b0/r2: 1`; empty if it has none."""
    totals: Counter[str] = Counter()
    for one in assignment.domains.values() if assignment is not None else ():
        for path, count in one.domains:
            totals["/".join(path)] += count
    several = [f"{name}: {count}" for name, count in totals.items()]
    more = [f"{len(several) - _MOST_DOMAINS} more"] if len(several) > _MOST_DOMAINS else []
    return ", ".join([*several[:_MOST_DOMAINS], *more])
