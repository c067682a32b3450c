"""The model of Kueue decides what Kueue decided about recorded workloads."""

from __future__ import annotations

import json
import lzma

from tests.cluster.queueing.compared_queues import differences
from tests.cluster.queueing.record import RECORDED, RELEASE
from tests.cluster.queueing.workloads import queues
from tjgen.cluster.queueing.kueue import FITS, NEVER, WAITS, ClusterQueue, PodSetRequest, Quotas, ResourceFlavor, in_flavor


def test_flavors_sentences_and_verdicts_are_those_of_kueue() -> None:
    """No recorded cluster differs, and each kind of end occurs."""
    recording = json.loads(lzma.decompress(RECORDED.read_bytes()))
    assert recording["release"] == RELEASE
    assert len(recording["cases"]) >= 100
    assert [line for one in recording["cases"] for line in differences(one["case"], one["verdicts"])] == []
    verdicts = [verdict for one in recording["cases"] for verdict in one["verdicts"]]
    modes = {(one["mode"], one["alone"]) for one in verdicts}
    assert {("Fit", "Fit"), ("Preempt", "Fit"), ("NoFit", "Fit"), ("NoFit", "NoFit")} <= modes
    messages = " ".join(message for one in verdicts for message in one.get("messages", ()))
    for reason in ("insufficient quota for", "insufficient unused quota for", "untolerated taint", "doesn't match node affinity"):
        assert reason in messages
    assert "unavailable in ClusterQueue" in messages


def test_the_comparison_sees_a_difference() -> None:
    """A verdict that Kueue did not give is reported."""
    case = queues(1)
    verdicts = [{"mode": "Fit", "alone": "Fit", "flavors": {}} for _ in case["workloads"]]
    assert list(differences(case, verdicts))


def test_a_queue_borrows_from_its_cohort_until_others_use_it() -> None:
    """The quota of a cohort is shared, and a workload waits for what others use."""
    flavor = ResourceFlavor("a100", {"gpu": "a100"}, (), ({"key": "gpu", "operator": "Exists"},))
    quotas = Quotas([ClusterQueue(name, [(flavor, {"nvidia.com/gpu": 8})], "all") for name in ("one", "two")])
    whole = [PodSetRequest("node", 2, {}, {"nvidia.com/gpu": 16})]
    half = [PodSetRequest("node", 1, {}, {"nvidia.com/gpu": 8})]
    first = quotas.assign("one", whole)
    assert (first.mode, quotas.borrows("one", first)) == (FITS, True)
    quotas.admit("one", first)
    assert quotas.assign("two", half).mode == WAITS
    assert quotas.assign("two", [*whole, *half]).mode == NEVER


def test_admitted_pods_get_the_labels_and_tolerations_of_their_flavor() -> None:
    """The scheduler sees them."""
    flavor = ResourceFlavor("a100", {"gpu": "a100"}, (), ({"key": "gpu", "operator": "Exists"},))
    spec = in_flavor({"nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "team"}]}, flavor)
    assert spec["nodeSelector"] == {"disk": "ssd", "gpu": "a100"}
    assert spec["tolerations"] == [{"key": "team"}, {"key": "gpu", "operator": "Exists"}]
