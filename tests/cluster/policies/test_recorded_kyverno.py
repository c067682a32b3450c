"""ValidatingPolicies give the verdicts and the words of Kyverno's own engine, as recorded (see record_kyverno.py)."""

from __future__ import annotations

import json
import lzma
from typing import Any

import pytest

from tests.cluster.policies.kyverno_cases import Case
from tests.cluster.policies.record_kyverno import ANSWERS, all_cases, request_of
from tjgen.cluster.policies.evaluation import Policies, decide
from tjgen.cluster.policies.kyverno import ENGINE
from tjgen.cluster.policies.matching import AdmissionRequest, KnownNamespace

RECORDED: dict[str, Any] = json.loads(lzma.decompress(ANSWERS.read_bytes()))
CASES = all_cases()


def verdict(one: Case) -> tuple[str, str]:
    """Whether the policy passes, fails, or ends in an error, and its first message."""
    found = ENGINE.convert(one.policy)
    if found.policy is None:
        return "refused", ""
    new, old = request_of(one)
    namespace = KnownNamespace(one.namespace, is_known=True)
    policies = Policies((found.policy,), (found.binding,), (), {one.namespace["metadata"]["name"]: namespace})
    decisions, gaps = decide(policies, AdmissionRequest(new, old, is_dry=True))
    assert gaps == []
    if not decisions:
        return "pass", ""
    words = decisions[0].message
    return ("error", words) if words.startswith(("error: ", "failed to load context: ")) else ("fail", words)


def recorded(one: Case) -> tuple[str, str]:
    answer = RECORDED[one.name]
    if answer.get("refused"):
        return "refused", ""
    failed = [rule for rule in answer["rules"] if rule["status"] in ("fail", "error")]
    return (failed[0]["status"], failed[0]["message"]) if failed else ("pass", "")


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.name)
def test_a_request_gets_the_verdict_of_kyverno(one: Case) -> None:
    assert verdict(one) == recorded(one)


def test_enough_cases_are_recorded() -> None:
    assert set(RECORDED) == {one.name for one in CASES}
    assert len(CASES) >= 200
    statuses = {recorded(one)[0] for one in CASES}
    assert statuses >= {"pass", "fail", "error"}
