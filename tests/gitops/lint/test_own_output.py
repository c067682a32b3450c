"""What tjgen builds, for each tool, is free of findings: else the compiler is wrong, or the rule."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT, list_entries
from tests.program import arguments, assert_clean, cases, tjgen
from tjgen.tools.scaffold.first import FRAMEWORKS

PROJECTS = ("project", "catalog", "gitops")
ASKED = {"naming: fixed": "TJ629", "ttlSecondsAfterFinished: ": "TJ632"}
"""What an experiment says in so many words -> the rule that warns of it."""
ALONE = list_entries(ROOT / "examples", "*.yaml")


def for_tool(folder: Path, tool: str) -> None:
    """Say in the project file of a folder which tool syncs."""
    file = folder / "tjgen.yaml"
    project: Any = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Project", "spec": {}}
    if file.exists():
        project = yaml.safe_load(file.read_text(encoding="utf-8"))
    project["spec"]["gitops"] = {"tool": tool}
    file.write_text(yaml.safe_dump(project), encoding="utf-8")


def asked_for(folder: Path) -> list[str]:
    """Options that leave out the rules that sources ask to break."""
    texts = [file.read_text(encoding="utf-8") for file in folder.rglob("*.yaml")]
    codes = {code for words, code in ASKED.items() if any(words in text for text in texts)}
    return [word for code in sorted(codes) for word in ("--ignore", code)]


@pytest.mark.parametrize("case", cases("cases"), ids=lambda case: case.name)
def test_a_case_is_free_of_findings(case: Path, tmp_path: Path) -> None:
    folder = tmp_path / "case"
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns("expected"))
    words = arguments(case)
    chosen = [word for at, word in enumerate(words) if word != "--set" and words[at - 1] != "--set"]
    ignored = asked_for(folder)
    for tool in ("argocd", "flux"):
        for_tool(folder, tool)
        answer = tjgen(folder, "lint", *chosen, *ignored)
        assert_clean(answer)


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_the_examples_are_free_of_findings(tool: str, tmp_path: Path) -> None:
    for file in ALONE:
        shutil.copy(file, tmp_path)
    for_tool(tmp_path, tool)
    answer = tjgen(tmp_path, "lint", *[file.name for file in ALONE], *asked_for(tmp_path))
    assert_clean(answer)


@pytest.mark.parametrize("tool", ["argocd", "flux"])
@pytest.mark.parametrize("name", PROJECTS)
def test_the_example_projects_are_free_of_findings(name: str, tool: str, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / name, folder)
    for_tool(folder, tool)
    answer = tjgen(folder, "lint")
    assert_clean(answer)


@pytest.mark.parametrize("folder", ["deploy", "flux/deploy"])
def test_a_built_tree_is_free_of_findings(folder: str) -> None:
    answer = tjgen(ROOT / "examples" / "gitops", "lint", folder, "--gitops", "flux" if folder.startswith("flux") else "argocd")
    assert_clean(answer)


@pytest.mark.parametrize("tool", ["argocd", "flux"])
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_fresh_project_is_free_of_findings(framework: str, tool: str, tmp_path: Path) -> None:
    """The project, and its output as manifests: for the tool that it names, all rules, also those that are off by default."""
    repository = ["--repository", "https://git.example.com/vision.git"]
    assert tjgen(tmp_path, "init", "vision", "--framework", framework, "--gitops", tool, *repository).code == 0
    for words in ([], ["deploy"], ["deploy", "--gitops", tool]):
        answer = tjgen(tmp_path / "vision", "lint", "--all", *words)
        assert_clean(answer)
