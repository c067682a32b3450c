"""Runs that `resumeFrom` names against the locks of a project."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.program import Answer, tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [llm.yaml]
  environments:
    dev: {labels: {env: dev}}
    prod: {labels: {env: prod}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: llm, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example.com/train:1
  script: train.py%s
  volumes: {out: {pvc: {create: {size: 10Gi}}, mountPath: /out}}
  checkpoints: {volume: out%s}
"""


def build(folder: Path, environment: str, *, script: str = "", checkpoints: str = "") -> Answer:
    (folder / "tjgen.yaml").write_text(PROJECT)
    (folder / "llm.yaml").write_text(EXPERIMENT % (script, checkpoints))
    return tjgen(folder, "build", "--env", environment, "-o", "deploy")


def names(folder: Path, environment: str) -> list[str]:
    return sorted(
        yaml.safe_load(path.read_text())["run"] for path in (folder / "tjgen.lock.d" / environment / "team/llm").glob("*.yaml")
    )


def test_a_run_that_was_superseded_can_be_resumed(tmp_path: Path) -> None:
    assert build(tmp_path, "dev").code == 0
    [first] = names(tmp_path, "dev")
    answer = build(tmp_path, "dev", script=" --more", checkpoints=f", resumeFrom: {first}")
    assert answer.code == 0, answer.err


@pytest.mark.parametrize("claim", ["name: new", "scope: project", "scope: run"])
def test_a_run_on_another_claim_is_an_error(tmp_path: Path, claim: str) -> None:
    assert build(tmp_path, "dev").code == 0
    [first] = names(tmp_path, "dev")
    moved = EXPERIMENT.replace("size: 10Gi", f"size: 10Gi, {claim}") % ("", f", resumeFrom: {first}")
    (tmp_path / "llm.yaml").write_text(moved)
    answer = tjgen(tmp_path, "build", "--env", "dev", "-o", "deploy")
    assert answer.code == 1
    assert f"error[TJ135] llm.yaml:9:42: resumeFrom names run {first}, which uses claim llm-out, but volume out" in answer.err
    (tmp_path / "llm.yaml").write_text(moved.replace(f"resumeFrom: {first}", "resumeFrom: {path: copied}"))
    assert tjgen(tmp_path, "build", "--env", "dev", "-o", "deploy").code == 0


def test_a_run_on_its_own_claim_can_be_resumed(tmp_path: Path) -> None:
    (tmp_path / "tjgen.yaml").write_text(PROJECT)
    experiment = EXPERIMENT.replace("size: 10Gi", "size: 10Gi, scope: run")
    (tmp_path / "llm.yaml").write_text(experiment % ("", ""))
    assert tjgen(tmp_path, "build", "--env", "dev", "-o", "deploy").code == 0
    [first] = names(tmp_path, "dev")
    (tmp_path / "llm.yaml").write_text(experiment % ("", f", resumeFrom: {first}"))
    answer = tjgen(tmp_path, "build", "--env", "dev", "-o", "deploy")
    assert answer.code == 0, answer.err


def test_a_run_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    assert build(tmp_path, "dev").code == 0
    [first] = names(tmp_path, "dev")
    answer = build(tmp_path, "dev", script=" --more", checkpoints=f", resumeFrom: {first[:-1]}")
    assert answer.code == 1
    assert f"error[TJ135] llm.yaml:9:42: resumeFrom names run {first[:-1]}, which does not exist" in answer.err
    assert f"did you mean {first}?" in answer.err
    assert names(tmp_path, "dev") == [first]


def test_a_run_of_another_environment_is_an_error(tmp_path: Path) -> None:
    assert build(tmp_path, "dev").code == 0
    [first] = names(tmp_path, "dev")
    answer = build(tmp_path, "prod", script=" --more", checkpoints=f", resumeFrom: {first}")
    assert answer.code == 1
    assert f"resumeFrom names run {first}, which exists only in dev" in answer.err
    hint = "copy its checkpoints to this environment; in an overlay for prod with match: {names: [llm]}, set checkpoints: {resume"
    assert f"  hint: {hint}" in answer.err


