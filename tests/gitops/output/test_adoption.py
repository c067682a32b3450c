"""Environments that are added to a project with runs: one environment gets the runs, and no object changes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.gitops.output.test_runs import edit, snapshot
from tests.program import Answer, tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: site}
spec:
  experiments: [experiments]
  output: {directory: out}
  gitops: {OPTIONS}
"""
ENVIRONMENTS = "  environments: {dev: {namespace: vision-dev}, prod: {namespace: vision, labels: {stage: prod}}}\n  output:"
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: tjgen-torch
  image: registry.example.com/train:1
  script: train.py
  volumes:
    results: {pvc: {create: {size: 10Gi}}, mountPath: /results}
"""
REPOSITORY = ', repository: "https://git.example.com/site.git"'
OPTIONS = {
    "argocd": "tool: argocd" + REPOSITORY,
    "applicationset": "tool: argocd, applicationSet: experiments" + REPOSITORY,
    "flux": "tool: flux" + REPOSITORY,
    "without repository": "tool: argocd",
    "none": "tool: none",
}


ONE_TOOL = pytest.mark.parametrize("folder", ["argocd"], indirect=True)


@pytest.fixture(params=OPTIONS)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A committed project without environments: runs that are current, superseded, archived and pruned."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("OPTIONS", OPTIONS[request.param]), encoding="utf-8")
    for name in ("digits", "letters"):
        (tmp_path / f"experiments/{name}.yaml").write_text(EXPERIMENT.replace("digits", name), encoding="utf-8")
    assert tjgen(tmp_path, "build").code == 0
    edit(tmp_path, "train:1", "train:2")
    assert tjgen(tmp_path, "build").code == 0
    edit(tmp_path, "train:2", "train:3")
    assert tjgen(tmp_path, "build").code == 0
    first = next(name for name, run in runs(tmp_path).items() if run["state"] == "superseded")
    assert tjgen(tmp_path, "runs", "prune", first).code == 0
    assert tjgen(tmp_path, "runs", "archive", "letters-*").code == 0
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path)
    git(tmp_path, "branch", "base")
    return tmp_path


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "change")


def runs(folder: Path) -> dict[str, dict[str, str]]:
    return {run["name"]: run for run in json.loads(tjgen(folder, "runs", "--json").out)}


def add_environments(folder: Path) -> None:
    edit(folder, "  output:", ENVIRONMENTS, "tjgen.yaml")
    for file in sorted((folder / "experiments").iterdir()):
        edit(folder, ", namespace: vision", "", f"experiments/{file.name}")


def write(folder: Path, environment: str = "prod") -> Answer:
    return tjgen(folder, "migrate", "--environment", environment, "--write")


def objects(folder: Path, top: str) -> dict[str, object]:
    """Path below `top` -> object, of runs and what they use."""
    files = [path for stage in ("runs", "data", "runtimes") for path in (folder / top / stage).rglob("*.yaml")]
    return {str(path.relative_to(folder / top)): yaml.safe_load(path.read_text(encoding="utf-8")) for path in files}


def without_stage(tree: object) -> object:
    """An object without the label that the environment adds in place."""
    if isinstance(tree, dict):
        return {key: without_stage(value) for key, value in tree.items() if key != "stage"}
    return [without_stage(one) for one in tree] if isinstance(tree, list) else tree


def test_runs_keep_names_states_and_objects(folder: Path) -> None:
    before, states = objects(folder, "out"), {name: run["state"] for name, run in runs(folder).items()}
    add_environments(folder)
    answer = write(folder)
    assert answer.code == 0, answer.err
    assert "runs: 3 given to environment prod" in answer.err
    now = objects(folder, "out/prod")
    assert {path: without_stage(one) for path, one in now.items()} == before
    labelled = [path for path, one in now.items() if one != before[path]]
    assert not any(path.startswith("runs/vision/letters/") for path in labelled), "an archived run does not change"
    after = runs(folder)
    assert {name: after[name]["state"] for name in states} == states
    assert {after[name]["environment"] for name in states} == {"prod"}
    assert not any((folder / "out" / stage).exists() for stage in ("runs", "data", "runtimes", "gitops/application-site.yaml"))
    assert not (folder / "tjgen.lock.d/default").exists()
    # A build has nothing more to do, and no run of the environment is new.
    kept = snapshot(folder)
    assert tjgen(folder, "build").code == 0
    assert snapshot(folder) == kept
    assert tjgen(folder, "build", "--check").code == 0
    new = [run for name, run in after.items() if name not in states]
    assert {run["environment"] for run in new} == {"dev"}


def test_reviews_show_no_change_of_the_runs(folder: Path) -> None:
    add_environments(folder)
    assert write(folder).code == 0
    for words in (["verify", "--base", "base"], ["diff", "base"]):
        answer = tjgen(folder, *words)
        assert answer.code == 0, answer.out + answer.err
        assert "removed" not in answer.out
        assert "TJ745" not in answer.err
    commit(folder)
    answer = tjgen(folder, "verify", "--base", "base")
    assert answer.code == 0, answer.out + answer.err
    compared = json.loads(tjgen(folder, "diff", "base", "--format", "json").out)
    kinds = {(run["environment"], run["change"]) for run in compared["entries"] if run["stage"] == "runs"}
    assert {kind for environment, kind in kinds if environment == "prod"} == {"unchanged"}
    assert tjgen(folder, "verify", "--base", "HEAD").code == 0


@ONE_TOOL
def test_an_edited_run_does_not_pass_as_a_move(folder: Path) -> None:
    add_environments(folder)
    assert write(folder).code == 0
    job = next((folder / "out/prod/runs").rglob("trainjob-digits-*.yaml"))
    job.write_text(job.read_text(encoding="utf-8").replace("/train:", "/miner:"), encoding="utf-8")
    commit(folder)
    assert tjgen(folder, "verify", "--base", "base").code == 1


@ONE_TOOL
def test_a_changed_experiment_supersedes_the_run_as_in_any_project(folder: Path) -> None:
    current = [name for name, run in runs(folder).items() if run["state"] == "current"]
    add_environments(folder)
    assert write(folder).code == 0
    edit(folder, "train:3", "train:4")
    assert tjgen(folder, "build").code == 0
    assert [runs(folder)[name]["state"] for name in current] == ["superseded"]
    # The earlier content requests the earlier run again.
    edit(folder, "train:4", "train:3")
    assert tjgen(folder, "build").code == 0
    assert [runs(folder)[name]["state"] for name in current] == ["current"]


@ONE_TOOL
def test_nothing_is_written_if_a_run_has_no_place(folder: Path) -> None:
    add_environments(folder)
    before = snapshot(folder)
    answer = write(folder, "dev")
    assert answer.code == 1
    assert 'is in namespace vision, but environment "dev" builds digits in namespace vision-dev' in answer.err
    (folder / "experiments/digits.yaml").rename(folder / "digits.yaml")
    answer = write(folder)
    assert 'error[TJ695] environment "prod" has no experiment vision/digits' in answer.err
    (folder / "digits.yaml").rename(folder / "experiments/digits.yaml")
    assert snapshot(folder) == before


@ONE_TOOL
def test_nothing_is_written_if_the_build_has_errors(folder: Path) -> None:
    add_environments(folder)
    edit(folder, "dev: {namespace: vision-dev}", "dev: {namespace: Vision_Dev}", "tjgen.yaml")
    before = snapshot(folder)
    answer = write(folder)
    assert (answer.code, "error[" in answer.err) == (1, True)
    assert snapshot(folder) == before


@ONE_TOOL
def test_no_steps_are_printed_if_environments_share_a_namespace(folder: Path) -> None:
    project = folder / "tjgen.yaml"
    text = project.read_text(encoding="utf-8")
    before = snapshot(folder / "out")
    namespace, kept = "remove metadata.namespace from the experiments", "environment prod keeps the namespace and the cluster"
    for dev, hint in (("vision", "in tjgen.yaml, set another namespace or cluster for dev or prod"), ("vision-dev", namespace)):
        shared = f"  environments: {{dev: {{namespace: {dev}}}, prod: {{namespace: vision, labels: {{stage: prod}}}}}}\n  output:"
        project.write_text(text.replace("  output:", shared), encoding="utf-8")
        for words in (["migrate", "--environment", "prod"], ["migrate", "--environment", "prod", "--write"]):
            answer = tjgen(folder, *words)
            assert (answer.code, answer.out) == (1, "")
            assert "error[TJ682] tjgen.yaml:" in answer.err
            assert f"hint: {hint}" in answer.err
            assert f"note: {kept} of the runs that it gets\n" in answer.err
    assert snapshot(folder / "out") == before
    edit(folder, ", namespace: vision}", "}")
    edit(folder, ", namespace: vision}", "}", "experiments/letters.yaml")
    assert tjgen(folder, "migrate", "--environment", "prod").code == 0
    assert tjgen(folder, "migrate", "--environment", "prod", "--write").code == 0


@ONE_TOOL
def test_nothing_is_written_if_a_file_was_edited(folder: Path) -> None:
    add_environments(folder)
    job = next((folder / "out/runs").rglob("trainjob-digits-*.yaml"))
    job.write_text(job.read_text(encoding="utf-8").replace("train:", "other:"), encoding="utf-8")
    before = snapshot(folder)
    answer = write(folder)
    assert (answer.code, "error[TJ051]" in answer.err) == (1, True), answer.err
    assert snapshot(folder) == before


@ONE_TOOL
def test_the_build_and_migrate_name_the_command(folder: Path) -> None:
    add_environments(folder)
    for words in (["build"], ["build", "--check"], ["migrate"]):
        answer = tjgen(folder, *words)
        assert (answer.code, "use tjgen migrate --environment NAME" in answer.err) == (1, True), answer.err


def test_the_steps_release_the_owner_first_and_name_the_step_that_is_next(folder: Path) -> None:
    options = (folder / "tjgen.yaml").read_text(encoding="utf-8")
    add_environments(folder)
    before = tjgen(folder, "migrate", "--environment", "prod").out
    write_step = before.index("tjgen migrate --environment prod --write")
    if "repository" in options:
        released = before.index("application site" if "argocd" in options else "site-runs")
        assert released < write_step < before.index("git push") < before.index("kubectl apply -f out/")
        assert "out/prod/gitops/" in before
        assert "out/dev/gitops/" in before or "applicationset" in before
    assert "1. List the objects with their UIDs. (next)" in before or "Stop what applies the tree. (next)" in before
    assert write(folder).code == 0
    if "repository" in options:
        assert "5. Commit and push. (next)" in tjgen(folder, "migrate", "--environment", "prod").out
    commit(folder)
    answer = tjgen(folder, "migrate", "--environment", "prod")
    assert (answer.code, answer.err) == (0, "no synced object gets another owner\n")
    if "repository" in options:
        assert "--environment prod --write" in tjgen(folder, "migrate", "--environment", "prod", "base").out


@ONE_TOOL
def test_runs_of_a_branch_that_was_merged_later_follow(folder: Path) -> None:
    git(folder, "checkout", "--quiet", "-b", "other")
    text = (folder / "experiments/digits.yaml").read_text(encoding="utf-8")
    (folder / "experiments/glyphs.yaml").write_text(text.replace("digits", "glyphs"), encoding="utf-8")
    assert tjgen(folder, "build").code == 0
    commit(folder)
    glyphs = next(name for name in runs(folder) if name.startswith("glyphs-"))
    git(folder, "checkout", "--quiet", "main")
    add_environments(folder)
    assert write(folder).code == 0
    commit(folder)
    git(folder, "-c", "merge.directoryRenames=false", "merge", "--quiet", "-m", "merge", "other")
    edit(folder, ", namespace: vision", "", "experiments/glyphs.yaml")
    answer = tjgen(folder, "build")
    assert (answer.code, "error[TJ274]" in answer.err) == (1, True)
    answer = write(folder)
    assert answer.code == 0, answer.err
    assert "runs: 1 given to environment prod" in answer.err
    assert (runs(folder)[glyphs]["state"], runs(folder)[glyphs]["environment"]) == ("current", "prod")
    assert tjgen(folder, "build", "--check").code == 0


@ONE_TOOL
def test_an_unknown_environment_is_an_error(folder: Path) -> None:
    before = snapshot(folder)
    answer = write(folder)
    assert (answer.code, "error[TJ262]" in answer.err) == (1, True)
    assert snapshot(folder) == before


@ONE_TOOL
def test_another_folder_is_not_touched(folder: Path) -> None:
    (folder / "out/runs/README").write_text("ours", encoding="utf-8")
    shutil.copytree(folder / "out/runs", folder / "copy")
    add_environments(folder)
    assert write(folder).code == 0
    assert (folder / "out/runs/README").read_text(encoding="utf-8") == "ours"
    assert list((folder / "copy").rglob("trainjob-*"))
