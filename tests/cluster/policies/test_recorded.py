"""Policies give the verdicts and the words of a real API server, as recorded (see record.py)."""

from __future__ import annotations

import json
import lzma
from typing import Any

import pytest

from tests.cluster.policies import invalid, scenarios
from tests.cluster.policies.record import RECORDED
from tests.cluster.policies.scenarios import Request, Scenario
from tjgen.cluster.policies import matching
from tjgen.cluster.policies.documents import policies_of, read
from tjgen.cluster.policies.evaluation import Binding, Gap, Policies, decide, first_denial
from tjgen.cluster.policies.matching import KnownNamespace
from tjgen.cluster.policies.policy import compile_policy
from tjgen.cluster.policies.stored import Stored, replacing, stored
from tjgen.trees.diagnostics.model import ERROR

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
    assert [gap.words for gap in gaps if isinstance(gap, Gap)] == ["no file has a parameter of kind example.com/v1 Nothing"]
    assert ANSWERS["requests"][one.name][0]["reason"] == "Invalid"


def test_at_least_500_requests_are_recorded() -> None:
    assert sum(len(one.requests) for one in KNOWN) >= 790
    assert sum(len(answers) for answers in ANSWERS["pods"].values()) >= 1600


def _problems(tree: Any) -> list[str]:
    """The errors about a policy or a binding that is created."""
    objects, wrong = read([("p.yaml", json.dumps(tree).encode())])
    _, problems = policies_of(objects)
    return [one.message for one in (*wrong, *problems) if one.severity == ERROR]


@pytest.mark.parametrize("name", invalid.POLICIES)
def test_a_policy_is_accepted_or_refused_as_by_the_server(name: str) -> None:
    recorded = ANSWERS["policies"][name]
    problems = _problems(invalid.POLICIES[name])
    assert bool(problems) is bool(recorded), (problems, recorded)


@pytest.mark.parametrize("text", ANSWERS["expressions"])
def test_an_expression_is_accepted_or_refused_as_by_the_server(text: str) -> None:
    recorded = ANSWERS["expressions"][text]
    problems = _problems(scenarios.policy("x", [{"expression": text}]))
    assert bool(problems) is bool(recorded), (problems, recorded)


TYPED = (
    *("must evaluate to", "found no matching overload", "undefined field", "invalid matches argument"),
    *("invalid duration argument", "expected type", "too many arguments", "error during formatting"),
)


def test_errors_of_types_have_the_words_of_the_server() -> None:
    expressions = {text: scenarios.policy("x", [{"expression": text}]) for text in ANSWERS["expressions"]}
    recorded = {**ANSWERS["policies"], **ANSWERS["expressions"]}
    compared = 0
    for name, tree in {**invalid.POLICIES, **expressions}.items():
        words = recorded[name].partition("compilation failed: ERROR: ")[2].partition("\n")[0].partition(": ")[2]
        words = words.partition(": ")[2] if words[:1].isdigit() else words
        words = words or recorded[name].rpartition('": ')[2].partition(" / ")[0]
        if words.startswith(TYPED) and name != "variable-order":
            compared += 1
            assert words in " ".join(_problems(tree)), name
    assert compared >= 18
