"""`tjgen fit` predicts which jobs Volcano's scheduler starts in recorded clusters, their order, and the messages of others."""

from __future__ import annotations

import json
import lzma

import pytest

from tests.cluster.queueing.volcano.clusters import cluster, network
from tests.cluster.queueing.volcano.compared import differences
from tests.cluster.queueing.volcano.record import RECORDED, RELEASE
from tjgen.cluster.queueing.volcano.messages import gang_message
from tjgen.cluster.queueing.volcano.objects import VolcanoCluster, WeightedQueue
from tjgen.cluster.queueing.volcano.scheduler import by_weight, real_capabilities


def test_starts_orders_and_messages_are_those_of_volcano() -> None:
    """No recorded cluster differs, and each kind of end occurs."""
    recording = json.loads(lzma.decompress(RECORDED.read_bytes()))
    assert recording["release"] == RELEASE
    assert sum("hyperNodes" in one["case"] for one in recording["cases"]) >= 100
    assert sum("hyperNodes" not in one["case"] for one in recording["cases"]) >= 100
    assert [line for one in recording["cases"] for line in differences(one["case"], one["verdicts"])] == []
    assert {one["case"]["plugin"] for one in recording["cases"]} == {"proportion", "capacity"}
    phases = [phase for one in recording["cases"] for phase in one["verdicts"]["phases"].values()]
    assert {"Pending", "Inqueue"} == set(phases)
    events = " ".join(line for one in recording["cases"] for lines in one["verdicts"]["events"].values() for line in lines)
    assert "resource in cluster is overused" in events
    assert "queue resource quota insufficient" in events
    messages = " ".join(line for one in recording["cases"] for lines in one["verdicts"]["waiting"].values() for line in lines)
    for reason in ("Insufficient cpu", "untolerated taint", "node affinity/selector", "Schedulable", "In hyperNode rack-0: "):
        assert reason in messages


def test_the_comparison_sees_a_difference() -> None:
    """A job that Volcano did not start is reported, and so is another message."""
    case = cluster(0)
    names = [one["name"] for one in case["jobs"]]
    nothing = {"started": [], "waiting": {name: [""] for name in names}, "phases": {}, "events": {}}
    assert len(list(differences(case, nothing))) == 1
    placed = network(1)
    (line,) = differences(placed, {**nothing, "waiting": {one["name"]: [""] for one in placed["jobs"]}})
    assert line.startswith("starts [], here [")
    waiting = {**case, "jobs": [{**one, "pods": 1, "minMember": 1, "selector": {"pool": "t4"}} for one in case["jobs"]]}
    assert list(differences(waiting, nothing)) == []


@pytest.mark.parametrize(
    ("queues", "requests", "expected"),
    [
        pytest.param([WeightedQueue("a"), WeightedQueue("b", 3)], (64, 64), (16, 48), id="by weight"),
        pytest.param([WeightedQueue("a"), WeightedQueue("b", 3)], (64, 8), (56, 8), id="what another does not request"),
        pytest.param(
            [WeightedQueue("a", capability={"gpu": 8}), WeightedQueue("b")], (64, 64), (8, 56), id="at most its capability"
        ),
        pytest.param(
            [WeightedQueue("a", guarantee={"gpu": 40}), WeightedQueue("b")], (64, 64), (40, 24), id="at least its guarantee"
        ),
        pytest.param(
            [WeightedQueue("a", guarantee={"gpu": 40}), WeightedQueue("b")], (0, 64), (40, 24), id="an unused guarantee"
        ),
    ],
)
def test_queues_share_the_nodes(queues: list[WeightedQueue], requests: tuple[int, int], expected: tuple[int, int]) -> None:
    """64 devices are divided by weight, between guarantee and capability."""
    whole = VolcanoCluster({one.name: one for one in queues}, {"gpu": 64.0})
    wanted = {name: {"gpu": float(amount)} for name, amount in zip("ab", requests, strict=True)}
    shares = by_weight(whole.queues, wanted, real_capabilities(whole), whole.total)
    assert tuple(shares[name]["gpu"] for name in "ab") == expected


def test_the_message_of_a_group_has_its_pods_by_state() -> None:
    """As the plugin gang writes it: counts are sorted as text."""
    reason = "node-2: 0/4 nodes are unavailable: 4 Insufficient nvidia.com/gpu."
    assert gang_message(3, 4, 2, reason) == (
        "1/4 tasks in gang unschedulable: pod group is not ready, 3 minAvailable, 4 Pending; "
        f"Pending: 2 Schedulable, 2 Unschedulable. Origin reason is {reason}"
    )
