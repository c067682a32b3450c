"""`tjgen fit` for runs in queues of Volcano."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.compiler.fit.test_fit import POOL, results, write
from tests.program import tjgen

QUEUES = (
    POOL % ""
    + """\
  queues:
    one: {%s create: {volcano: {weight: 1}}}
    two: {create: {volcano: {%s}}}
"""
)
SMALL = "cpu: 8, memory: 64Gi"


def run(queue: str, nodes: int, more: str = "", schedule: str = "") -> str:
    """The fields of a run that requests whole nodes."""
    return f"nodes: {nodes}, gpu: a100:8, {SMALL}, {more} schedule: {{queue: {queue}{schedule}}}"


def fit(folder: Path, platform: str, **runs: str) -> dict[str, Any]:
    """Run -> its result."""
    return results(tjgen(write(folder, platform, "tjgen-torch-volcano", **runs), "fit", "--format", "json"))


def test_a_gang_above_the_share_of_its_queue_waits(tmp_path: Path) -> None:
    """Both queues request more than half of the four nodes. The queue that is named first in the alphabet comes first."""
    both = fit(tmp_path, QUEUES % ("", "weight: 1"), a=run("one", 2), b=run("two", 2), c=run("two", 1))
    assert [both[name]["order"] for name in "abc"] == [1, 2, None]
    assert both["c"]["message"] == "resource in cluster is overused: overused nvidia.com/gpu"
    assert both["c"]["share"].startswith("all runs that start or wait for nodes can request 38 of nvidia.com/gpu, 1.2 times")
    weighed = fit(tmp_path, QUEUES % ("", "weight: 3"), a=run("one", 2), b=run("two", 2), c=run("two", 1))
    assert [weighed[name]["order"] for name in "abc"] == [None, 1, None]
    assert weighed["a"]["message"] == (
        "1/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable; "
        "Pending: 1 Schedulable, 1 Unschedulable"
    )
    assert weighed["a"]["share"] == "queue one deserves 8 of nvidia.com/gpu while other queues request more, and its runs use 0"


def test_a_queue_with_a_higher_priority_comes_first(tmp_path: Path) -> None:
    """Its priority counts before the shares, and that of runs within the queue."""
    urgent = run("one", 2, schedule=", priorityClassName: urgent")
    found = fit(tmp_path, QUEUES % ("", "priority: 5"), a=run("one", 1), b=urgent, c=run("two", 1))
    assert [found[name]["order"] for name in "abc"] == [3, 2, 1]


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        pytest.param("capability: {nvidia.com/gpu: 16},", "", "queue one can use 16 of nvidia.com/gpu", id="its capability"),
        pytest.param(
            "", "guarantee: {nvidia.com/gpu: 16}", "queue one can use 16 of nvidia.com/gpu", id="the guarantee of another"
        ),
    ],
)
def test_a_gang_above_what_its_queue_can_use_never_starts(tmp_path: Path, first: str, second: str, share: str) -> None:
    """TJ581 with the event of the PodGroup; no other run has to be there."""
    folder = write(tmp_path, QUEUES % (first, second), "tjgen-torch-volcano", a=run("one", 3))
    answer = tjgen(folder, "fit")
    assert answer.code == 1
    if not first:  # else TJ385 of the build is reported
        assert "never admits it: queue resource quota insufficient: insufficient nvidia.com/gpu" in answer.err
        assert share in answer.err


def test_pods_that_no_node_takes_have_the_sentence_of_volcano(tmp_path: Path) -> None:
    """Resources come before taints and labels, and only one of them is named."""
    found = fit(tmp_path, QUEUES % ("", ""), a="gpu: a100:8, cpu: 200, memory: 64Gi, schedule: {queue: one}")
    assert found["a"]["result"] == "never"
    assert found["a"]["message"] == (
        "1/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 1 minAvailable; Pending: 1 Unschedulable. "
        "Origin reason is a-node: 0/4 nodes are unavailable: 4 Insufficient cpu."
    )


def test_weights_of_unknown_queues_are_not_guessed(tmp_path: Path) -> None:
    """Without Queues that the Platform creates, or with a tree of them, only the capability counts."""
    plain = fit(tmp_path, POOL % "" + "  queues: {one: {}, two: {}}\n", a=run("one", 2), b=run("two", 2), c=run("one", 1))
    assert [plain[name]["order"] for name in "abc"] == [1, 2, None]
    assert plain["c"]["by"] == "scheduler"
    nested = fit(tmp_path, QUEUES % ("", "weight: 3, parent: one"), a=run("one", 2), b=run("two", 2))
    assert [nested[name]["order"] for name in "ab"] == [1, 2]


def test_a_volcano_job_counts_when_its_pods_exist(tmp_path: Path) -> None:
    """The pods of a TrainJob exist from the start, so they are placed one session earlier."""
    found = fit(tmp_path, QUEUES % ("", ""), a=run("one", 1, "target: volcanojob,"), b=run("two", 1))
    assert [found[name]["order"] for name in "ab"] == [2, 1]
