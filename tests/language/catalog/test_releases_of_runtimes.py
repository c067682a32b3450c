"""Runtimes of a catalog whose fields only some releases of Trainer have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: elastic, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {torch: {elasticPolicy: {minNodes: 1, maxNodes: 2}}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {restartPolicy: Never, containers: [{name: node, image: a/b:1}]}}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: e, namespace: x}
spec: {runtime: elastic, image: a/b:1, script: train.py}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: p}
spec:
  RELEASES
  experiments: [experiments]
  catalogs: [catalog]
"""
HINT = "hint: this is a field of Trainer 2.0 and 2.1; for that release, set trainer: '2.1' in tjgen.yaml, or use --trainer 2.1"


def project(folder: Path, releases: str) -> None:
    (folder / "catalog").mkdir()
    (folder / "experiments").mkdir()
    (folder / "catalog/elastic.yaml").write_text(RUNTIME, encoding="utf-8")
    (folder / "experiments/e.yaml").write_text(EXPERIMENT, encoding="utf-8")
    (folder / "tjgen.yaml").write_text(PROJECT.replace("RELEASES", releases), encoding="utf-8")


@pytest.mark.parametrize(
    "releases",
    [
        pytest.param('trainer: "2.1"', id="the project"),
        pytest.param('environments: {dev: {trainer: "2.0"}}', id="its environment"),
        pytest.param('environments: {dev: {}, prod: {trainer: "2.1"}}', id="one of its environments"),
    ],
)
def test_a_field_of_an_earlier_release_is_accepted_where_the_project_has_that_release(releases: str, tmp_path: Path) -> None:
    project(tmp_path, releases)
    listed = tjgen(tmp_path, "runtimes", "list")
    assert (listed.code, listed.err) == (0, "")
    assert "\nelastic " in "\n" + listed.out
    environment = ["--env", "prod"] if "prod" in releases else []
    built = tjgen(tmp_path, "build", "experiments/e.yaml", *environment)
    assert "TJ255" not in built.err
    assert built.code == 0, built.err


def test_without_that_release_the_hint_names_it(tmp_path: Path) -> None:
    project(tmp_path, 'trainer: "2.3"')
    for words in (["runtimes", "list"], ["build"]):
        answer = tjgen(tmp_path, *words)
        assert answer.code == 1
        assert "error[TJ255] catalog/elastic.yaml:5:22: spec.mlPolicy.torch.elasticPolicy: unknown field" in answer.err
        assert HINT in answer.err


def test_an_environment_without_that_release_is_refused(tmp_path: Path) -> None:
    project(tmp_path, 'environments: {dev: {}, prod: {trainer: "2.1"}}')
    answer = tjgen(tmp_path, "build", "experiments/e.yaml", "--env", "dev")
    assert answer.code == 1
    assert 'unknown field "spec.mlPolicy.torch.elasticPolicy"' in answer.err or "TJ255" in answer.err
    assert HINT in answer.err


def test_a_release_that_does_not_exist_is_reported_by_the_list(tmp_path: Path) -> None:
    project(tmp_path, 'trainer: "9.9"')
    answer = tjgen(tmp_path, "runtimes", "list")
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ290]" in answer.err
