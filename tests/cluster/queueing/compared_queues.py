"""Queues of `workloads.py` and what Kueue did with the workloads -> where the model differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tjgen.cluster.queueing.kueue.flavorassigner import FIT, NO_FIT, Assignment, assign, place_after
from tjgen.cluster.queueing.kueue.objects import (
    NEVER,
    ClusterQueue,
    ClusterQueuePreemption,
    FlavorTopology,
    PodSetRequest,
    QueuedWorkload,
    ResourceFlavor,
    TopologyRequest,
)
from tjgen.cluster.queueing.kueue.scheduler import MOST_EVICTIONS, find_targets, schedule
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.queueing.kueue.topology import add_amounts
from tjgen.cluster.scheduling.node import PODS, amounts, read_node
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.trees.k8s.quantity import parse

Tree = dict[str, Any]


def model(case: Tree) -> QueueSnapshot:
    """The queues of a case."""
    topologies = {
        one["metadata"]["name"]: FlavorTopology(
            one["metadata"]["name"], tuple([level["nodeLabel"] for level in one["spec"]["levels"]])
        )
        for one in case.get("topologies", ())
    }
    flavors = {
        one["metadata"]["name"]: ResourceFlavor(
            one["metadata"]["name"],
            one["spec"].get("nodeLabels", {}),
            one["spec"].get("nodeTaints", ()),
            one["spec"].get("tolerations", ()),
            topologies.get(one["spec"].get("topologyName")),
        )
        for one in case["flavors"]
    }
    others: dict[str, dict[str, int]] = {}
    for pod in case.get("pods", ()):
        used = others.setdefault(pod["spec"]["nodeName"], {})
        add_amounts(used, {**amounts(pod_requests(pod["spec"])), PODS: 1})
    return QueueSnapshot(
        [
            ClusterQueue(
                one["metadata"]["name"],
                [
                    (flavors[each["name"]], amounts({cell["name"]: parse(cell["nominalQuota"]) for cell in each["resources"]}))
                    for each in one["spec"]["resourceGroups"][0]["flavors"]
                ],
                one["spec"].get("cohortName", ""),
                one["spec"]["queueingStrategy"] == "StrictFIFO",
                _preemption(one["spec"].get("preemption", {})),
            )
            for one in case["queues"]
        ],
        [read_node(one) for one in case.get("nodes", ())],
        others,
    )


def _preemption(policy: Tree) -> ClusterQueuePreemption:
    borrow = policy.get("borrowWithinCohort", {})
    return ClusterQueuePreemption(
        policy.get("withinClusterQueue", NEVER),
        policy.get("reclaimWithinCohort", NEVER),
        borrow.get("policy", NEVER) != NEVER,
        borrow.get("maxPriorityThreshold"),
    )


def workload_of(one: Tree) -> QueuedWorkload:
    """A workload of a case. The hour and minute of its creation stand for its time."""
    metadata, spec = one["metadata"], one["spec"]
    created = int(metadata["creationTimestamp"][11:16].replace(":", ""))
    return QueuedWorkload(
        metadata["name"], spec["queueName"], [_pod_set(each) for each in spec["podSets"]], spec["priority"], created
    )


def differences(case: Tree, verdict: Tree) -> Iterator[str]:
    """A line for each workload about which the model and Kueue differ."""
    yield from _in_turn(case, verdict["inTurn"])
    outcome = schedule(model(case), [workload_of(one) for one in case["workloads"]])
    admitted = {name: {podset: flavor.name for podset, flavor in one.flavors.items()} for name, one in outcome.admitted.items()}
    domains = {name: _domains(one) for name, one in outcome.admitted.items() if _domains(one)}
    if sorted([*outcome.admitted, *outcome.waiting]) != sorted(one["metadata"]["name"] for one in case["workloads"]):
        yield "together: a workload has no result, or two"
    evictions = sorted([one.victim.name, one.preemptor.name, one.reason] for one in outcome.evictions)
    ends = []
    for real in (verdict["together"], *verdict.get("alternatives", ())):
        evicted = Counter(victim for victim, _, _ in real.get("evictions", ()))
        if evicted and max(evicted.values()) > MOST_EVICTIONS:
            # Kueue evicts and admits the same workloads forever; the model stops, and reports them.
            if not outcome.unsettled:
                yield "together: Kueue never ends"
            return
        ends.append((real["admitted"], sorted(real.get("evictions", [])), real.get("domains", {})))
    if (admitted, evictions, domains) not in ends:
        yield f"together: {ends}\n  here {(admitted, evictions, domains)}"


def _in_turn(case: Tree, verdicts: Sequence[Tree]) -> Iterator[str]:
    """Workloads that are submitted one after the other."""
    snapshot = model(case)
    empty = snapshot.without_workloads()
    for tree, real in zip(case["workloads"], verdicts, strict=True):
        workload = workload_of(tree)
        name = workload.name
        assignment = assign(workload, snapshot)
        alone = assign(workload, empty)
        if (assignment.mode, alone.mode) != (real["mode"], real["alone"]):
            yield f"{name}: {real['mode']}, alone {real['alone']}, here {assignment.mode}, {alone.mode}: {assignment.message}"
            return
        if assignment.mode != NO_FIT and assignment.borrowing != real["borrows"]:
            yield f"{name}: borrows {real['borrows']}, here {assignment.borrowing}"
        chosen = {podset: flavor.name for podset, flavor in assignment.flavors.items()}
        if chosen != real.get("flavors", {}):
            yield f"{name}: {real['flavors']}, here {chosen}"
        if assignment.mode != FIT and not _is_possible(assignment.message, real["messages"]):
            yield f"{name}:\n  {real['messages']}\n  {assignment.message}"
        targets = find_targets(snapshot, workload, assignment)
        assignment = place_after(workload, snapshot, assignment, [one.admitted for one in targets])
        if _domains(assignment) != real.get("domains", {}):
            yield f"{name}: in {real.get('domains', {})}, here {_domains(assignment)}"
        evicted = [[one.admitted.workload.name, one.reason] for one in targets]
        if evicted != real.get("targets", []):
            yield f"{name}: evicts {real.get('targets', [])}, here {evicted}"
        snapshot.time += 1
        for one in targets:
            snapshot.remove(one.admitted)
        if assignment.mode == FIT or targets:
            snapshot.admit(workload, assignment.usage, assignment.domain_usage)


def _domains(assignment: Assignment) -> Tree:
    """Pod set -> its domains, as the recorder writes them."""
    return {
        name: [{"path": list(path), "count": count} for path, count in one.domains]
        for name, one in assignment.domains.items()
        if one.domains
    }


def _pod_set(one: Tree) -> PodSetRequest:
    spec = one["template"]["spec"]
    requests = {name: amount * one["count"] for name, amount in amounts(pod_requests(spec)).items()}
    return PodSetRequest(one["name"], one["count"], spec, requests, _topology(one.get("topologyRequest")))


def _topology(request: Tree | None) -> TopologyRequest | None:
    if request is None:
        return None
    layers = request.get("podsetSliceRequiredTopologyConstraints", [])
    if "podSetSliceRequiredTopology" in request:
        layers = [{"topology": request["podSetSliceRequiredTopology"], "size": request["podSetSliceSize"]}]
    return TopologyRequest(
        request.get("required", ""),
        request.get("preferred", ""),
        request.get("unconstrained"),
        tuple([(one["topology"], one["size"]) for one in layers]),
        request.get("podSetGroupName", ""),
    )


def _is_possible(message: str, messages: Sequence[str]) -> bool:
    """Whether Kueue writes the message. It looks at resources in any order, and stops at the first that cannot fit.

    So the recorded messages of one workload may differ in that, and each reason here must be one of theirs.
    """
    if message in messages:
        return True
    known = {part for one in messages for part in _parts(one)}
    return len(messages) > 1 and all(part in known for part in _parts(message))


def _parts(message: str) -> list[tuple[str, str]]:
    """Pod set and reason, for each reason in a message."""
    found = []
    for sentence in message.removeprefix("couldn't assign flavors to pod set ").split("; couldn't assign flavors to pod set "):
        name, _, reasons = sentence.partition(": ")
        found += [(name, reason) for reason in re.split(r", (?=insufficient |flavor |untolerated |resource )", reasons)]
    return found
