"""Python of a project runs only where the caller trusts the project, and that of a nested project not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tjgen as library
from tests.checkout import ROOT
from tests.program import tjgen
from tjgen.cli.program import COMMANDS, command_of

SLICER = """\
import os
open(os.environ["MARKER"], "w").close()
NEEDS_SIZES = False
def plan(items, count, options):
    return [[i for i in range(len(items)) if i % count == n] for n in range(count)]
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: probe, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example.com/team/train:1
  script: train.py
  nodes: 2
  volumes:
    corpus: {pvc: corpus, mountPath: /corpus, readOnly: true}
  data:
    volume: corpus
    items: {list: [a, b, c, d]}
    slices: {by: mine}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [a.yaml]
  output: {directory: deploy}
  slicers: {mine: mine.py}
"""


def write(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tjgen.yaml").write_text(PROJECT)
    (folder / "a.yaml").write_text(EXPERIMENT)
    # A text of its own for each test: code that has run is kept.
    (folder / "mine.py").write_text(f"{SLICER}# {folder}\n")
    return folder


@pytest.fixture
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the code of the project writes where it runs."""
    file = tmp_path / "executed"
    monkeypatch.setenv("MARKER", str(file))
    monkeypatch.delenv("TJGEN_TRUSTED", raising=False)
    return file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project")


UNTRUSTED = (
    ("check", "a.yaml"),
    ("build", "a.yaml"),
    ("build", "-o", "deploy"),
    ("build", "--check", "-o", "deploy"),
    ("lint", "a.yaml"),
    ("diff",),
    ("report", "-o", "report.html"),
    ("explain", "a.yaml"),
    ("pin", "--check"),
    ("cmp", "generate"),
)


@pytest.mark.parametrize("words", UNTRUSTED, ids=" ".join)
def test_code_of_the_project_does_not_run_by_itself(project: Path, marker: Path, words: tuple[str, ...]) -> None:
    answer = tjgen(project, *words)
    assert (answer.code, marker.exists()) == (1, False), answer.err
    assert 'error[TJ208] a.yaml:14:18: slicing strategy "mine" is Python code of this project (mine.py)' in answer.err
    assert "note: tjgen.yaml:6:19: named here" in answer.err
    assert "tjgen build --trusted" in answer.err


@pytest.mark.parametrize("words", [one for one in UNTRUSTED if one[0] != "cmp"], ids=" ".join)
def test_it_runs_with_trust(project: Path, marker: Path, words: tuple[str, ...]) -> None:
    answer = tjgen(project, *words, "--trusted")
    assert marker.exists(), answer.err
    assert "TJ208" not in answer.err


def test_it_runs_with_the_variable_of_the_caller(project: Path, marker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_TRUSTED", "1")
    assert tjgen(project, "build", "a.yaml").code == 0
    assert marker.exists()


def test_a_shard_and_its_merge_run_it_with_trust_alone(project: Path, marker: Path) -> None:
    shard = ("build", "--shard", "1/1", "-o", "shards")
    merge = ("build", "--from-shards", "shards", "-o", "deploy")
    assert tjgen(project, *shard).code == 0
    answer = tjgen(project, *merge)
    assert (answer.code, marker.exists()) == (1, False)
    assert "error[TJ208] a.yaml:14:18" in answer.err
    assert tjgen(project, *shard, "--trusted").code == 0
    assert marker.exists()
    marker.unlink()
    answer = tjgen(project, *merge)
    assert (answer.code, marker.exists()) == (1, False)
    assert "error[TJ242] " in answer.err
    answer = tjgen(project, *merge, "--trusted")
    assert answer.code == 0, answer.err


@pytest.mark.parametrize("name", ["cmp", "krm", "postrender", "init", "import"])
def test_what_runs_for_others_cannot_be_trusted(name: str) -> None:
    assert "--trusted" not in {flag for option in command_of(name)[0].options for flag in option.flags}


def test_the_variable_has_no_effect_on_a_plugin_of_argocd(project: Path, marker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_TRUSTED", "1")
    answer = tjgen(project, "cmp", "generate")
    assert (answer.code, marker.exists(), "TJ208" in answer.err) == (1, False, True)


def test_every_command_that_builds_can_be_trusted() -> None:
    able = {name for name in COMMANDS if "trusted" in {option.name for option in command_of(name)[0].options}}
    assert able == {
        "build",
        "check",
        "lint",
        "diff",
        "report",
        "explain",
        "pin",
        "diagnose",
        "fit",
        "migrate",
        "promote",
        "runs",
        "status",
        "try",
        "verify",
    }


def test_code_of_a_nested_project_never_runs(tmp_path: Path, marker: Path) -> None:
    (tmp_path / "tjgen.yaml").write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [experiments/]}\n")
    write(tmp_path / "experiments/evil")
    answer = tjgen(tmp_path, "build", "experiments/evil/a.yaml", "--trusted")
    assert (answer.code, marker.exists(), "error[TJ209]" in answer.err) == (1, False, True), answer.err
    assert "tjgen build --trusted experiments/evil" in answer.err
    assert tjgen(tmp_path, "build", "--trusted", "experiments/evil").code == 0
    assert marker.exists()


def test_no_file_of_a_repository_grants_trust(project: Path, marker: Path) -> None:
    for name in (".env", "tjgen.env", "setup.cfg"):
        (project / name).write_text("TJGEN_TRUSTED=1\n")
    (project / "tjgen.yaml").write_text(PROJECT + "  trusted: true\n")
    answer = tjgen(project, "build", "a.yaml")
    assert (answer.code, marker.exists(), "TJ101" in answer.err) == (1, False, True)


def test_the_library_trusts_only_where_it_is_told_to(project: Path, marker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert [one.code for one in library.build(["a.yaml"]).diagnostics] == ["TJ208"]
    assert not marker.exists()
    assert library.build(["a.yaml"], trusted=True).diagnostics == []
    assert marker.exists()
    marker.unlink()
    (project / "mine.py").write_text(f"{SLICER}# {project} again\n")
    assert [one.code for one in library.build(["a.yaml"]).diagnostics] == ["TJ208"], "trust ends with the call"
    assert not marker.exists()


def test_modules_of_the_working_directory_are_not_imported(project: Path, marker: Path) -> None:
    """`python -m tjgen` puts the working directory first on the path of imports."""
    for name in ("yaml", "shlex", "json", "bisect", "click", "tempfile", "hashlib", "subprocess"):
        (project / f"{name}.py").write_text('import os\nopen(os.environ["MARKER"], "w").close()\nraise ImportError\n')
    (project / "a.yaml").write_text(EXPERIMENT.replace("    slices: {by: mine}\n", ""))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for words in (["build", "a.yaml"], ["check", "a.yaml"], ["--help"], ["build", "-o", "deploy"]):
        command = [sys.executable, "-m", "tjgen", *words]
        subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False)
        assert not marker.exists(), words
