"""A project in a Git repository, for tests of `tjgen verify`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.program import Answer, tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: vision}
spec:
  experiments: [experiments]
  overlays: [overlays]
  catalogs: [catalog]
  output: {directory: deploy}
  gitops:
    tool: argocd
    repository: https://git.example.com/vision.git
    path: deploy
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: NAME, namespace: vision}
spec:
  runtime: tjgen-torch
  image: train:IMAGE
  script: train.py
  volumes:
    results: {pvc: {create: {size: 10Gi}}, mountPath: /results}
"""
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: size}
spec: {experiment: {nodes: NODES}}
"""


def git(folder: Path, *words: str) -> str:
    """Run Git, as a person without any configuration."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    names = {f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dates = {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
    nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    answer = subprocess.run(
        ["git", "-C", str(folder), *words],
        check=True,
        capture_output=True,
        text=True,
        env={**environment, **names, **dates, **nowhere},
    )
    return answer.stdout.strip()


def commit(folder: Path, message: str = "Change") -> str:
    """Commit everything; the commit."""
    git(folder, "add", "--all", "--force", ".")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def experiment(folder: Path, name: str, image: str = "1", more: str = "") -> None:
    """Write the source of an experiment."""
    (folder / "experiments").mkdir(exist_ok=True)
    text = EXPERIMENT.replace("NAME", name).replace("IMAGE", image) + more
    (folder / f"experiments/{name}.yaml").write_text(text, encoding="utf-8")


def overlay(folder: Path, nodes: int) -> None:
    """Write the overlay of all experiments."""
    (folder / "overlays").mkdir(exist_ok=True)
    (folder / "overlays/size.yaml").write_text(OVERLAY.replace("NODES", str(nodes)), encoding="utf-8")


def build(folder: Path, *words: str) -> Answer:
    """Build the project, which must succeed."""
    answer = tjgen(folder, "build", *words)
    assert answer.code == 0, answer.err
    return answer


def verify(folder: Path, *words: str) -> Answer:
    """Run `tjgen verify`."""
    return tjgen(folder, "verify", *words)


def runs(folder: Path, name: str) -> list[Path]:
    """The folders of the runs of an experiment, in order of name."""
    return sorted((folder / f"deploy/runs/vision/{name}").iterdir())


def lock_of(folder: Path, run: Path) -> Path:
    """The lock file of a run."""
    return folder / f"tjgen.lock.d/default/vision/{run.parent.name}/{run.name}.yaml"


def start(folder: Path) -> None:
    """A repository on branch `main` with a superseded run, two current ones, and what makes Argo CD sync them."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (folder / "catalog").mkdir()
    overlay(folder, 1)
    experiment(folder, "digits", "1")
    experiment(folder, "letters", "1")
    build(folder)
    experiment(folder, "digits", "2")
    build(folder)
    commit(folder, "Start")
    git(folder, "branch", "--force", "base")
