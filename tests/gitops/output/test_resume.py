"""A run that was suspended and runs again: its manifest sets `suspend: false`, and nothing else of the run changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.gitops.verify.repository import commit, git
from tests.program import Answer, tjgen
from tjgen.trees.fields.path import FieldPath, get

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: RUNTIME
  image: train:1
  script: train.py
  nodes: 2
  target: TARGET
  state: active
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: out}
  gitops: {tool: argocd}
"""
SPEC, RUN_POLICY = ("spec", "suspend"), ("spec", "runPolicy", "suspend")
TARGETS: dict[str, tuple[str, FieldPath]] = {
    "trainjob": ("tjgen-torch", SPEC),
    "jobset": ("tjgen-torch", SPEC),
    "rayjob": ("tjgen-plain", SPEC),
    "pytorchjob": ("tjgen-torch", RUN_POLICY),
    "tfjob": ("tjgen-plain", RUN_POLICY),
    "xgboostjob": ("tjgen-plain", RUN_POLICY),
    "paddlejob": ("tjgen-plain", RUN_POLICY),
    "jaxjob": ("tjgen-plain", RUN_POLICY),
    "mpijob": ("tjgen-mpi", RUN_POLICY),
}
"""Target with a field that suspends -> a runtime, and the field."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    write(tmp_path)
    git(tmp_path, "init", "--quiet")
    return tmp_path


def write(folder: Path, target: str = "trainjob", runtime: str = "tjgen-torch") -> None:
    text = EXPERIMENT.replace("TARGET", target).replace("RUNTIME", runtime)
    (folder / "experiments/digits.yaml").write_text(text, encoding="utf-8")


def edit(folder: Path, old: str, new: str, file: str = "experiments/digits.yaml") -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def build(folder: Path, *options: str) -> Answer:
    answer = tjgen(folder, "build", "-o", "out", *options)
    assert answer.code == 0, answer.err
    return answer


def sets_state(folder: Path, old: str, new: str) -> Answer:
    edit(folder, f"state: {old}", f"state: {new}")
    return build(folder)


def snapshot(folder: Path) -> dict[str, bytes]:
    files = [path for top in ("out", "tjgen.lock.d") for path in (folder / top).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def job(folder: Path, name: str = "") -> dict[str, Any]:
    """The object of the only run that a sync starts, or of a run."""
    found = [path for path in (folder / "out/runs").rglob(f"*job*-{name}*.yaml") if path.stem.endswith(path.parent.name)]
    (file,) = found
    tree: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return tree


def lock(folder: Path, name: str) -> dict[str, Any]:
    (file,) = (folder / "tjgen.lock.d").rglob(f"{name}.yaml")
    tree: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return tree


def without(tree: dict[str, Any], path: FieldPath) -> dict[str, Any]:
    key, rest = str(path[0]), path[1:]
    return {name: without(value, rest) if name == key and rest else value for name, value in tree.items() if rest or name != key}


@pytest.mark.parametrize("target", TARGETS)
def test_a_run_of_each_kind_resumes_with_the_field(folder: Path, target: str) -> None:
    runtime, path = TARGETS[target]
    write(folder, target, runtime)
    build(folder)
    before, locked = job(folder), snapshot(folder)
    name = before["metadata"]["name"]
    assert get(before, path, None) is None
    assert "resumed" not in lock(folder, name)
    commit(folder)
    sets_state(folder, "active", "suspended")
    assert get(job(folder), path) is True
    assert "resumed" not in lock(folder, name)
    commit(folder)
    answer = sets_state(folder, "suspended", "active")
    assert "TJ076" not in answer.err
    resumed = job(folder)
    assert get(resumed, path) is False
    assert without(resumed, path) == before
    changed = {file for file, content in snapshot(folder).items() if locked[file] != content}
    assert {Path(file).parts[0] for file in changed} == {"out", "tjgen.lock.d"}
    assert len(changed) == 2
    assert {key: value for key, value in lock(folder, name).items() if key not in ("content", "resumed")} == {
        key: value
        for key, value in yaml.safe_load(locked[f"tjgen.lock.d/default/vision/digits/{name}.yaml"]).items()
        if key != "content"
    }
    assert lock(folder, name)["resumed"] is True
    after = snapshot(folder)
    assert "1 unchanged" in build(folder).err
    assert snapshot(folder) == after
    assert tjgen(folder, "build", "--check").code == 0
    commit(folder)
    for base in ("HEAD~1", "HEAD~2"):
        answer = tjgen(folder, "verify", "--base", base)
        assert answer.code == 0, answer.err
    assert tjgen(folder, "lint", "out").code == 0
    sets_state(folder, "active", "suspended")
    assert get(job(folder), path) is True
    sets_state(folder, "suspended", "active")
    assert snapshot(folder) == after


def test_one_commit_can_suspend_and_resume(folder: Path) -> None:
    """As after a squash, and a revert of it."""
    build(folder)
    commit(folder)
    before = snapshot(folder)
    sets_state(folder, "active", "suspended")
    sets_state(folder, "suspended", "active")
    commit(folder)
    answer = tjgen(folder, "verify", "--base", "HEAD~1")
    assert answer.code == 0, answer.err
    git(folder, "checkout", "--quiet", "HEAD~1", "--", ".")
    assert snapshot(folder) == before
    commit(folder)
    answer = tjgen(folder, "verify", "--base", "HEAD~1")
    assert answer.code == 0, answer.err


def test_kueue_decides_when_a_run_of_a_queue_starts(folder: Path) -> None:
    build(folder)
    sets_state(folder, "active", "suspended")
    edit(folder, "namespace: vision}", "namespace: vision, labels: {kueue.x-k8s.io/queue-name: gpus}}")
    sets_state(folder, "suspended", "active")
    assert "suspend" not in job(folder)["spec"]
    build(folder)
    assert "suspend" not in job(folder)["spec"]
    assert tjgen(folder, "build", "--check").code == 0


def test_the_lost_files_of_a_resumed_run_come_back_as_they_were(folder: Path) -> None:
    build(folder)
    sets_state(folder, "active", "suspended")
    sets_state(folder, "suspended", "active")
    before = snapshot(folder)
    for file in (folder / "out/runs").rglob("*.yaml"):
        file.unlink()
    assert "TJ077" not in build(folder).err
    assert snapshot(folder) == before


def test_a_frozen_run_resumes(folder: Path) -> None:
    """The project has changed since the run was built, and an existing run keeps its other fields."""
    (folder / "overlay.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: more}\nspec: {experiment: {env: {MORE: yes}}}\n",
        encoding="utf-8",
    )
    build(folder)
    sets_state(folder, "active", "suspended")
    edit(folder, "  output:", "  overlays: [overlay.yaml]\n  output:", "tjgen.yaml")
    build(folder)
    suspended = job(folder)
    sets_state(folder, "suspended", "active")
    assert job(folder) == {**suspended, "spec": {**suspended["spec"], "suspend": False}}
    after = snapshot(folder)
    build(folder)
    assert snapshot(folder) == after
    assert tjgen(folder, "build", "--check").code == 0


@pytest.mark.parametrize("how", ["suspended", "stopped"])
def test_a_run_that_no_source_requested_for_a_while_resumes(folder: Path, how: str) -> None:
    """It was suspended before it was superseded, or because of that."""
    if how == "stopped":
        edit(folder, "  state", "  onSupersede: stop\n  state")
    build(folder)
    before = job(folder)
    name = before["metadata"]["name"]
    if how == "suspended":
        sets_state(folder, "active", "suspended")
    edit(folder, "train:1", "train:2")
    build(folder)
    assert job(folder, name)["spec"]["suspend"] is True
    commit(folder)
    edit(folder, "train:2", "train:1")
    edit(folder, "state: suspended" if how == "suspended" else "state: active", "state: active")
    build(folder)
    assert job(folder, name) == {**before, "spec": {**before["spec"], "suspend": False}}
    assert lock(folder, name)["resumed"] is True
    after = snapshot(folder)
    build(folder)
    assert snapshot(folder) == after
    commit(folder)
    answer = tjgen(folder, "verify", "--base", "HEAD~1")
    assert answer.code == 0, answer.err


def test_a_renewed_run_starts_without_the_field(folder: Path) -> None:
    build(folder)
    old = job(folder)["metadata"]["name"]
    sets_state(folder, "active", "suspended")
    sets_state(folder, "suspended", "active")
    assert tjgen(folder, "runs", "rerun", old).code == 0
    (new,) = {path.name for path in (folder / "out/runs/vision/digits").iterdir()} - {old}
    assert "suspend" not in job(folder, new)["spec"]
    assert "resumed" not in lock(folder, new)
