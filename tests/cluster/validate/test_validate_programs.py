"""Objects of programs and slices, against what the API server answered to them and to the pods that follow."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.validate.corpus import recorded
from tjgen.cluster.validate.judge import judge

CASES = recorded("programs")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_recorded_verdicts(case: dict[str, Any]) -> None:
    verdict = judge(case["manifest"])
    assert verdict.allowed == case["allowed"]
    found = {(error.type, error.field, error.detail) for error in verdict.errors}
    assert found == {(error["type"], error["field"], error["detail"]) for error in case.get("errors", ())}


def test_the_server_accepts_each_job_and_pod_that_follows() -> None:
    followed = {case["id"]: case["pods"] for case in CASES if "pods" in case}
    assert len(followed) == 4
    assert all(all(pods) for pods in followed.values())
