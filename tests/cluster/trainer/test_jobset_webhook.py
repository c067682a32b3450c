"""JobSet's webhooks against recorded answers of the real ones: creates, updates, claims that exist.

A line of `recorded_jobsets.jsonl` holds a JobSet, what the API server made of it, what it was before
and what else the cluster held, and the errors as `field|message`. Recorded with JobSet v0.12.0.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tjgen.cluster.trainer.framework import live
from tjgen.cluster.trainer.gotypes import TYPES
from tjgen.cluster.validate.webhooks import jobset

LINES = (Path(__file__).parent / "recorded_jobsets.jsonl").read_text(encoding="utf-8").splitlines()
UNRECORDED = {"ttlSecondsAfterFinished": "the webhooks neither set nor judge it"}
"""Fields of the spec that no recorded JobSet needs, with the reason."""
CASES = [pytest.param(json.loads(line), id=str(number)) for number, line in enumerate(LINES)]


def test_every_field_of_the_spec_is_in_a_recorded_jobset() -> None:
    fields = {entry.partition(":")[0] for entry in TYPES["JobSetSpec"].split()}
    recorded = {field for line in LINES for field in json.loads(line)["manifest"].get("spec") or {}}
    assert fields - recorded == UNRECORDED.keys()


@pytest.mark.parametrize("case", CASES)
def test_defaults_are_those_of_the_webhook(case: Any) -> None:
    assert live(case["manifest"]) == case["live"]


@pytest.mark.parametrize("case", CASES)
def test_the_webhook_says_the_same(case: Any) -> None:
    answer = jobset.validate(case["live"], old=case.get("old"), context=case.get("context", []))
    assert [f"{fault.field}|{fault.detail}" for fault in answer.errors] == case["errors"]
