"""How long names may be, against the limits that JobSet checks."""

from __future__ import annotations

import pytest

from tjgen.trees.k8s.names import job_name, longest_trainjob_name, pod_name


def test_names_are_made_as_jobset_makes_them() -> None:
    assert job_name("run", "node", 0) == "run-node-0"
    assert pod_name("run", "node", 0, 11) == "run-node-0-11-abcde"


@pytest.mark.parametrize(
    ("jobs", "most"),
    [
        pytest.param([("node", 1, 10)], 48, id="ten nodes"),
        pytest.param([("node", 1, 11)], 47, id="eleven nodes"),
        pytest.param([("node", 1, 1), ("dataset-initializer", 1, 1)], 33, id="the longest job counts"),
        pytest.param([], 63, id="no jobs"),
    ],
)
def test_the_longest_name_leaves_room_for_the_pods(jobs: list[tuple[str, int, int]], most: int) -> None:
    assert longest_trainjob_name(jobs) == most
    for job, replicas, completions in jobs:
        assert len(pod_name("x" * most, job, replicas - 1, completions - 1)) <= 63
