"""The limits of a Job, each at its edge: what is just allowed, and the first value that is not."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen import admit

MANY = "used with backoff limit per index"
INDEXED = {"completionMode": "Indexed", "completions": 4}
LARGE = {
    "completionMode": "Indexed",
    "completions": 100_001,
    "backoffLimitPerIndex": 1,
    "maxFailedIndexes": 10,
    "parallelism": 10,
}


def refused(**spec: Any) -> dict[str, str]:
    """Field -> words, without the fields that every Job of these tests has right."""
    pod = {"containers": [{"name": "main", "image": "a"}], "restartPolicy": "Never"}
    tree = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {"spec": pod}, **spec}}
    return {error.field: error.detail for error in admit(tree, webhooks=False).errors}


@pytest.mark.parametrize(
    "name", ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"]
)
def test_a_count_is_not_negative(name: str) -> None:
    assert refused(**{name: 0}) == {}
    assert set(refused(**{name: -1})) == {f"spec.{name}"}
    assert refused(**{name: -1})[f"spec.{name}"].endswith("must be greater than or equal to 0")


@pytest.mark.parametrize("name", ["backoffLimitPerIndex", "maxFailedIndexes"])
def test_a_count_of_an_indexed_job_is_not_negative(name: str) -> None:
    both = {"backoffLimitPerIndex": 1, "maxFailedIndexes": 1, **INDEXED}
    assert refused(**{**both, name: 0}) == {}
    assert list(refused(**{**both, name: -1})) == [f"spec.{name}"]


@pytest.mark.parametrize(
    ("spec", "last", "limit", "words"),
    [
        pytest.param(INDEXED, "parallelism", 100_000, "when completion mode is Indexed", id="parallelism"),
        pytest.param({**INDEXED, "backoffLimitPerIndex": 1}, "maxFailedIndexes", 4, "completions", id="failed of all"),
        pytest.param({**LARGE, "completions": 200_000}, "parallelism", 10_000, MANY, id="parallelism of many"),
        pytest.param({**LARGE, "completions": 200_000}, "maxFailedIndexes", 10_000, MANY, id="failed of many"),
    ],
)
def test_a_limit_of_an_indexed_job(spec: dict[str, Any], last: str, limit: int, words: str) -> None:
    assert refused(**{**spec, last: limit}) == {}
    found = refused(**{**spec, last: limit + 1})
    assert list(found) == [f"spec.{last}"]
    assert "must be less than or equal to" in found[f"spec.{last}"]
    assert found[f"spec.{last}"].endswith(words)


def test_what_an_indexed_job_needs() -> None:
    assert refused(completionMode="Indexed", parallelism=2) == {
        "spec.completions": "Required value: when completion mode is Indexed"
    }
    assert refused(completionMode="Other").keys() == {"spec.completionMode"}
    for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
        assert f"spec.{name}" in refused(**{name: 1, "completions": 1})
    words = "Required value: when maxFailedIndexes is specified"
    assert refused(**INDEXED, maxFailedIndexes=1) == {"spec.backoffLimitPerIndex": words}


def test_many_completions_need_a_limit_of_failed_indexes() -> None:
    less = {key: value for key, value in LARGE.items() if key != "maxFailedIndexes"}
    words = "Required value: must be specified when completions is above 100000"
    assert refused(**less) == {"spec.maxFailedIndexes": words}
    assert refused(**{**less, "completions": 100_000}) == {}


@pytest.mark.parametrize(
    ("manager", "is_allowed"),
    [
        ("acme.io/foo", True),
        (f"acme.io/{'a' * 55}", True),
        (f"acme.io/{'a' * 56}", False),
        ("acme.io/", False),
        ("/foo", False),
        ("acme.io", False),
        ("Acme.io/foo", False),
        ("acme.io/f oo", False),
        ("", False),
    ],
)
def test_the_name_of_a_manager(manager: str, is_allowed: bool) -> None:
    assert (refused(managedBy=manager) == {}) is is_allowed


@pytest.mark.parametrize(
    ("spec", "is_allowed"),
    [
        ({"podReplacementPolicy": "Failed"}, True),
        ({"podReplacementPolicy": "TerminatingOrFailed"}, True),
        ({"podReplacementPolicy": "Other"}, False),
        ({"podReplacementPolicy": "Failed", "podFailurePolicy": {"rules": []}}, True),
        ({"podReplacementPolicy": "TerminatingOrFailed", "podFailurePolicy": {"rules": []}}, False),
    ],
)
def test_what_replaces_a_failed_pod(spec: dict[str, Any], is_allowed: bool) -> None:
    assert (refused(**spec) == {}) is is_allowed


def failure(count: int, codes: int) -> dict[str, Any]:
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": list(range(1, codes + 1))}}
    return {"podFailurePolicy": {"rules": [rule] * count}}


@pytest.mark.parametrize(
    ("count", "codes", "field"),
    [
        (20, 1, None),
        (21, 1, "spec.podFailurePolicy.rules"),
        (1, 255, None),
        (1, 256, "spec.podFailurePolicy.rules[0].onExitCodes.values"),
    ],
)
def test_the_rules_of_a_failure_policy_are_limited(count: int, codes: int, field: str | None) -> None:
    assert list(refused(**failure(count, codes))) == ([field] if field else [])
