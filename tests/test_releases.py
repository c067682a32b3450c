"""Which release of Trainer a command works for: the option, the environment, the project, else the newest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tjgen.cli.program import run

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: vision}
spec:
  experiments: [experiment.yaml]
  catalogs: [runtime.yaml]
  trainer: "2.1"
  environments: {dev: {}, prod: {trainer: "2.3"}}
"""
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: ours}
spec:
  mlPolicy: {numNodes: 1, torch: {numProcPerNode: auto}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "base:1"}]}}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: demo, namespace: vision}
spec: {runtime: NAME, image: "train:1", script: train.py, pod: {nodeSelector: {pool: gpu}}}
"""
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: demo, namespace: vision}
spec:
  runtimeRef: {name: tjgen-torch}
  podTemplateOverrides: [{targetJobs: [{name: node}], spec: {nodeSelector: {pool: gpu}}}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("tjgen.yaml", PROJECT), ("runtime.yaml", RUNTIME), ("job.yaml", JOB)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT.replace("NAME", "tjgen-torch"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["--env", "dev"], "podTemplateOverrides:"),
        (["--env", "prod"], "runtimePatches:"),
        (["--env", "prod", "--trainer", "2.0"], "podSpecOverrides:"),
    ],
)
def test_the_option_comes_before_the_environment_and_that_before_the_project(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], field: str
) -> None:
    assert run(["build", *words]) == 0
    assert f"  {field}" in capsys.readouterr().out


def test_a_runtime_of_the_catalog_is_of_the_project_s_release(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "experiment.yaml").write_text(EXPERIMENT.replace("NAME", "ours"), encoding="utf-8")
    assert run(["build", "--env", "dev"]) == 0
    assert "numProcPerNode: auto" in capsys.readouterr().out


def test_a_tree_is_built_for_what_everybody_can_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", "--trainer", "2.0", "-o", "out"]) == 2
    assert "spec.trainer in tjgen.yaml" in capsys.readouterr().err
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    "words", [["build", "--env", "dev"], ["check", "job.yaml"], ["expand", "job.yaml"], ["convert", "job.yaml"]]
)
def test_an_unknown_release_is_told(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert run([*words, "--trainer", "1.9"]) == 1
    assert (
        "error[TJ290] Trainer 1.9 is not a release that tjgen supports\n  hint: use one of 2.3, 2.2, 2.1, 2.0"
        in capsys.readouterr().err
    )


def test_an_unknown_release_of_the_project_has_a_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tjgen.yaml").write_text(PROJECT.replace('"2.1"', '"3.0"'), encoding="utf-8")
    assert run(["build", "--env", "dev"]) == 1
    assert "error[TJ290] tjgen.yaml:7:12: Trainer 3.0" in capsys.readouterr().err


def test_manifests_are_those_of_the_project_s_release(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "job.yaml"]) == 0
    assert run(["expand", "job.yaml"]) == 0
    assert "pool: gpu" in capsys.readouterr().out
    assert run(["check", "--trainer", "2.3", "job.yaml"]) == 1
    assert (
        "hint: this is a field of Trainer 2.1; for that release, set trainer: '2.1' in tjgen.yaml, or use --trainer 2.1"
        in capsys.readouterr().err
    )


def test_a_field_of_a_runtime_of_another_release_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: torch}\n"
    spec = "spec: {mlPolicy: {torch: {numProcPerNode: auto}}, template: {spec: {replicatedJobs: []}}}\n"
    (folder / "runtime.yaml").write_text(head + spec, encoding="utf-8")
    assert run(["check", "--trainer", "2.1", "runtime.yaml"]) == 0
    assert run(["check", "--trainer", "2.3", "runtime.yaml"]) == 1
    assert "hint: this is a field of Trainer 2.0 and 2.1; for that release, set trainer: '2.1' in" in capsys.readouterr().err


def test_a_file_is_converted_in_its_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", "--trainer", "2.3", "--in-place", "job.yaml"]) == 0
    assert run(["check", "--trainer", "2.3", "job.yaml"]) == 0
    text = (folder / "job.yaml").read_text(encoding="utf-8")
    assert "runtimePatches:" in text
    assert text.startswith(JOB[: JOB.index("  podTemplateOverrides")])
