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
from tjgen.cluster.validate.webhooks import jobset

LINES = (Path(__file__).parent / "recorded_jobsets.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [pytest.param(json.loads(line), id=str(number)) for number, line in enumerate(LINES)]


@pytest.mark.parametrize("case", CASES)
def test_defaults_are_those_of_the_webhook(case: Any) -> None:
    assert live(case["manifest"]) == case["live"]


@pytest.mark.parametrize("case", CASES)
def test_the_webhook_says_the_same(case: Any) -> None:
    answer = jobset.validate(case["live"], old=case.get("old"), context=case.get("context", []))
    assert [f"{fault.field}|{fault.detail}" for fault in answer.errors] == case["errors"]
