"""The model of Kueue decides what Kueue decided about recorded workloads."""

from __future__ import annotations

import json
import lzma

from tests.cluster.queueing.compared_queues import differences
from tests.cluster.queueing.record import RECORDED, RELEASE
from tests.cluster.queueing.workloads import GPU, queues
from tjgen.cluster.queueing.kueue.flavor_attempt import in_flavor
from tjgen.cluster.queueing.kueue.flavorassigner import FIT, NO_FIT, PREEMPT, assign
from tjgen.cluster.queueing.kueue.objects import (
    ANY,
    LOWER_PRIORITY,
    ClusterQueue,
    ClusterQueuePreemption,
    PodSetRequest,
    QueuedWorkload,
    ResourceFlavor,
)
from tjgen.cluster.queueing.kueue.preemption import IN_CLUSTER_QUEUE, IN_COHORT_RECLAMATION
from tjgen.cluster.queueing.kueue.scheduler import schedule
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot


def test_flavors_sentences_and_verdicts_are_those_of_kueue() -> None:
    """No recorded cluster differs, and each kind of end occurs."""
    recording = json.loads(lzma.decompress(RECORDED.read_bytes()))
    assert recording["release"] == RELEASE
    assert len(recording["cases"]) >= 100
    assert [line for one in recording["cases"] for line in differences(one["case"], one["verdicts"])] == []
    verdicts = [verdict for one in recording["cases"] for verdict in one["verdicts"]["inTurn"]]
    modes = {(one["mode"], one["alone"]) for one in verdicts}
    assert {("Fit", "Fit"), ("Preempt", "Fit"), ("NoFit", "Fit"), ("NoFit", "NoFit")} <= modes
    reasons = {reason for one in verdicts for _, reason in one.get("targets", ())}
    assert reasons == {"InClusterQueue", "InCohortReclamation", "InCohortReclaimWhileBorrowing"}
    messages = " ".join(message for one in verdicts for message in one.get("messages", ()))
    for reason in ("insufficient quota for", "insufficient unused quota for", "untolerated taint", "doesn't match node affinity"):
        assert reason in messages
    assert "unavailable in ClusterQueue" in messages


def test_domains_and_sentences_of_topologies_are_those_of_kueue() -> None:
    """The recorded clusters contain each kind of request and each sentence, and evictions for domains."""
    recording = json.loads(lzma.decompress(RECORDED.read_bytes()))
    arranged = [one for one in recording["cases"] if "topologies" in one["case"]]
    assert len(arranged) >= 50
    verdicts = [verdict for one in arranged for verdict in one["verdicts"]["inTurn"]]
    assert sum("domains" in one for one in verdicts) >= 100
    assert any("domains" in one and "targets" in one for one in verdicts)
    messages = " ".join(message for one in verdicts for message in one.get("messages", ()))
    for reason in (
        "allows to fit only",
        "doesn't allow to fit any of",
        "slice(s) fit on level",
        "does not contain the requested level",
        "does not support TopologyAwareScheduling",
        "is above the podset topology",
        'taint "',
        "nodeSelector:",
        "affinity:",
    ):
        assert reason in messages


def test_the_comparison_sees_a_difference() -> None:
    """A verdict that Kueue did not give is reported."""
    case = queues(1)
    verdicts = [{"mode": "Fit", "alone": "Fit", "borrows": 0, "flavors": {}, "messages": []} for _ in case["workloads"]]
    lines = list(differences(case, {"inTurn": verdicts, "together": {"admitted": {}, "cycles": 1}}))
    assert len(lines) > 1
    assert lines[-1].startswith("together")


def test_a_queue_borrows_from_its_cohort_until_others_use_it() -> None:
    """The quota of a cohort is shared, and a workload waits for what others use."""
    flavor = ResourceFlavor("a100", {"gpu": "a100"}, (), ({"key": "gpu", "operator": "Exists"},))
    snapshot = QueueSnapshot([ClusterQueue(name, [(flavor, {GPU: 8})], "all") for name in ("one", "two")])
    whole, half = [PodSetRequest("node", 2, {}, {GPU: 16})], [PodSetRequest("node", 1, {}, {GPU: 8})]
    first = assign(QueuedWorkload("first", "one", whole), snapshot)
    assert (first.mode, first.borrowing) == (FIT, 1)
    snapshot.admit(QueuedWorkload("first", "one", whole), first.usage)
    assert assign(QueuedWorkload("second", "two", half), snapshot).mode == PREEMPT
    assert assign(QueuedWorkload("third", "two", [*whole, *half]), snapshot).mode == NO_FIT


def test_a_workload_evicts_lower_priorities_of_its_queue_and_borrowers_of_its_cohort() -> None:
    """In each queue the highest priority is first; a queue that borrows gives the quota back."""
    flavor = ResourceFlavor("a100", {}, (), ())
    policies = {"one": ClusterQueuePreemption(LOWER_PRIORITY, ANY), "two": ClusterQueuePreemption()}
    queues = [ClusterQueue(name, [(flavor, {GPU: 8})], "all", preemption=policy) for name, policy in policies.items()]
    snapshot = QueueSnapshot(queues)
    half = [PodSetRequest("node", 1, {}, {GPU: 8})]
    borrowing = [QueuedWorkload("b1", "two", half, 0, 1), QueuedWorkload("b2", "two", half, 0, 2)]
    assert set(schedule(snapshot, borrowing).admitted) == {"b1", "b2"}
    reclaiming = schedule(snapshot, [QueuedWorkload("a", "one", half, 0, 3)])
    assert [(one.victim.name, one.preemptor.name, one.reason) for one in reclaiming.evictions] == [
        ("b2", "a", IN_COHORT_RECLAMATION)
    ]
    assert (set(reclaiming.admitted), set(reclaiming.waiting)) == ({"a"}, {"b2"})
    urgent = schedule(snapshot, [QueuedWorkload("urgent", "one", half, 100, 4), QueuedWorkload("late", "one", half, 0, 5)])
    assert [(one.victim.name, one.reason) for one in urgent.evictions] == [("a", IN_CLUSTER_QUEUE)]
    assert (set(urgent.admitted), set(urgent.waiting)) == ({"urgent"}, {"a", "late"})


def test_the_head_of_a_strict_queue_keeps_the_others_waiting() -> None:
    """A BestEffortFIFO queue tries the next workload."""
    flavor = ResourceFlavor("a100", {}, (), ())
    for is_strict in (True, False):
        snapshot = QueueSnapshot([ClusterQueue("one", [(flavor, {GPU: 8})], is_strict=is_strict)])
        pending = [QueuedWorkload(f"w{gpus}", "one", [PodSetRequest("node", 1, {}, {GPU: gpus})], 0, -gpus) for gpus in (4, 8, 2)]
        snapshot.admit(QueuedWorkload("running", "one", ()), {("a100", GPU): 2})
        outcome = schedule(snapshot, pending)
        assert set(outcome.admitted) == (set() if is_strict else {"w4", "w2"})
        assert set(outcome.waiting) == ({"w8", "w4", "w2"} if is_strict else {"w8"})


def test_admitted_pods_get_the_labels_and_tolerations_of_their_flavor() -> None:
    """The scheduler sees them."""
    flavor = ResourceFlavor("a100", {"gpu": "a100"}, (), ({"key": "gpu", "operator": "Exists"},))
    spec = in_flavor({"nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "team"}]}, flavor)
    assert spec["nodeSelector"] == {"disk": "ssd", "gpu": "a100"}
    assert spec["tolerations"] == [{"key": "team"}, {"key": "gpu", "operator": "Exists"}]
