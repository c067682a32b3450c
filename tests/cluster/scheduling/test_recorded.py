"""The model of the scheduler does what the real one did with recorded clusters."""

from __future__ import annotations

import json
import lzma
from typing import Any

import pytest

from tests.cluster.scheduling.compared import differences
from tests.cluster.scheduling.record import RECORDED, RELEASE
from tjgen.cluster.scheduling.filters.table import FILTERS

REASONS = {
    "NodeUnschedulable": "node(s) were unschedulable",
    "TaintToleration": "node(s) had untolerated taint(s)",
    "NodeAffinity": "node(s) didn't match Pod's node affinity/selector",
    "NodePorts": "node(s) didn't have free ports",
    "NodeResourcesFit": "Insufficient nvidia.com/gpu",
    "VolumeBinding": "node(s) didn't find available persistent volumes to bind",
    "PodTopologySpread": "node(s) didn't match pod topology spread constraints",
    "InterPodAffinity": "node(s) didn't satisfy existing pods anti-affinity rules",
}
"""Filter -> one of its reasons."""
BY_HAND = {"NodeName", "DynamicResources"}
"""Filters without a recorded case: `test_filters.py` has cases for them."""


@pytest.fixture(scope="module")
def recording() -> Any:
    """The recording, read once."""
    return json.loads(lzma.decompress(RECORDED.read_bytes()))


def test_nodes_sentences_and_preemptions_are_those_of_the_scheduler(recording: Any) -> None:
    """No recorded cluster differs."""
    assert recording["release"] == RELEASE
    assert len(recording["cases"]) >= 300
    lines = [line for one in recording["cases"] for line in differences(one["case"], one["verdicts"])]
    assert lines == []


def test_the_recording_has_every_kind_of_end(recording: Any) -> None:
    """Pods are scheduled, stay pending by each filter, and preempt others."""
    verdicts = [verdict for one in recording["cases"] for verdict in one["verdicts"]]
    messages = [verdict.get("message", "") for verdict in verdicts]
    assert {one.NAME for one in FILTERS} == {*REASONS, *BY_HAND}
    assert [name for name, reason in REASONS.items() if not any(reason in message for message in messages)] == []
    assert any("node" in verdict for verdict in verdicts)
    assert any("nominated" in verdict for verdict in verdicts)
    assert any("No preemption victims found" in message for message in messages)