def test_the_hint_names_the_folder_of_a_pruned_run(tmp_path: Path) -> None:
    assert build(tmp_path, "dev").code == 0
    [first] = names(tmp_path, "dev")
    assert build(tmp_path, "dev", script=" --more").code == 0
    assert tjgen(tmp_path, "runs", "prune", first, "-o", "deploy").code == 0
    answer = build(tmp_path, "dev", script=" --again", checkpoints=f", resumeFrom: {first}")
    assert answer.code == 1
    assert f"resumeFrom names run {first}, which was removed with tjgen runs prune" in answer.err
    assert f"set resumeFrom: {{path: {first}}}; else remove resumeFrom" in answer.err
    answer = build(tmp_path, "dev", script=" --again", checkpoints=f", resumeFrom: {{path: {first}}}")
    assert answer.code == 0, answer.err


def test_the_hint_names_the_run_that_was_promoted(tmp_path: Path) -> None:
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("{labels: {env: prod}}", "{runs: promoted}"))
    pinned = EXPERIMENT.replace("registry.example.com/train:1", f"registry.example.com/train@sha256:{'1' * 64}")
    (tmp_path / "llm.yaml").write_text(pinned % ("", ""))
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0
    [first] = names(tmp_path, "dev")
    assert tjgen(tmp_path, "promote", first, "--env", "prod", "-o", "deploy").code == 0
    [promoted] = names(tmp_path, "prod")
    (tmp_path / "llm.yaml").write_text(pinned % (" --more", f", resumeFrom: {promoted}"))
    answer = tjgen(tmp_path, "build", "--env", "dev", "-o", "deploy")
    assert answer.code == 1
    overlay = f"in an overlay for prod with match: {{names: [llm]}}, set checkpoints: {{resumeFrom: {{run: {promoted}}}}}"
    assert f"it was promoted from {first}: set resumeFrom: {{run: {first}}}, and {overlay}" in answer.err


def test_the_hint_names_an_overlay_of_the_environment(tmp_path: Path) -> None:
    assert build(tmp_path, "dev").code == 0
    [first] = names(tmp_path, "dev")
    overlay = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Overlay",
        "metadata": {"name": "prod"},
        "spec": {"match": {"environments": ["prod"]}, "experiment": {"env": {"STAGE": "prod"}}},
    }
    (tmp_path / "prod.yaml").write_text(yaml.safe_dump(overlay))
    project = PROJECT.replace("  environments:", "  overlays: [prod.yaml]\n  environments:")
    (tmp_path / "tjgen.yaml").write_text(project)
    (tmp_path / "llm.yaml").write_text(EXPERIMENT % ("", f", resumeFrom: {first}"))
    answer = tjgen(tmp_path, "build", "--env", "prod", "-o", "deploy")
    assert answer.code == 1
    assert "in prod.yaml, or in another overlay for prod, with match: {names: [llm]}, set checkpoints:" in answer.err
    overlay["spec"] = {
        "match": {"environments": ["prod"], "names": ["llm"]},
        "experiment": {"checkpoints": {"resumeFrom": {"path": "copied"}}},
    }
    (tmp_path / "prod.yaml").write_text(yaml.safe_dump(overlay))
    answer = tjgen(tmp_path, "build", "--env", "prod", "-o", "deploy")
    assert answer.code == 0, answer.err


def test_without_locks_the_build_warns_once_and_the_pods_look(tmp_path: Path) -> None:
    answer = build(tmp_path, "dev", checkpoints=", resumeFrom: llm-bcdfghjk")
    assert answer.code == 0, answer.err
    assert "warning[TJ135] llm.yaml:9:42: resumeFrom names run llm-bcdfghjk, but the project has no runs yet" in answer.err
    assert "TJ135" not in build(tmp_path, "dev", checkpoints=", resumeFrom: llm-bcdfghjk").err
    assert "tjgen-check-resume" in "".join(path.read_text() for path in (tmp_path / "deploy").rglob("*.yaml"))


def test_a_run_of_another_experiment_is_one_error(tmp_path: Path) -> None:
    assert build(tmp_path, "dev").code == 0
    [first] = names(tmp_path, "dev")
    (tmp_path / "llm.yaml").write_text(EXPERIMENT.replace("name: llm", "name: other") % ("", f", resumeFrom: {first}"))
    answer = tjgen(tmp_path, "build", "--env", "dev", "-o", "deploy")
    assert (answer.code, answer.err.count("error[")) == (1, 1), answer.err
    assert f'error[TJ467] llm.yaml:9:42: "{first}" is not a run of experiment other' in answer.err
    assert "for another experiment, use one claim" in answer.err
