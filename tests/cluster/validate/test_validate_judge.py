"""The verdict on a new object, against what the real API server said."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.validate.corpus import RECORDED_WITH, creates, names, recorded
from tjgen.cluster.schema import store
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.verdict import Verdict
from tjgen.trees.source import reader

JOBSET = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "a"},
    "spec": {"replicatedJobs": [{"name": "w", "template": {"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}}}]},
}


def said(errors: Any) -> set[tuple[str, str, str]]:
    return {(error["type"], error["field"], error["detail"]) for error in errors}


def ours(verdict: Verdict) -> set[tuple[str, str, str]]:
    return {(error.type, error.field, error.detail) for error in verdict.errors}


@pytest.mark.parametrize("case", [*recorded("custom"), *recorded("built_in")], ids=lambda case: case["id"])
def test_recorded_verdicts(case: dict[str, Any]) -> None:
    before = copy.deepcopy(case["manifest"])
    verdict = judge(case["manifest"], versions=RECORDED_WITH)
    assert verdict.checked
    assert (verdict.allowed, verdict.stage) == (case["allowed"], case.get("stage", ""))
    if verdict.stage != "decode":  # those words are the server's compiler's
        assert ours(verdict) == said(case.get("errors", ()))
    assert case["manifest"] == before


def judged(name: str) -> Iterator[tuple[dict[str, Any], Verdict]]:
    """The cases of a file of the corpus that there is a schema for, each with our verdict."""
    for case in creates(name):
        duplicates: list[str] = []
        tree = case.get("manifest")
        if "text" in case:
            documents, found = reader.read(case["text"], "case.yaml", reader.KUBERNETES)
            if any(diagnostic.severity == "error" and diagnostic.name != "duplicate-key" for diagnostic in found):
                continue  # no YAML to the server either: the reader's tests hold these
            tree = documents[0].value
            for diagnostic in found:
                if diagnostic.name == "duplicate-key" and diagnostic.span is not None:
                    key = diagnostic.message.split('"')[1]
                    duplicates.append(f'line {diagnostic.span.line}: key "{key}" already set in map')
        verdict = judge(tree, versions=RECORDED_WITH, duplicates=duplicates)
        if verdict.checked:
            yield {**case, "manifest": tree}, verdict


@pytest.mark.parametrize("built_in", [False, True], ids=["custom", "built-in"])
def test_the_corpus_is_large(built_in: bool) -> None:
    kinds = [case["manifest"] for case in creates() if isinstance(case.get("manifest"), dict) and "kind" in case["manifest"]]
    known = [tree for tree in kinds if store.find(tree.get("apiVersion"), tree["kind"]) is not None]
    assert len([tree for tree in known if store.is_built_in(tree["apiVersion"], tree["kind"]) == built_in]) > 1000


@pytest.mark.parametrize("name", names())
def test_the_corpus(name: str) -> None:
    cases = [(case, verdict) for case, verdict in judged(name) if case.get("stage") != "parse"]
    assert cases
    assert [
        case["id"] for case, verdict in cases if (verdict.allowed, verdict.stage) != (case["allowed"], case.get("stage", ""))
    ] == []
    others = [(case, verdict) for case, verdict in cases if verdict.stage != "decode"]
    others = [(case, verdict) for case, verdict in others if "compilation failed" not in str(case.get("errors"))]  # our words
    assert [case["id"] for case, verdict in others if ours(verdict) != said(case.get("errors", ()))] == []


def test_a_kind_without_a_schema_is_not_checked_and_not_allowed() -> None:
    verdict = judge({"apiVersion": "example.com/v1", "kind": "Nothing"})
    assert not verdict.checked
    assert not verdict.allowed


@pytest.mark.parametrize("tree", [None, [], "x", {}, {"kind": 5, "apiVersion": "v1"}, {"kind": "Pod"}])
def test_what_is_no_object_is_not_checked(tree: Any) -> None:
    assert not judge(tree).checked


def test_the_first_stage_answers_and_the_others_are_kept_for_people() -> None:
    tree = {**JOBSET, "metadata": {"name": "A"}, "spec": {**JOBSET["spec"], "suspended": True}}  # type: ignore[dict-item]  # a tree
    verdict = judge(tree)
    assert verdict.stage == "strict"
    assert [error.detail for error in verdict.errors] == ['strict decoding error: unknown field "spec.suspended"']
    assert [stage.name for stage in verdict.stages] == ["strict", "validation"]
    assert [fault.path for fault in verdict.findings] == [("spec", "suspended"), ("metadata", "name")]


def test_a_release_decides_what_is_known() -> None:
    tree = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "a"},
        "spec": {"runtimeRef": {"name": "r"}, "runtimePatches": []},
    }
    assert judge(tree).allowed
    assert judge(tree, versions={"trainer": "v2.0.1"}).stage == "strict"


def test_keys_given_twice_are_refused_with_their_lines() -> None:
    lines = ('line 3: key "name" already set in map', 'line 9: key "image" already set in map')
    verdict = judge(JOBSET, duplicates=lines)
    assert verdict.stage == "strict"
    assert [error.detail for error in verdict.errors] == [
        f"strict decoding error: yaml: unmarshal errors:\n  {lines[0]}\n  {lines[1]}"
    ]


def test_the_status_of_a_new_object_is_dropped_before_it_is_looked_at() -> None:
    assert judge({**JOBSET, "status": {"restarts": "many"}}).allowed
    assert judge({**JOBSET, "status": {"restarted": 1}}).stage == "strict"
