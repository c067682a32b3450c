"""What KubeRay v1.5.1 creates from RayJobs and which of them it refuses, against the twin: tests/oracle/ray records."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.differences import differences, key_of
from tests.oracle.ray.record import JOBS, comparable
from tjgen.cluster.controllers.creation import create
from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.policies.stored import stored
from tjgen.cluster.validate.webhooks import kuberay
from tjgen.trees.manifests.manifest import Manifest

RECORDED: list[Any] = json.loads(lzma.decompress(Path(__file__).with_name("recorded_kuberay.json.xz").read_bytes()))
ACCEPTED = [one for one in RECORDED if not one["refused"]]
NEVER_SUBMITTED = "no dashboard"


def created(tree: Any) -> Iterator[Any]:
    """All objects but those of built-in controllers."""
    for series in create(tree):
        for ordinal in range(series.number):
            one = series.build(ordinal)
            yield comparable(one)
            if one["kind"] == "RayCluster":
                yield from created(one)


def in_order(trees: list[Any]) -> list[Any]:
    return sorted(trees, key=lambda tree: (key_of(tree), json.dumps(tree, sort_keys=True)))


@pytest.mark.parametrize("recorded", ACCEPTED, ids=[one["id"] for one in ACCEPTED])
def test_objects_are_those_of_the_operator(recorded: Any) -> None:
    ours, theirs = in_order(list(created(recorded["manifest"]))), in_order(recorded["created"])
    if recorded["id"] == NEVER_SUBMITTED:
        ours = [one for one in ours if one["kind"] != "Job" and one["metadata"].get("name") != "train-head-svc"]
    if recorded["manifest"]["spec"].get("suspend"):
        assert theirs == []  # The preview shows what the operator creates when the job is resumed.
        return
    if recorded["id"] == "selected":
        for container in theirs[0]["spec"]["template"]["spec"]["containers"]:
            # The image of the RayCluster that the job selects, which the job does not name.
            container.pop("image")
            container["imagePullPolicy"] = "Always"
    assert [key_of(one) for one in ours] == [key_of(one) for one in theirs]
    assert [list(differences(*pair)) for pair in zip(ours, theirs, strict=True)] == [[] for _ in ours]


@pytest.mark.parametrize("recorded", RECORDED, ids=[one["id"] for one in RECORDED])
def test_the_operator_refuses_the_same_jobs(recorded: Any) -> None:
    tree = recorded["manifest"]
    held = stored(tree)
    faults = list(kuberay.faults(tree if held is None else held.tree))
    assert bool(faults) == (recorded["refused"] or recorded["id"] == NEVER_SUBMITTED)
    assert all(fault.detail for fault in faults)


@pytest.mark.parametrize("recorded", ACCEPTED, ids=[one["id"] for one in ACCEPTED])
def test_the_kind_counts_the_pods_of_the_operator(recorded: Any) -> None:
    tree = recorded["manifest"]
    count = sum(one["kind"] in ("Pod", "Job") for one in created(tree))
    if (
        not any("suspend" in part for part in (tree["spec"], tree["spec"].get("rayClusterSpec", {})))
        and "managedBy" not in tree["spec"]
    ):
        assert sum(pods.number for pods in pods_of(Manifest(tree, {}))) == count


def test_the_recording_has_every_job() -> None:
    jobs = [json.loads(line) for line in JOBS.read_text(encoding="utf-8").splitlines()]
    assert [(one["id"], one["manifest"]) for one in RECORDED] == [(one["id"], one["manifest"]) for one in jobs]
    assert len(ACCEPTED) > 40
    assert len(RECORDED) - len(ACCEPTED) > 40
