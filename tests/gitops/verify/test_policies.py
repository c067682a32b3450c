"""`tjgen verify` evaluates policies on what a change adds or alters, and counts the unchanged runs that they would deny."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.admission import binding, policy
from tests.gitops.verify.repository import build, commit, experiment, git, runs, start, verify

TRAIN_ONE = "object.spec.?containers.orValue([]).all(c, c.image == 'train:1')"
NOTHING_CHANGED = "warning[TJ557] policies would now deny"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project at its base, with policies outside of it that allow only the image train:1 in pods."""
    folder = tmp_path / "project"
    start(folder)
    (tmp_path / "strict.yaml").write_text(policy(TRAIN_ONE) + binding("p"), encoding="utf-8")
    return folder


def test_a_stricter_policy_counts_unchanged_runs(project: Path) -> None:
    answer = verify(project, "--base", "base", "--policy", "../strict.yaml")
    denied = [run.name for run in runs(project, "digits") if "train:2" in "".join(one.read_text() for one in run.iterdir())]
    assert len(denied) == 1
    (line,) = [line for line in answer.err.splitlines() if "TJ5" in line]
    assert line == f"{NOTHING_CHANGED} 1 unchanged run: vision/{denied[0]}"
    assert answer.code == 0
    assert verify(project, "--base", "base", "--policy", "../strict.yaml", "--strict").code == 1


def test_a_new_run_is_denied_at_the_line_of_its_author(project: Path) -> None:
    experiment(project, "letters", "3")
    build(project)
    answer = verify(project, "--base", "base", "--policy", "../strict.yaml")
    assert answer.code == 1
    denials = [line for line in answer.err.splitlines() if "TJ550" in line]
    assert denials
    assert all(line.startswith("error[TJ550] experiments/letters.yaml:6:10: the Pod that is created from") for line in denials)
    assert f"{NOTHING_CHANGED} 1 unchanged run: vision/digits-" in answer.err
    assert "cannot be built" not in answer.out


def test_an_unchanged_run_of_a_source_that_is_built_again_is_counted(project: Path) -> None:
    file = project / "experiments/digits.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "# a remark\n", encoding="utf-8")
    answer = verify(project, "--base", "base", "--policy", "../strict.yaml")
    assert "TJ550" not in answer.err
    assert f"{NOTHING_CHANGED} 1 unchanged run: vision/digits-" in answer.err
    assert answer.code == 0


def test_the_variable_enforces_policies(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_POLICY", str(project.parent / "strict.yaml"))
    assert f"{NOTHING_CHANGED} 1 unchanged run" in verify(project, "--base", "base").err
    experiment(project, "letters", "1")
    commit(project, "Nothing")
    git(project, "branch", "--force", "base")
    monkeypatch.setenv("TJGEN_POLICY", "missing.yaml")
    answer = verify(project, "--base", "base")
    assert (answer.code, answer.err) == (2, "Error: --policy missing.yaml: No such file or directory\n")


def test_an_allowed_change_is_not_reported(project: Path) -> None:
    text = (project.parent / "strict.yaml").read_text(encoding="utf-8").replace("train:1", "train:2")
    (project.parent / "strict.yaml").write_text(text, encoding="utf-8")
    experiment(project, "letters", "2")
    build(project)
    answer = verify(project, "--base", "base", "--policy", "../strict.yaml")
    assert "TJ550" not in answer.err
    assert f"{NOTHING_CHANGED} 2 unchanged runs: vision/digits-" in answer.err
    assert answer.code == 0


UPDATES = policy(
    "!object.spec.?suspend.orValue(false) || oldObject.spec.?suspend.orValue(false)",
    resources=("trainjobs",),
    groups=("trainer.kubeflow.org",),
    operation="UPDATE",
    message="a run is not suspended",
)


def test_a_run_that_changes_in_place_is_evaluated_as_an_update(project: Path) -> None:
    (project.parent / "strict.yaml").write_text(UPDATES + binding("p"), encoding="utf-8")
    file = project / "experiments/digits.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "  state: suspended\n", encoding="utf-8")
    build(project)
    answer = verify(project, "--base", "base", "--policy", "../strict.yaml")
    assert "error[TJ550]" in answer.err, answer.err
    assert "a run is not suspended" in answer.err
    assert answer.code == 1
