"""What the words of a command line mean."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.program import tjgen


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with two environments, its tree, its lock, and another project within it."""
    shutil.copytree(ROOT / "examples/gitops", tmp_path / "gitops")
    return tmp_path / "gitops"


def test_the_folder_of_a_project_means_the_project(project: Path) -> None:
    inside = tjgen(project, "build", "--env", "dev")
    assert inside.code == 0, inside.err
    assert inside.out.count("kind: TrainJob") == 4
    for folder, word in ((project.parent, "gitops"), (project, "."), (project, str(project))):
        assert tjgen(folder, "build", word, "--env", "dev") == inside


@pytest.mark.parametrize("words", [["build"], ["diff"], ["explain", "digits"], ["promote", "digits"]])
def test_a_project_with_an_error_is_one_error(project: Path, words: list[str]) -> None:
    (project / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {environments: {dev: {ns: a}}}\n", encoding="utf-8"
    )
    answer = tjgen(project, *words, "--env", "dev")
    assert answer.code == 1
    assert answer.err.startswith('error[TJ101] tjgen.yaml:3:29: unknown field "ns"')
    assert answer.err.endswith("1 error\n")


@pytest.mark.parametrize("file", ["tjgen.yaml", "overlays/prod.yaml"])
def test_a_file_of_the_project_is_no_experiment_in_any_environment(project: Path, file: str) -> None:
    for words in ((), ("--env", "dev")):
        answer = tjgen(project, "build", file, *words)
        assert answer.code == 1
        assert f"error[TJ263] {file}:" in answer.err
        assert "hint: name an experiment, or run tjgen build without a path" in answer.err
        assert "TJ266" not in answer.err


def test_a_folder_within_a_project_means_its_experiments(project: Path) -> None:
    answer = tjgen(project, "build", "experiments", "--env", "dev")
    assert (answer.code, answer.out.count("kind: TrainJob")) == (0, 4)


def test_a_project_of_several_environments_is_written_to_its_folder(project: Path) -> None:
    shutil.rmtree(project / "deploy")
    shutil.rmtree(project / "tjgen.lock.d")
    answer = tjgen(project, "build")
    assert (answer.code, answer.out) == (0, "")
    assert len(list((project / "deploy").rglob("trainjob-*.yaml"))) == 4
    refused = tjgen(project, "build", "--expanded")
    assert refused.code == 1
    assert "TJ266" in refused.err


@pytest.mark.parametrize(
    ("file", "text", "is_reported"),
    [
        ("experiments/train/settings.yaml", "lr: 0.1\n", False),
        ("experiments/train/conf/model.yaml", "- lr: 0.1\n", False),
        ("experiments/settings.yaml", "lr: 0.1\n", True),
        ("experiments/train/run.yaml", "metadata: {name: run}\nspec: {runtime: tjgen-torch}\n", True),
    ],
)
def test_a_configuration_of_a_program_is_next_to_its_code(project: Path, file: str, text: str, is_reported: bool) -> None:
    (project / "experiments/train/conf").mkdir(parents=True)
    (project / "experiments/train/train.py").touch()
    (project / file).write_text(text, encoding="utf-8")
    answer = tjgen(project, "build", "--env", "dev")
    assert answer.code == 0, answer.err
    assert ("warning[TJ263]" in answer.err) == is_reported
    assert ("with the code (.py files)" in answer.err) == (is_reported and text.startswith("lr"))
