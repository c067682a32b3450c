"""The limits of cost of the API server: an expression that costs too much fails, and one that costs much is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.admission import binding, policy
from tests.cluster.policies.test_kyverno import POLICY, build
from tests.program import tjgen

NESTED = "lists.range(COUNT).all(i, lists.range(COUNT).exists(j, j == i))"
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: ml}
spec: {containers: [{name: main, image: registry.example.com/a:1}]}
"""
CANCELLED = "operation cancelled: actual cost limit exceeded"


def slow_policy(expression: str, *, variable: str = "true", failure: str = "Fail") -> str:
    fields = f'  failurePolicy: {failure}\n  variables: [{{name: all, expression: "{variable}"}}]\n'
    return policy(expression, name="slow", message="denied", fields=fields) + binding("slow")


@pytest.mark.parametrize("count", [10, 200])
def test_a_small_cost_is_not_reported(count: int, tmp_path: Path) -> None:
    assert build(tmp_path, slow_policy(NESTED.replace("COUNT", str(count)))) == (0, "")


def test_a_policy_that_costs_more_than_half_is_reported(tmp_path: Path) -> None:
    code, words = build(tmp_path, slow_policy(NESTED.replace("COUNT", "400")))
    assert code == 0
    assert "info[TJ586]" in words
    assert "policy slow, binding slow, costs 729,009 of at most 1,000,000 for this object" in words
    code, words = build(tmp_path, slow_policy("variables.all", variable=NESTED.replace("COUNT", "400")))
    assert "info[TJ586]" in words, "the cost of variables counts"


@pytest.mark.parametrize("absorbed", ["", " || true", " || object.kind == 'Pod'"])
def test_an_expression_that_the_server_cancels_fails(absorbed: str, tmp_path: Path) -> None:
    slow = "lists.range(1000000).all(i, lists.range(2).all(j, true))"
    code, words = build(tmp_path, slow_policy(slow + absorbed))
    assert code == 1
    assert f"resulted in error: {CANCELLED}" in words, "no other operand decides instead"
    code, words = build(tmp_path, slow_policy("variables.all", variable=slow))
    assert code == 1
    assert f'composited variable "all" fails to evaluate: {CANCELLED}' in words
    code, words = build(tmp_path, slow_policy(slow, failure="Ignore"))
    assert (code, "TJ550" in words) == (0, False)


def test_a_range_is_limited(tmp_path: Path) -> None:
    code, words = build(tmp_path, slow_policy("lists.range(2000000).size() > 0"))
    assert code == 1
    assert f"resulted in error: {CANCELLED}" in words
    code, words = build(tmp_path, slow_policy("lists.range(1000000000000).size() > 0"))
    assert code == 1
    assert "validation failed due to running out of cost budget" in words


def test_kyverno_ignores_errors_of_match_conditions_only(tmp_path: Path) -> None:
    """`failurePolicy: Ignore`: an error of a validation denies."""
    ignoring = POLICY.replace("spec:\n", "spec:\n  failurePolicy: Ignore\n", 1)
    wrong = ignoring.replace("one.contains('@')", "one.missing == 1")
    assert wrong != ignoring
    code, words = build(tmp_path, wrong)
    assert code == 1
    assert "policy digests of Kyverno, validation 1 denies this: error: no such key: missing" in words or "error: " in words
    condition = "  matchConditions: [{name: a, expression: object.spec.missing == 1}]\n  validations:"
    assert build(tmp_path, ignoring.replace("  validations:", condition)) == (0, "")


def test_the_policies_about_one_object_share_the_budget_of_seconds(tmp_path: Path) -> None:
    """The server limits what each binding costs, but not how many bindings there are."""
    bindings = "".join(binding("slow").replace("name: slow}", f"name: slow-{number}}}", 1) for number in range(60))
    many = slow_policy("lists.range(130000).all(i, i >= 0)") + bindings
    (tmp_path / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {budgets: {seconds: 1}}\n", encoding="utf-8"
    )
    (tmp_path / "all.yaml").write_text(f"{POD}---\n{many}", encoding="utf-8")
    answer = tjgen(tmp_path, "check", "all.yaml")
    assert answer.code == 1
    assert "TJ217" in answer.err
    assert "the evaluation of the policies about one object takes >= 1 seconds of CPU time" in answer.err


@pytest.mark.parametrize("call", ["matches('^[\\\\p{Greek}a-z]+$')", "find('\\\\p{Greek}') == 'a'"])
def test_a_pattern_that_only_the_server_can_evaluate_denies_nothing(call: str, tmp_path: Path) -> None:
    code, words = build(tmp_path, slow_policy(f"object.metadata.name.{call}"))
    assert code == 0, words
    assert "[TJ554]" in words
    assert "validation 1 reads the Unicode class \\p{Greek}, which tjgen does not have" in words
