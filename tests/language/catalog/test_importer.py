"""Runtimes that come from a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from tjgen.language.catalog.find import Catalog
from tjgen.language.catalog.importer import ImportedFile, clashes, imported
from tjgen.language.catalog.runtime import CLUSTER

LIST = """\
apiVersion: v1
items:
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: ClusterTrainingRuntime
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"trainer.kubeflow.org/v1alpha1"}
      team: vision
    creationTimestamp: "2026-05-04T10:11:12Z"
    generation: 3
    labels:
      trainer.kubeflow.org/framework: torch
    managedFields:
    - apiVersion: trainer.kubeflow.org/v1alpha1
      fieldsV1: {"f:spec": {}}
      manager: kubectl
      operation: Update
    name: torch-a
    resourceVersion: "4711"
    uid: 3c1c0a9e-0000-4000-8000-000000000000
  spec:
    mlPolicy:
      numNodes: 1
      torch: {}
    template:
      metadata: {}
      spec:
        replicatedJobs:
        - groupName: default
          name: node
          replicas: 1
          template:
            metadata:
              creationTimestamp: null
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                metadata: {}
                spec:
                  containers:
                  - image: train:1
                    name: node
                    resources:
                      limits:
                        cpu: "2"
  status: {}
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: other
kind: List
metadata:
  resourceVersion: ""
"""

CLEAN = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch-a
  labels:
    trainer.kubeflow.org/framework: torch
  annotations:
    team: vision
    tjgen.dev/origin: cluster
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    metadata: {}
    spec:
      replicatedJobs:
      - groupName: default
        name: node
        replicas: 1
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: trainer
          spec:
            template:
              metadata: {}
              spec:
                containers:
                - image: train:1
                  name: node
                  resources:
                    limits:
                      cpu: "2"
"""

NAMESPACED = (
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {name: a, namespace: b}\nspec: {mlPolicy: {}}\n"
)


def test_a_list_becomes_clean_files_and_other_kinds_are_said() -> None:
    files, diagnostics = imported(LIST, "-")
    assert files == [ImportedFile("torch-a.yaml", CLEAN)]
    assert [(one.code, one.severity, str(one.span)) for one in diagnostics] == [("TJ254", "warning", "-:50:9")]


def test_what_was_imported_is_found_and_imported_again_without_change(tmp_path: Path) -> None:
    (tmp_path / "torch-a.yaml").write_text(CLEAN)
    found, diagnostics = Catalog([str(tmp_path)]).find("torch-a")
    assert found is not None
    assert (found.origin, diagnostics) == (CLUSTER, [])
    assert imported(CLEAN, "-") == ([ImportedFile("torch-a.yaml", CLEAN)], [])


def test_a_stream_of_objects_and_namespaces() -> None:
    files, diagnostics = imported(NAMESPACED + "---\n" + CLEAN, "-")
    assert [file.path for file in files] == ["b/a.yaml", "torch-a.yaml"]
    assert diagnostics == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("", "TJ258", id="nothing at all"),
        pytest.param("apiVersion: v1\nkind: List\nitems: []\n", "TJ258", id="an empty list"),
        pytest.param(NAMESPACED + "---\n" + NAMESPACED, "TJ257", id="the same runtime twice"),
        pytest.param(NAMESPACED.replace("name: a", "name: ../../a"), "TJ255", id="a name that leads elsewhere"),
        pytest.param(NAMESPACED.replace("namespace: b", "namespace: .."), "TJ255", id="a namespace that leads elsewhere"),
        pytest.param(NAMESPACED.replace("mlPolicy: {}", "mlPolicy: 1"), "TJ255", id="a wrong type"),
        pytest.param(NAMESPACED.replace("metadata: {name: a, namespace: b}", "metadata: [1]"), "TJ255", id="no metadata"),
        pytest.param("- 1\n", "TJ254", id="no object"),
    ],
)
def test_what_cannot_be_imported(text: str, code: str) -> None:
    _, diagnostics = imported(text, "-")
    assert code in [one.code for one in diagnostics]


def test_somebodys_own_file_is_not_overwritten(tmp_path: Path) -> None:
    files = [
        ImportedFile("a.yaml", CLEAN),
        ImportedFile("b.yaml", CLEAN),
        ImportedFile("c.yaml", CLEAN),
        ImportedFile("d.yaml", CLEAN),
    ]
    (tmp_path / "a.yaml").write_text("# our notes\n")
    (tmp_path / "b.yaml").write_text(CLEAN.replace("    tjgen.dev/origin: cluster\n", ""))
    (tmp_path / "c.yaml").write_text(CLEAN.replace("train:1", "train:0"))
    assert [(one.code, one.message.split()[0]) for one in clashes(str(tmp_path), files)] == [
        ("TJ257", "a.yaml"),
        ("TJ257", "b.yaml"),
    ]
