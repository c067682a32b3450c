"""What `tjgen verify` prints about runs that the base does not have: which of them start, and what they take."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, git, verify
from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  platforms: [platform.yaml]
  output: {directory: deploy}
  environments:
    dev: {platform: lab}
    prod: {platform: lab, runs: promoted}
"""
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec: {prices: {currency: EUR, devices: {a100: 2.10}}}
"""
EXPERIMENT = f"""\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: digits, namespace: vision}}
spec:
  runtime: tjgen-torch
  image: "train@sha256:{"1" * 64}"
  script: train.py
  nodes: 3
  gpu: a100:2
  sharedMemory: 1Gi
  cpu: 8500m
  memory: 100000Mi
"""
COSTS = "  costs: 3 pods, 25.5 cpu, 293Gi memory, 6 nvidia.com/gpu, 12.60 EUR per hour\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a run of dev, committed."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    write(tmp_path)
    build(tmp_path)
    commit(tmp_path)
    git(tmp_path, "tag", "base")
    return tmp_path


def write(project: Path, more: str = "") -> None:
    """Write the experiment, with other fields at its end."""
    (project / "experiments/digits.yaml").write_text(EXPERIMENT + more, encoding="utf-8")


def run_of(project: Path, environment: str) -> str:
    (run,) = (project / f"deploy/{environment}/runs/vision/digits").iterdir()
    return run.name


def test_the_cost_of_a_new_run_is_in_cores_and_gi(project: Path) -> None:
    write(project, "  env: {LR: '0.1'}\n")
    build(project)
    assert COSTS in verify(project, "--base", "base").out


def test_a_promoted_run_has_a_cost(project: Path) -> None:
    assert tjgen(project, "promote", run_of(project, "dev"), "--env", "prod").code == 0
    answer = verify(project, "--base", "base")
    assert f"Environment prod\n  starts: 1 ({run_of(project, 'prod')})\n{COSTS}" in answer.out
    assert "1 built again" in answer.err


def test_the_first_run_in_a_namespace_names_it(project: Path) -> None:
    write(project, "  env: {LR: '0.1'}\n")
    (project / "experiments/other.yaml").write_text(
        EXPERIMENT.replace("namespace: vision", "namespace: speech"), encoding="utf-8"
    )
    build(project)
    answer = verify(project, "--base", "base")
    assert "  new namespaces: 1 (speech)\n  costs: 6 pods," in answer.out
    answer = verify(project, "--base", "base", "--format", "json")
    (environment,) = [one for one in json.loads(answer.out)["environments"] if one["environment"] == "dev"]
    assert environment["newNamespaces"] == ["speech"]


def test_a_renewed_run_has_a_cost(project: Path) -> None:
    assert tjgen(project, "runs", "rerun", run_of(project, "dev")).code == 0
    answer = verify(project, "--base", "base")
    assert ("  starts: 1 (" in answer.out, COSTS in answer.out) == (True, True), answer.out


def test_a_suspended_run_does_not_start(project: Path) -> None:
    write(project, "  env: {LR: '0.1'}\n  state: suspended\n")
    build(project)
    answer = verify(project, "--base", "base")
    assert ("starts" in answer.out, "costs" in answer.out) == (False, False), answer.out
    assert "  is added, and suspended: 1 (" in answer.out


def test_a_run_that_is_archived_from_the_beginning_does_not_start(project: Path) -> None:
    write(project, "  env: {LR: '0.1'}\n  state: archived\n")
    build(project)
    answer = verify(project, "--base", "base")
    assert ("starts" in answer.out, "costs" in answer.out) == (False, False), answer.out
    assert "  is added, and archived: 1 (" in answer.out


def test_a_run_that_is_superseded_before_the_merge_starts_too_and_the_hint_prevents_that(project: Path) -> None:
    write(project, "  env: {LR: '0.1'}\n")
    build(project)
    commit(project)
    first = next(name for name in runs_of(project) if name != first_of(project))
    write(project, "  env: {LR: '0.2'}\n")
    build(project)
    commit(project)
    answer = verify(project, "--base", "base")
    assert f"  starts, although superseded: 1 ({first})\n" in answer.out
    assert "  costs: 6 pods, 51 cpu, 585.9Gi memory, 12 nvidia.com/gpu, 25.20 EUR per hour\n" in answer.out
    command = "runs discard dev/vision/digits --base base"
    assert ("warning[TJ698]" in answer.err, f"use tjgen {command}, and build again" in answer.err) == (True, True), answer.err
    assert verify(project, "--base", "base", "--strict").code == 1
    file = project / "tjgen.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.rstrip("\n") + "\n  policy: {severity: {TJ698: info}}\n", encoding="utf-8")
    noted = verify(project, "--base", "base", "--strict")
    assert (noted.code, "info[TJ698]" in noted.err) == (0, True), noted.err
    file.write_text(text, encoding="utf-8")
    assert tjgen(project, *command.split()).code == 0
    build(project)
    answer = verify(project, "--base", "base")
    assert (answer.code, "TJ698" in answer.err, "although" in answer.out, COSTS in answer.out) == (0, False, False, True)


def test_data_has_exact_amounts_and_the_price(project: Path) -> None:
    assert tjgen(project, "promote", run_of(project, "dev"), "--env", "prod").code == 0
    (prod,) = json.loads(verify(project, "--base", "base", "--format", "json").out)["environments"]
    assert prod["cost"] == {"pods": 3, "cpu": "25500m", "memory": "300000Mi", "nvidia.com/gpu": "6"}
    assert prod["price"] == {
        "currency": "EUR",
        "perHour": "12.60",
        "atMost": None,
        "unpricedDevices": 0,
        "storagePerMonth": None,
        "unpricedClaims": 0,
    }


def test_the_claims_of_a_new_run_have_a_price(project: Path) -> None:
    priced = "devices: {a100: 2.10}, storage: {fast: 0.25}}, storageClasses: {fast: {}}"
    (project / "platform.yaml").write_text(PLATFORM.replace("devices: {a100: 2.10}}", priced), encoding="utf-8")
    claim = "pvc: {create: {size: 100Gi, storageClassName: fast, accessModes: [ReadWriteMany]}}"
    write(project, f"  volumes: {{out: {{{claim}, mountPath: /out}}}}\n")
    build(project)
    answer = verify(project, "--base", "base")
    assert "100Gi storage, 12.60 EUR per hour, 25.00 EUR per month for storage\n" in answer.out, answer.out


def runs_of(project: Path) -> list[str]:
    return [run.name for run in (project / "deploy/dev/runs/vision/digits").iterdir()]


def first_of(project: Path) -> str:
    """The run of the base."""
    return git(project, "ls-tree", "--name-only", "base", "deploy/dev/runs/vision/digits/").rpartition("/")[2]


def test_a_commit_hook_prints_no_note_on_its_base(project: Path) -> None:
    write(project, "  env: {LR: '0.1'}\n")
    build(project)
    assert "TJ299" in verify(project).err
    git(project, "add", "--all", "--force", ".")
    answer = verify(project, "--staged")
    assert (answer.code, answer.err.count("TJ299"), "against HEAD" in answer.err) == (0, 0, True), answer.err


def test_a_stop_and_a_resume_are_named_so(project: Path) -> None:
    run = run_of(project, "dev")
    for state, words, meaning in (
        ("suspended", "stops (suspended)", "suspended: its pods are deleted, and it stays until you resume it"),
        ("active", "resumes", "resumed: it gets pods again"),
    ):
        write(project, f"  state: {state}\n")
        build(project)
        answer = verify(project, "--base", "HEAD")
        assert answer.code == 0, answer.err
        assert f"  {words}: 1 ({run})\n" in answer.out
        assert f"  {run}  {meaning}\n" in answer.out
        assert "changes in place" not in answer.out
        commit(project)


def test_a_superseded_run_that_was_suspended_does_not_keep_running(project: Path) -> None:
    run = run_of(project, "dev")
    write(project, "  state: suspended\n")
    build(project)
    commit(project)
    write(project, "  env: {LR: '0.1'}\n")
    build(project)
    answer = verify(project, "--base", "HEAD")
    assert answer.code == 0, answer.err
    assert f"  supersedes (suspended): 1 ({run})\n" in answer.out
    assert "keeps running" not in answer.out
    (replaced,) = [line for line in answer.out.splitlines() if line.startswith(f"  {run}  ")]
    assert replaced.endswith(": it is suspended, and stays until you prune it")
    commit(project)
    experiment = project / "experiments/digits.yaml"
    experiment.write_text(EXPERIMENT.replace("name: digits", "name: letters"), encoding="utf-8")
    build(project)
    assert f"  orphans (suspended): 1 ({run})\n" in verify(project, "--base", "HEAD").out


def test_a_run_that_its_successor_stops_is_superseded(project: Path) -> None:
    run = run_of(project, "dev")
    write(project, "  env: {LR: '0.1'}\n  onSupersede: stop\n")
    build(project)
    answer = verify(project, "--base", "HEAD")
    assert answer.code == 0, answer.err
    assert f"  supersedes (suspended): 1 ({run})\n" in answer.out
    assert "    TrainJob spec.suspend: (absent) -> true\n" in answer.out


def test_a_run_whose_files_were_lost_starts_again(project: Path) -> None:
    run = run_of(project, "dev")
    shutil.rmtree(project / "deploy/dev/runs")
    commit(project)
    build(project)
    answer = verify(project, "--base", "HEAD")
    assert (answer.code, "  starts: " in answer.out) == (0, False), answer.err
    assert f"  starts again (restored): 1 ({run})\n{COSTS}" in answer.out
    assert f"  {run}  new, restored: its files were lost" in answer.out
