"""`tjgen devices` in projects with no, one and several platforms."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

PLATFORM = """
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {{name: {name}}}
spec:
  deviceClasses:
    ours: {{resource: example.com/{name}, memory: 24Gi, processes: 2, nodeSelector: {{pool: {name}}}}}
---
"""
PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {platforms: [platforms.yaml], environments: %s}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "platforms.yaml").write_text(PLATFORM.format(name="a") + PLATFORM.format(name="b"))
    (tmp_path / "tjgen.yaml").write_text(PROJECT % "{dev: {platform: a}, prod: {platform: b}}")
    return tmp_path


def test_without_a_project_there_are_the_built_in_classes(tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "devices")
    assert (answer.code, answer.err) == (0, "")
    header, *rows = answer.out.splitlines()
    assert header.split() == ["CLASS", "FROM", "RESOURCE", "MEMORY", "PROCESSES", "PARTS", "NODES"]
    assert rows[0].startswith("a100 ")
    assert all(" built in " in row for row in rows)


def test_the_platform_of_the_environment_comes_first(project: Path) -> None:
    answer = tjgen(project, "devices", "--env", "prod")
    assert (answer.code, answer.err) == (0, "")
    row = answer.out.splitlines()[1].split()
    assert row == ["ours", "b", "example.com/b", "24Gi", "2", "-", "pool=b"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param([], "the environments have several platforms: set --env dev|prod", id="none of several"),
        pytest.param(
            ["--env", "prd"], 'the project has no environment "prd": did you mean "prod"?', id="one that does not exist"
        ),
    ],
)
def test_wrong_use(project: Path, words: list[str], message: str) -> None:
    assert tjgen(project, "devices", *words) == (2, "", f"Error: {message}\n")


def test_environments_that_share_a_platform_need_not_be_told_apart(project: Path) -> None:
    (project / "tjgen.yaml").write_text(PROJECT % "{dev: {platform: a}, prod: {platform: a}}")
    assert tjgen(project, "devices").out.splitlines()[1].split()[:2] == ["ours", "a"]


def test_a_project_that_cannot_be_read_is_reported(project: Path) -> None:
    (project / "tjgen.yaml").write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {platfroms: []}\n")
    answer = tjgen(project, "devices")
    assert (answer.code, answer.out) == (1, "")
    assert "platfroms" in answer.err
