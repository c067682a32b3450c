"""What an update is refused for, against what the real API server said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.checkout import list_entries
from tests.cluster.validate.corpus import CORPUS
from tjgen.gitops.diff.fields import changed
from tjgen.gitops.diff.update import is_taken_under_another_name, refusals
from tjgen.trees.fields.path import MISSING, get, render

TRAINJOB: dict[str, Any] = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "a", "namespace": "ns"},
    "spec": {"runtimeRef": {"name": "r", "kind": "TrainingRuntime"}, "trainer": {"image": "i:1", "numNodes": 2}},
}
CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c", "namespace": "ns"},
    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "20Gi"}}},
}
CONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "c"},
    "immutable": True,
    "data": {"a": "1"},
}
JOBSET: dict[str, Any] = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "a", "namespace": "ns"},
    "spec": {
        "failurePolicy": {"maxRestarts": 1},
        "replicatedJobs": [
            {
                "name": "node",
                "template": {
                    "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "node", "image": "i:1"}]}}}
                },
            }
        ],
    },
}


def with_value(tree: Any, path: list[Any], value: Any) -> Any:
    """The tree with another value at a path; None removes it."""
    if not path:
        return value
    if isinstance(tree, list):
        return [with_value(item, path[1:], value) if index == path[0] else item for index, item in enumerate(tree)]
    inner = with_value(tree.get(path[0], {}), path[1:], value)
    return {key: item for key, item in {**tree, path[0]: inner}.items() if item is not None}


IMAGE = ["spec", "replicatedJobs", 0, "template", "spec", "template", "spec", "containers", 0, "image"]
BOUND = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"


@pytest.mark.parametrize(
    ("tree", "path", "value", "words"),
    [
        pytest.param(
            TRAINJOB, ["spec", "trainer", "image"], "i:2", ["spec.trainer: Invalid value: field is immutable"], id="image"
        ),
        pytest.param(
            TRAINJOB, ["spec", "runtimeRef", "name"], "s", ["spec.runtimeRef: Invalid value: field is immutable"], id="runtime"
        ),
        pytest.param(TRAINJOB, ["spec", "suspend"], True, [], id="suspend"),
        pytest.param(TRAINJOB, ["spec", "suspend"], False, [], id="a default that is written out"),
        pytest.param(TRAINJOB, ["metadata", "labels"], {"a": "b"}, [], id="labels"),
        # The rule does not run where the field goes: accepted.
        pytest.param(TRAINJOB, ["spec", "trainer"], None, [], id="trainer removed"),
        pytest.param(JOBSET, IMAGE, "i:2", ["spec.replicatedJobs: field is immutable"], id="jobset image"),
        pytest.param(
            JOBSET,
            ["spec", "failurePolicy", "maxRestarts"],
            2,
            ["spec.failurePolicy: Invalid value: Value is immutable"],
            id="jobset failure policy",
        ),
        pytest.param(JOBSET, ["spec", "suspend"], True, [], id="jobset suspend"),
        pytest.param(CLAIM, ["spec", "resources", "requests", "storage"], "30Gi", [], id="claim grows"),
        pytest.param(CLAIM, ["spec", "resources", "requests", "storage"], "20480Mi", [], id="claim in other words"),
        pytest.param(
            CLAIM,
            ["spec", "resources", "requests", "storage"],
            "10Gi",
            ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
            id="claim shrinks",
        ),
        pytest.param(CLAIM, ["spec", "accessModes"], ["ReadWriteOnce"], [f"spec: Forbidden: {BOUND}"], id="claim mode"),
        pytest.param(CLAIM, ["spec", "storageClassName"], "fast", [], id="claim class given later"),
        pytest.param(CLAIM, ["spec", "volumeMode"], "Filesystem", [], id="claim volume mode written out"),
        pytest.param(CONFIG, ["data", "a"], "2", ["data: Forbidden: field is immutable when `immutable` is set"], id="config"),
        pytest.param(CONFIG, ["metadata", "labels"], {"a": "b"}, [], id="config labels"),
    ],
)
def test_refusals(tree: dict[str, Any], path: list[Any], value: Any, words: list[str]) -> None:
    assert [refusal.words for refusal in refusals(tree, with_value(tree, path, value))] == words
    assert refusals(tree, tree) == []


def test_the_cluster_has_the_priority_class_of_a_gang() -> None:
    pod = {"spec": {"priorityClassName": "training", "containers": [{"name": "node", "image": "i:1"}]}}
    job = {"name": "node", "template": {"spec": {"template": pod}}}
    template = {"spec": {"replicatedJobs": [job]}}
    spec = {"podGroupPolicy": {"volcano": {}}, "template": template}
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": "r", "namespace": "ns"},
        "spec": spec,
    }
    assert refusals(TRAINJOB, with_value(TRAINJOB, ["metadata", "labels"], {"a": "b"}), [runtime]) == []
    image = with_value(TRAINJOB, ["spec", "trainer", "image"], "i:2")
    assert is_taken_under_another_name(image, [runtime])


def updates() -> Iterator[dict[str, Any]]:
    """Updates of custom resources that the API server's validation decided, whose webhooks were not asked."""
    for file in list_entries(CORPUS, "*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if "old" in case and "manifest" in case and case.get("stage", "validation") == "validation":
                yield case


def decided(case: dict[str, Any]) -> bool:
    """Whether the object is an update of a kind that tjgen makes, whose transition rules were run."""
    words = ("some validation rules were not checked", "evaluating rule")
    incomplete = any(word in error["detail"] for word in words for error in case.get("errors", ()))
    same = get(case["manifest"], ("metadata", "name")) == get(case["old"], ("metadata", "name"))
    return same and not incomplete and case["manifest"].get("kind") in ("TrainJob", "TrainingRuntime", "JobSet")


def test_transition_rules_of_the_corpus() -> None:
    cases = [case for case in updates() if decided(case)]
    assert len(cases) > 50
    wrong = []
    for case in cases:
        said = {error["field"] for error in case.get("errors", ()) if "immutable" in error["detail"]}
        ours = {found.words.partition(":")[0] for found in refusals(case["old"], case["manifest"]) if "immutable" in found.words}
        if case["manifest"]["kind"] == "JobSet":
            ours -= {"spec.replicatedJobs"}  # its webhook says that
        if said != ours:
            wrong.append((case["id"], said, ours))
    assert wrong == []


OLD = {"spec": {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}], "args": ["x"], "n": 1, "gone": {"a": 1}}}
NEW = {"spec": {"env": [{"name": "B", "value": "3"}], "args": ["x", "y"], "n": True, "come": []}}


def test_fields_are_told_apart_by_the_keys_of_their_lists() -> None:
    found = [(render(one.path), one.before, one.after) for one in changed(OLD, NEW)]
    assert found == [
        ("spec.env[name=A]", {"name": "A", "value": "1"}, MISSING),
        ("spec.env[name=B].value", "2", "3"),
        ("spec.args", ["x"], ["x", "y"]),
        ("spec.n", 1, True),
        ("spec.gone", {"a": 1}, MISSING),
        ("spec.come", MISSING, []),
    ]
    assert list(changed(OLD, OLD)) == []


def test_another_order_of_a_list_is_a_difference_and_of_keys_is_none() -> None:
    assert list(changed({"a": 1, "b": 2}, {"b": 2, "a": 1})) == []
    items = [{"name": "a"}, {"name": "b"}]
    assert [render(one.path) for one in changed({"x": items}, {"x": items[::-1]})] == ["x"]
