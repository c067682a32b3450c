"""The example repository: what is committed is what its sources and lock give, is valid, and tells the story of its README."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT, list_entries
from tests.program import tjgen

EXAMPLE = ROOT / "examples" / "gitops"
TOOLS = {"argocd": ".", "flux": "flux"}


@pytest.fixture(params=TOOLS)
def project(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of one tool, in a copy."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    shutil.copytree(EXAMPLE, tmp_path / "gitops")
    # The project of Flux reads experiments of the repository around it.
    subprocess.run(["git", "init", "--quiet", tmp_path / "gitops"], check=True)
    return tmp_path / "gitops" / TOOLS[request.param]


def listed(project: Path) -> str:
    answer = tjgen(project, "runs", "list")
    assert (answer.code, answer.err) == (0, "")
    return answer.out


def trees(folder: Path) -> dict[str, Any]:
    """Path -> manifest of every file in `deploy` below the stages, without annotations."""
    found = {}
    for path in sorted(folder.glob("deploy/*/*/**/*.yaml")):
        if "gitops" not in path.relative_to(folder).parts:
            tree = yaml.safe_load(path.read_text(encoding="utf-8"))
            metadata = {key: value for key, value in tree["metadata"].items() if key != "annotations"}
            found[str(path.relative_to(folder))] = {**tree, "metadata": metadata}
    return found


def test_what_is_committed_is_what_is_built(project: Path) -> None:
    answer = tjgen(project, "build", "--check", "--quiet", "--strict")
    assert (answer.code, answer.err) == (0, "")
    assert tjgen(project, "build", "-o", "deploy").err.startswith("runs: 0 new, ")
    assert tjgen(project, "build", "--check", "--quiet").code == 0


def test_what_is_committed_is_valid(project: Path) -> None:
    answer = tjgen(project, "check", "--strict", "deploy")
    assert answer.code == 0
    assert re.fullmatch(r"\d+ objects, 0 problems\n", answer.err)


def test_every_image_is_pinned(project: Path) -> None:
    answer = tjgen(project, "pin", "--check")
    assert (answer.code, answer.err) == (0, "")


def test_the_readme_lists_the_runs(project: Path) -> None:
    assert listed(project) in (EXAMPLE / "README.md").read_text(encoding="utf-8")
    runs = json.loads(tjgen(project, "runs", "list", "--format", "json").out)
    assert {run["state"] for run in runs} == {"archived", "superseded", "current"}
    (promoted,) = [run for run in runs if run["environment"] == "prod"]
    assert promoted["promotedFrom"].startswith("dev/vision-dev/classifier/classifier-")


def test_both_tools_apply_the_same(tmp_path: Path) -> None:
    assert trees(EXAMPLE) == trees(EXAMPLE / "flux")
    assert len(trees(EXAMPLE)) == 10


def test_each_tool_finds_the_tree_in_the_repository() -> None:
    found: dict[str, list[Any]] = {}
    for folder in (EXAMPLE, EXAMPLE / "flux"):
        for path in folder.glob("deploy/**/gitops/*.yaml"):
            tree = yaml.safe_load(path.read_text(encoding="utf-8"))
            found.setdefault(tree["kind"], []).append(tree)
    assert sorted(found) == ["ApplicationSet", "ConfigMap", "GitRepository", "Kustomization"]
    for tree in found["Kustomization"]:
        assert (EXAMPLE / tree["spec"]["path"]).is_dir()
    (generator,) = found["ApplicationSet"][0]["spec"]["generators"]
    (files,) = generator["git"]["files"]
    assert list_entries(EXAMPLE, files["path"]) == list_entries(EXAMPLE, "deploy/*/gitops/_environment.yaml")
    assert [(EXAMPLE / tree["data"]["path"]).is_dir() for tree in found["ConfigMap"]] == [True, True]


def test_a_new_cluster_trains_what_has_not_finished(project: Path) -> None:
    records = [path.name for path in project.glob("deploy/**/trainjob-*.yaml") if "ssa: Ignore" in path.read_text()]
    assert [name.partition("-")[2].partition("-")[0] for name in records] == ["baseline"]
