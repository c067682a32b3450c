"""A Git repository in which a build changes, adds and removes runs: what interrupts it, what people do next, what must result.

Branch `main` has a source that is not built yet. Branch `other` begins at the commit before, so it has neither the
run that a build of `main` adds nor the one that it removes. Branch `upstream` is `main` with one more change of a source.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.program import Answer, tjgen

OUTPUT = ("out", "tjgen.lock.d")
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: out}
  history: {keep: 1}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata:
  name: NAME
  namespace: vision
  labels: {team: one}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  volumes:
    data: {pvc: {create: {size: 1Gi}}, mountPath: /data}
"""
IDENTITY = {
    **{f"GIT_{role}_{what}": "someone@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    "GIT_CONFIG_GLOBAL": "/dev/null",
}

Files = Mapping[str, bytes]


def git(folder: Path, *words: str) -> str:
    """Run Git; its output."""
    answer = subprocess.run(
        ["git", "-c", "advice.detachedHead=false", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, (words, answer.stdout + answer.stderr)
    return answer.stdout


def switch(folder: Path, branch: str) -> None:
    """Check out the branch; where Git refuses, since a changed file would be overwritten, by force."""
    if subprocess.run(["git", "checkout", "--quiet", branch], cwd=folder, capture_output=True, check=False).returncode:
        git(folder, "checkout", "--quiet", "--force", branch)


def build(folder: Path, *words: str) -> Answer:
    """Build the project."""
    return tjgen(folder, "build", "-o", "out", *words)


def output(folder: Path) -> Files:
    """Every file of the output and of the locks, hidden ones too."""
    places = [path for top in OUTPUT for path in sorted((folder / top).rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in places}


def visible(files: Files) -> Files:
    """The files without those of staging directories."""
    return {path: content for path, content in files.items() if "/.tjgen/" not in path}


def create(folder: Path, *, points: int = 1) -> None:
    """Make the repository, with branch `main` checked out and not built; experiment `digits` is a sweep of `points` runs."""
    (folder / "experiments").mkdir(parents=True)
    (folder / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    for name in ("digits", "letters", "stable"):
        (folder / f"experiments/{name}.yaml").write_text(EXPERIMENT.replace("NAME", name), encoding="utf-8")
    seeds = ", ".join(f'"{number}"' for number in range(points))
    with (folder / "experiments/digits.yaml").open("a", encoding="utf-8") as stream:
        stream.write(f"  sweep: {{matrix: {{env.SEED.value: [{seeds}]}}}}\n" if points > 1 else "")
    git(folder, "init", "--quiet", "--initial-branch=main")
    _commit_built(folder)
    git(folder, "checkout", "--quiet", "-b", "other")
    edit(folder, "stable", "train:1", "train:other")
    _commit_built(folder)
    git(folder, "checkout", "--quiet", "main")
    for old, new in (("train:1", "train:early"), ("train:early", "train:2")):
        edit(folder, "digits", old, new)
        _commit_built(folder)
    edit(folder, "digits", "train:2", "train:3")
    edit(folder, "letters", "team: one", "team: two")
    git(folder, "commit", "--quiet", "--all", "--message=sources only")
    git(folder, "checkout", "--quiet", "-b", "upstream")
    edit(folder, "digits", "train:3", "train:4")
    git(folder, "commit", "--quiet", "--all", "--message=one more change of a source")
    git(folder, "checkout", "--quiet", "main")


def edit(folder: Path, name: str, old: str, new: str) -> None:
    """Change an experiment."""
    file = folder / f"experiments/{name}.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def clean(template: Path, folder: Path, branch: str) -> Files:
    """What a build of a fresh checkout of the branch writes."""
    renew(template, folder)
    git(folder, "checkout", "--quiet", branch)
    answer = build(folder)
    assert answer.code == 0, answer.err
    return output(folder)


def renew(template: Path, folder: Path) -> None:
    """Put `folder` back to the state of `template`."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder, symlinks=True)


def _commit_built(folder: Path) -> None:
    answer = build(folder)
    assert answer.code == 0, answer.err
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=built")


def _words(*commands: Sequence[str]) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        for command in commands:
            git(folder, *command)

    return act


def _there_and_back(folder: Path) -> None:
    switch(folder, "other")
    switch(folder, "main")


def _build_there_and_return(folder: Path) -> None:
    switch(folder, "other")
    answer = build(folder)
    assert answer.code == 0, answer.err
    switch(folder, "main")


def _commit_half(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=half")
    assert ".tjgen" not in git(folder, "ls-files")


NEXT: Mapping[str, tuple[str, Callable[[Path], None]]] = {
    "build again": ("main", _words()),
    "another branch": ("other", lambda folder: switch(folder, "other")),
    "another branch by force": ("other", _words(["checkout", "--quiet", "--force", "other"])),
    "there and back": ("main", _there_and_back),
    "built there, and back": ("main", _build_there_and_return),
    "git stash": ("main", _words(["stash", "--quiet"])),
    "git stash with untracked files": ("main", _words(["stash", "--quiet", "--include-untracked"])),
    "git reset": ("main", _words(["reset", "--quiet", "--hard"])),
    "git reset and clean": ("main", _words(["reset", "--quiet", "--hard"], ["clean", "-f", "-d", "--quiet"])),
    "git status": ("main", _words(["status", "--porcelain"])),
    "git pull": ("upstream", _words(["merge", "--quiet", "--ff-only", "upstream"])),
    "half of it committed": ("main", _commit_half),
}
"""What people do after an interrupted build -> the branch that they are on then, and how they get there. A build follows."""

CHECKS = (("build", "-o", "out", "--check"),)
"""Commands that compare the output and the locks with the sources: each must fail unless all three agree."""
