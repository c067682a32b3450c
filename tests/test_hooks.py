"""The hooks of .pre-commit-hooks.yaml, run by the real pre-commit in a repository of a user."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkout import copy_shipped

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: mnist, namespace: vision}
spec: {runtime: tjgen-torch, image: registry.example/mnist:1, script: train.py}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: deploy}
"""
CONFIGURATION = """\
repos:
  - repo: %s
    rev: HEAD
    hooks:
      - {id: tjgen-check, files: ^training/deploy/}
      - {id: %s, args: [-C, training]}
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder.parent),
        "PRE_COMMIT_HOME": os.environ.get("PRE_COMMIT_HOME", str(folder.parent / "pre-commit")),
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
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """This checkout as a repository of its own, so that what is not committed yet is tested too."""
    copy = tmp_path_factory.mktemp("hooks") / "tjgen"
    copy_shipped(copy)
    git(copy, "init", "--quiet", "--initial-branch=main")
    git(copy, "add", "--all")
    git(copy, "commit", "--quiet", "--message=hooks")
    with pytest.MonkeyPatch.context() as patch:
        # Installed once for all tests: it takes longer than all of them.
        patch.setenv("PRE_COMMIT_HOME", str(copy.parent / "pre-commit"))
        yield copy


class Repository:
    """A repository of a user, whose project lies in a folder of it."""

    def __init__(self, folder: Path, hooks: Path, hook: str) -> None:
        self.folder = folder
        self.project = folder / "training"
        (self.project / "experiments").mkdir(parents=True)
        git(folder, "init", "--quiet", "--initial-branch=main")
        # The home of the commands that run in the project is the repository, and its cache is no part of a commit.
        self.write(".git/info/exclude", ".cache/\n")
        self.write(".pre-commit-config.yaml", CONFIGURATION % (hooks, hook))
        self.write("training/tjgen.yaml", PROJECT)
        self.write("training/experiments/mnist.yaml", EXPERIMENT)
        self.tjgen("build", "-o", "deploy")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message=first")
        assert run(folder, "pre-commit", "install").returncode == 0

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def tjgen(self, *words: str) -> None:
        answer = run(self.project, "tjgen", *words)
        assert answer.returncode == 0, answer.stderr

    def commit(self, *words: str) -> tuple[bool, str]:
        """Whether a commit was made, and what was said."""
        before = run(self.folder, "git", "rev-parse", "HEAD").stdout
        answer = run(self.folder, "git", "commit", "--message=next", *words)
        made = run(self.folder, "git", "rev-parse", "HEAD").stdout != before
        assert made == (answer.returncode == 0)
        return made, answer.stdout + answer.stderr

    def in_commit(self) -> set[str]:
        return set(run(self.folder, "git", "show", "--name-only", "--format=", "HEAD").stdout.splitlines())


@pytest.fixture
def repository(hooks: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Repository:
    """The repository, with one of the hooks that look at the whole output."""
    return Repository(tmp_path / "experiments", hooks, getattr(request, "param", "tjgen-verify"))


with_build = pytest.mark.parametrize("repository", ["tjgen-build"], indirect=True)


def second(text: str = EXPERIMENT) -> str:
    return text.replace("mnist", "bert")


def test_what_was_built_passes(repository: Repository) -> None:
    answer = run(repository.folder, "pre-commit", "run", "--all-files", "--color=never")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert answer.stdout.count("Passed") == 2


def test_a_trap_of_a_sync_is_no_commit(repository: Repository, hooks: Path) -> None:
    hook = "{id: tjgen-lint, args: [training/manifests, --gitops, flux]}"
    repository.write(".pre-commit-config.yaml", f"repos:\n  - repo: {hooks}\n    rev: HEAD\n    hooks:\n      - {hook}\n")
    (repository.project / "manifests").mkdir()
    jobset = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: mnist}\nspec: {ttlSecondsAfterFinished: 60}\n"
    repository.write("training/manifests/jobset.yaml", jobset)
    git(repository.folder, "add", "--all")
    made, said = repository.commit()
    assert not made
    assert "error[TJ632] training/manifests/jobset.yaml:4:8" in said


def test_a_repository_that_init_made_passes(hooks: Path, tmp_path: Path) -> None:
    folder = tmp_path / "vision"
    answer = run(tmp_path, "tjgen", "init", "vision", "--hooks", f"{hooks}@HEAD")
    assert answer.returncode == 0, answer.stderr
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    answer = run(folder, "pre-commit", "run", "--all-files", "--color=never")
    assert (answer.returncode, answer.stdout.count("Passed")) == (0, 1), answer.stdout + answer.stderr


def test_a_forgotten_build_is_refused(repository: Repository) -> None:
    repository.write("training/experiments/mnist.yaml", EXPERIMENT.replace("mnist:1", "mnist:2"))
    made, said = repository.commit("--all")
    assert (made, "TJ699" in said) == (False, True)
    repository.tjgen("build", "-o", "deploy")
    # The new run is a new file, which --all does not add.
    made, said = repository.commit("--all")
    assert (made, "hint: git add deploy" in said) == (False, True)
    git(repository.folder, "add", "--all")
    assert repository.commit()[0]


def test_an_experiment_without_its_output_is_refused(repository: Repository) -> None:
    repository.write("training/experiments/bert.yaml", second())
    repository.tjgen("build", "-o", "deploy")
    git(repository.folder, "add", "training/experiments")
    made, said = repository.commit()
    assert not made
    assert "TJ699" in said
    assert "hint: git add deploy tjgen.lock.d" in said
    git(repository.folder, "add", "training")
    assert repository.commit()[0]


def test_output_without_its_experiment_is_refused(repository: Repository) -> None:
    repository.write("training/experiments/bert.yaml", second())
    repository.tjgen("build", "-o", "deploy")
    git(repository.folder, "add", "training/deploy", "training/tjgen.lock.d")
    made, said = repository.commit()
    assert (made, "git add experiments/bert.yaml" in said) == (False, True)


def test_what_is_not_in_the_commit_is_not_asked_about(repository: Repository) -> None:
    """A draft that was never added, and an experiment that was changed and not added."""
    repository.write("training/experiments/draft.yaml", "no experiment: [")
    repository.write("training/experiments/mnist.yaml", EXPERIMENT + "# not yet\n")
    repository.write("readme.txt", "words")
    git(repository.folder, "add", "readme.txt")
    made, said = repository.commit()
    assert made, said
    assert repository.in_commit() == {"readme.txt"}
    assert repository.read("training/experiments/mnist.yaml").endswith("# not yet\n")


@pytest.mark.parametrize("folder", [".", "training"])
def test_a_commit_of_named_files_has_an_index_of_its_own(repository: Repository, folder: str) -> None:
    repository.write("training/experiments/mnist.yaml", EXPERIMENT.replace("mnist:1", "mnist:2"))
    repository.write("readme.txt", "words")
    repository.tjgen("build", "-o", "deploy")
    git(repository.folder, "add", "--all")
    place = repository.folder / folder
    alone = str((repository.project / "experiments/mnist.yaml").relative_to(place))
    answer = run(place, "git", "commit", "--message=next", "--", alone)
    assert (answer.returncode, "TJ699" in answer.stderr) == (1, True), answer.stderr
    everything = [
        alone,
        str(Path(os.path.relpath(repository.project / "deploy", place))),
        os.path.relpath(repository.project / "tjgen.lock.d", place),
    ]
    answer = run(place, "git", "commit", "--message=next", "--", *everything)
    assert answer.returncode == 0, answer.stderr
    assert "readme.txt" not in repository.in_commit()


def test_a_removed_experiment_is_noticed(repository: Repository) -> None:
    repository.write("training/experiments/bert.yaml", second())
    git(repository.folder, "rm", "--quiet", "training/experiments/mnist.yaml")
    git(repository.folder, "add", "--all")
    made, said = repository.commit()
    assert (made, "TJ273" in said) == (False, True)


@with_build
def test_the_build_hook_builds_and_asks_to_add(repository: Repository) -> None:
    repository.write("training/experiments/mnist.yaml", EXPERIMENT.replace("mnist:1", "mnist:2"))
    made, said = repository.commit("--all")
    assert (made, "TJ700" in said) == (False, True)
    made, said = repository.commit("--all")
    assert (made, "TJ700" in said) == (False, True), "new files are not added by --all"
    git(repository.folder, "add", "--all")
    made, said = repository.commit()
    assert made, said
    assert any("/runs/" in name for name in repository.in_commit())
    assert run(repository.folder, "git", "status", "--porcelain").stdout == ""


@with_build
def test_the_build_hook_tells_what_git_was_told_to_ignore(repository: Repository) -> None:
    repository.write(".gitignore", "runs/\n")
    repository.write("training/experiments/bert.yaml", second())
    git(repository.folder, "add", "--all")
    assert not repository.commit()[0]
    git(repository.folder, "add", "--all")
    made, said = repository.commit()
    assert (made, "Git ignores" in said) == (False, True)
    repository.write(".gitignore", "runs/\n!training/deploy/**\n")
    git(repository.folder, "add", "--all")
    assert repository.commit()[0]


@with_build
def test_the_build_hook_writes_nothing_with_errors(repository: Repository) -> None:
    repository.write("training/experiments/mnist.yaml", EXPERIMENT.replace("script", "scripd"))
    made, said = repository.commit("--all")
    assert (made, "error[TJ101]" in said, "modified" in said) == (False, True, False)


@with_build
def test_the_build_hook_does_not_mind_a_draft(repository: Repository) -> None:
    repository.write("training/experiments/draft.yaml", second())
    repository.write("readme.txt", "words")
    git(repository.folder, "add", "readme.txt")
    made, said = repository.commit()
    assert made, said
    assert repository.in_commit() == {"readme.txt"}


def test_a_manifest_with_a_fault_is_refused_with_its_line(repository: Repository) -> None:
    (trainjob,) = repository.project.glob("deploy/runs/**/trainjob-*.yaml")
    name = str(trainjob.relative_to(repository.folder))
    repository.write(name, repository.read(name).replace("  trainer:\n", "  trainer:\n    colour: red\n"))
    answer = run(repository.folder, "pre-commit", "run", "tjgen-check", "--all-files", "--color=never")
    assert answer.returncode == 1
    assert 'unknown field "spec.trainer.colour"' in answer.stdout
    assert trainjob.name in answer.stdout


def test_manifests_are_checked_in_several_processes(repository: Repository) -> None:
    for number in range(40):
        text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: map-{number}}}\n"
        repository.write(f"training/deploy/own-{number}.yaml", text + ("dataa: {}\n" if number == 17 else ""))
    git(repository.folder, "add", "--all")
    answer = run(repository.folder, "pre-commit", "run", "tjgen-check", "--color=never")
    assert answer.returncode == 1
    assert answer.stdout.count("error[") == 1
    assert "own-17.yaml:4:1" in answer.stdout
