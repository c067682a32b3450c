"""Policies give the verdicts and the words of a real API server, as recorded (see record.py)."""

from __future__ import annotations

import json
import lzma
from typing import Any

import pytest

from tests.cluster.policies import scenarios
from tests.cluster.policies.record import RECORDED
from tests.cluster.policies.scenarios import Request, Scenario
from tjgen.cluster.policies import matching
from tjgen.cluster.policies.evaluation import Binding, Policies, decide, first_denial
from tjgen.cluster.policies.matching import KnownNamespace
from tjgen.cluster.policies.policy import compile_policy
from tjgen.cluster.policies.stored import Stored, replacing, stored

ANSWERS: dict[str, Any] = json.loads(lzma.decompress(RECORDED.read_bytes()))
VALID = [text for text, message in ANSWERS["expressions"].items() if not message]
SCENARIOS = scenarios.scenarios([text for text in scenarios.EXPRESSIONS if not ANSWERS["expressions"][text]])


def _stored(tree: Any, namespace: str) -> Stored:
    held = stored({**tree, "metadata": {**tree["metadata"], "namespace": namespace}}, webhooks=False)
    if held is None:  # a parameter of a kind without a schema
        metadata = {**tree["metadata"], "namespace": namespace}
        return Stored({**tree, "metadata": metadata}, "", "", "", is_namespaced=True)
    return held


def _policies(one: Scenario) -> Policies:
    trees = [tree for each in SCENARIOS if each.name == one.labels["scenario"] for tree in each.objects]
    params = [_stored(tree, one.name).tree for tree in trees if tree["apiVersion"] != scenarios.API]
    params += [_stored(tree, "params-shared").tree for tree in scenarios.SHARED]
    metadata = {"name": one.name, "labels": {"kubernetes.io/metadata.name": one.name, **one.labels}}
    metadata["annotations"] = scenarios.ANNOTATIONS
    namespace = {"metadata": metadata, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
    policies = [compile_policy(tree) for tree in trees if tree["kind"] == "ValidatingAdmissionPolicy"]
    assert [problems for _, problems in policies if problems] == []
    return Policies(
        tuple(policy for policy, _ in policies),
        tuple(
            Binding(tree["metadata"]["name"], tree["spec"]["policyName"], tree)
            for tree in trees
            if tree["kind"] == "ValidatingAdmissionPolicyBinding"
        ),
        tuple(params),
        {one.name: KnownNamespace(namespace, is_known=True)},
    )


def _answer(one: Scenario, request: Request) -> dict[str, Any]:
    """What the server would answer."""
    old = _stored(request.old, one.name) if request.old else None
    new = _stored(request.new, one.name)
    new = replacing(new, old) if old is not None else new
    decisions, gaps = decide(_policies(one), matching.AdmissionRequest(new, old, is_dry=True))
    assert gaps == []
    warnings = [
        f"Validation failed for ValidatingAdmissionPolicy '{each.policy}' with binding '{each.binding}': {each.message}"
        for each in decisions
        if "Warn" in each.actions
    ]
    denial = first_denial(decisions)
    words = ""
    if denial is not None:
        words = f"ValidatingAdmissionPolicy '{denial.policy}' with binding '{denial.binding}' denied request: {denial.message}"
    return {"reason": denial.reason if denial else "", "message": words, "warnings": sorted(set(warnings))}


UNKNOWN_KIND = "unknown-param-kind"
"""What a server that has no such kind answers: without a server, a policy with a kind that no file has is not evaluated."""
KNOWN = [one for one in SCENARIOS if not one.name.startswith(UNKNOWN_KIND)]


@pytest.mark.parametrize("one", KNOWN, ids=lambda one: one.name)
def test_a_request_gets_the_answer_of_the_server(one: Scenario) -> None:
    recorded = [
        {
            "reason": answer.get("reason", ""),
            "message": answer.get("message", "").partition(" is forbidden: ")[2],
            "warnings": sorted(answer["warnings"]),
        }
        for answer in ANSWERS["requests"][one.name]
    ]
    assert [_answer(one, request) for request in one.requests] == recorded


def test_a_policy_with_a_kind_of_parameters_that_no_file_has_is_not_evaluated() -> None:
    one = next(one for one in SCENARIOS if one.name == "unknown-param-kind-fail")
    policies = _policies(one)._replace(kinds=frozenset({("v1", "ConfigMap")}))
    decisions, gaps = decide(policies, matching.AdmissionRequest(_stored(one.requests[0].new, one.name)))
    assert decisions == []
    assert [gap.words for gap in gaps] == ["no file has a parameter of kind example.com/v1 Nothing"]
    assert ANSWERS["requests"][one.name][0]["reason"] == "Invalid"


def test_at_least_500_requests_are_recorded() -> None:
    assert sum(len(one.requests) for one in KNOWN) >= 790
    assert sum(len(answers) for answers in ANSWERS["pods"].values()) >= 1600
