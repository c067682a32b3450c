"""Checking files: codes, places, words and hints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import tjgen
from tjgen import admit
from tjgen.cluster.validate.check import check
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic

JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: a, namespace: ml}
spec:
  suspended: true
  replicatedJobs:
  - name: w
    replicas: "2"
    template: {spec: {template: {spec: {containers: [{name: c, env: [{name: A}, {name: A}]}]}}}}
  successPolicy: {operator: Some}
  network: null
"""

RUN_AND_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert, namespace: nlp}
spec: {runtimeRef: {name: own}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: own, labels: {trainer.kubeflow.org/framework: torch}}
spec: {mlPolicy: {}, template: {spec: {replicatedJob: []}}}
"""


def brief(found: list[Diagnostic]) -> list[tuple[str, str, str]]:
    return [(str(diagnostic.span), diagnostic.code, diagnostic.name) for diagnostic in found]


def test_everything_that_is_wrong_is_said_at_its_place() -> None:
    found = check(JOBSET, "a.yaml")
    assert brief(found) == [
        ("a.yaml:5:3", "TJ502", "unknown-field"),
        ("a.yaml:8:15", "TJ504", "wrong-type"),
        ("a.yaml:9:81", "TJ507", "duplicate-entry"),
        ("a.yaml:10:29", "TJ506", "unsupported-value"),
    ]
    assert [diagnostic.hint for diagnostic in found] == [
        "write suspend",
        "write a whole number, without quotes",
        "remove or rename one of the two entries",
        "use one of All, Any",
    ]
    assert {str(diagnostic.subject) for diagnostic in found} == {"JobSet/a"}
    assert found[1].message == 'spec.replicatedJobs[0].replicas: Invalid value: "2": must be of type integer'


def test_a_good_file_says_nothing() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n"
    assert check(text, "a.yaml") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("apiVersion: argoproj.io/v1alpha1\nkind: Rollout\n", 2),
        ("a: b\n", 1),
        ("- a\n", 1),
        ("just text\n", 1),
    ],
)
def test_what_is_not_checked_is_said_and_with_strict_an_error(text: str, line: int) -> None:
    for strict, severity in ((False, WARNING), (True, ERROR)):
        (found,) = check(text, "a.yaml", strict=strict)
        assert (found.code, found.name, found.severity) == ("TJ520", "not-checked", severity)
        assert found.span is not None
        assert found.span.line == line


def test_the_items_of_a_list_are_checked_each() -> None:
    item = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}\n"
    text = "apiVersion: v1\nkind: List\nitems:\n" + item % "A" + item % "b"
    (found,) = check(text, "a.yaml")
    assert found.path == ("items", 0, "metadata", "name")
    assert str(found.span) == "a.yaml:4:54"


def test_problems_of_the_text_come_first_and_the_readable_rest_is_checked() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A, name: B}\n"
    assert [diagnostic.code for diagnostic in check(text, "a.yaml")] == ["TJ003", "TJ505"]


def test_a_missing_field_is_said_at_the_object_that_should_have_it() -> None:
    text = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n  runtimeRef: {}\n"
    (found,) = check(text, "a.yaml")
    assert (str(found.span), found.code, found.hint) == ("a.yaml:5:3", "TJ503", "add name")
    assert found.path == ("spec", "runtimeRef", "name")


def test_a_release_can_be_chosen() -> None:
    head = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\n"
    text = head + "spec: {runtimeRef: {name: r}, runtimePatches: []}\n"
    assert check(text, "a.yaml") == []
    assert [diagnostic.code for diagnostic in check(text, "a.yaml", versions={"trainer": "v2.0.1"})] == ["TJ502"]


@pytest.mark.parametrize("text", ["", "---\n", "# nothing\n"])
def test_an_empty_file_has_nothing_wrong(text: str) -> None:
    assert check(text, "a.yaml") == []


def test_broken_text_is_a_diagnostic() -> None:
    assert [diagnostic.code for diagnostic in check("a: [", "a.yaml")][:1] == ["TJ001"]


POD = {"spec": {"containers": [{"name": "pytorch", "image": "i:1"}]}}
REPLICAS = {"replicas": 1, "template": POD}
GENERATED = [
    ("batch.volcano.sh/v1alpha1", "Job", {"minAvailable": 1, "tasks": [{"name": "w", **REPLICAS}]}),
    ("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": [{"name": "w", "template": {"spec": {"template": POD}}}]}),
    ("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": {"Master": REPLICAS}}),
    ("kubeflow.org/v2beta1", "MPIJob", {"mpiReplicaSpecs": {"Launcher": REPLICAS, "Worker": REPLICAS}}),
    ("trainer.kubeflow.org/v1alpha1", "TrainJob", {"runtimeRef": {"name": "r"}}),
]


@pytest.mark.parametrize(("version", "kind", "spec"), GENERATED, ids=[kind for _, kind, _ in GENERATED])
def test_a_generated_name_is_reported_once_and_accepted(version: str, kind: str, spec: Any) -> None:
    tree = {"apiVersion": version, "kind": kind, "metadata": {"generateName": "train-"}, "spec": spec}
    found = check(json.dumps(tree), "job.yaml")
    assert [(one.code, one.severity) for one in found] == [("TJ546", "warning")]
    assert admit(tree).allowed


@pytest.mark.parametrize("words", [(), ("--closed",)])
def test_a_runtime_with_errors_is_not_reported_as_missing(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(RUN_AND_RUNTIME, encoding="utf-8")
    answer = tjgen(tmp_path, "check", "a.yaml", *words)
    assert (answer.code, answer.err.splitlines()[-1]) == (1, "2 objects, 1 problem (1 error)")
    assert "error[TJ502] a.yaml:9:40" in answer.err
