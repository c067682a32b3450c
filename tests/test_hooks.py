"""The hooks of .pre-commit-hooks.yaml, run by the real pre-commit in a repository of a user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT, tracked

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: mnist, namespace: vision}
spec: {runtime: tjgen-torch, image: registry.example/mnist:1, script: train.py}
"""
CONFIGURATION = """\
repos:
  - repo: %s
    rev: HEAD
    hooks:
      - {id: tjgen-check, files: ^deploy/}
      - {id: tjgen-verify, args: [experiment.yaml, -o, deploy]}
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder.parent),
        "PRE_COMMIT_HOME": str(folder.parent / "pre-commit"),
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "tests",
        "GIT_CONFIG_KEY_1": "user.email",
        "GIT_CONFIG_VALUE_1": "tests@example.com",
        "GIT_CONFIG_KEY_2": "safe.directory",
        "GIT_CONFIG_VALUE_2": "*",
    }
    kept = {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_")) or name.lower().endswith("_proxy")
    }
    return subprocess.run(words, cwd=folder, env={**environment, **kept}, capture_output=True, text=True, check=False)


def git(folder: Path, *words: str) -> None:
    answer = run(folder, "git", *words)
    assert answer.returncode == 0, answer.stderr


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout as a repository of its own, so that what is not committed yet is tested too."""
    copy = tmp_path_factory.mktemp("hooks") / "tjgen"
    for name in tracked():
        if name.startswith(("tjgen/", "schemas/", "runtimes/")) or "/" not in name:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    git(copy, "init", "--quiet", "--initial-branch=main")
    git(copy, "add", "--all")
    git(copy, "commit", "--quiet", "--message=hooks")
    return copy


@pytest.fixture(scope="module")
def repository(hooks: Path) -> Path:
    """A repository of a user, with an experiment, its output, and the hooks."""
    folder = hooks.parent / "experiments"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / ".pre-commit-config.yaml").write_text(CONFIGURATION % hooks, encoding="utf-8")
    (folder / "experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
    built = run(folder, "tjgen", "build", "experiment.yaml", "-o", "deploy")
    assert built.returncode == 0, built.stderr
    git(folder, "add", "--all")
    return folder


def hook(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "pre-commit", "run", name, "--all-files", "--color=never")


def test_what_was_built_passes(repository: Path) -> None:
    for name in ("tjgen-check", "tjgen-verify"):
        answer = hook(repository, name)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        assert "Passed" in answer.stdout


def test_a_forgotten_build_is_refused(repository: Path) -> None:
    experiment = repository / "experiment.yaml"
    experiment.write_text(EXPERIMENT.replace("mnist:1", "mnist:2"), encoding="utf-8")
    answer = hook(repository, "tjgen-verify")
    experiment.write_text(EXPERIMENT, encoding="utf-8")
    assert answer.returncode == 1
    assert "TJ062" in answer.stdout


def test_a_manifest_with_a_fault_is_refused_with_its_line(repository: Path) -> None:
    (trainjob,) = repository.glob("deploy/runs/**/trainjob-*.yaml")
    text = trainjob.read_text(encoding="utf-8")
    trainjob.write_text(text.replace("  trainer:\n", "  trainer:\n    colour: red\n"), encoding="utf-8")
    answer = hook(repository, "tjgen-check")
    trainjob.write_text(text, encoding="utf-8")
    assert answer.returncode == 1
    assert 'unknown field "spec.trainer.colour"' in answer.stdout
    assert trainjob.name in answer.stdout
