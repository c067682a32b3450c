"""Experiments that list the environments that they are for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.checkout import ROOT, copy_tree
from tests.program import Answer, tjgen


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with the environments dev and prod, and runs in both."""
    copy_tree(ROOT / "examples/gitops", tmp_path / "gitops")
    return tmp_path / "gitops"


def limit(project: Path, experiment: str, environments: str) -> None:
    """Let the experiment list environments."""
    file = project / f"experiments/{experiment}.yaml"
    file.write_text(file.read_text().replace("spec:\n", f"spec:\n  environments: {environments}\n", 1))


def head(answer: Answer) -> list[str]:
    """The first line of each diagnostic."""
    return [line for line in answer.err.splitlines() if "[TJ" in line]


def test_an_experiment_is_built_in_the_environments_that_it_lists(project: Path) -> None:
    limit(project, "rates", "[prod]")
    dev, prod = (tjgen(project, "build", "experiments", "--env", name) for name in ("dev", "prod"))
    assert (dev.code, "name: rates" in dev.out) == (0, False)
    assert (prod.code, head(prod)) == (0, ["info[TJ736] 3 runs are not shown: prod contains promoted runs only"])


def test_the_name_of_a_run_does_not_depend_on_the_list(project: Path) -> None:
    limit(project, "classifier", "[dev, prod]")
    before = {path: path.read_bytes() for path in project.rglob("deploy/**/*.yaml")}
    assert tjgen(project, "build").code == 0
    assert {path: path.read_bytes() for path in project.rglob("deploy/**/*.yaml")} == before


def test_a_run_in_an_environment_that_the_list_no_longer_has_stays_as_an_orphan(project: Path) -> None:
    limit(project, "classifier", "[dev]")
    answer = tjgen(project, "build")
    assert head(answer) == [
        "warning[TJ273] 1 run is orphaned: no source requests it, but it stays (experiment prod/vision/classifier)"
    ]
    assert [path.name for path in project.glob("deploy/prod/runs/vision/classifier/*/*")] == ["trainjob-classifier-bdt4bxld.yaml"]


@pytest.mark.parametrize(
    "words",
    [
        ["build", "experiments/rates.yaml", "--env", "prod"],
        ["explain", "experiments/rates.yaml", "--env", "prod"],
        ["try", "experiments/rates.yaml", "--env", "prod"],
        ["promote", "rates-value-0-1-9f54jbvq", "--env", "prod"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_for_another_environment_is_refused(project: Path, words: list[str]) -> None:
    limit(project, "rates", "[dev]")
    answer = tjgen(project, *words)
    assert answer.code == 1
    assert head(answer) == [
        "error[TJ227] experiments/rates.yaml:6:17: spec.environments does not contain prod, so the command has nothing to build"
    ]


def test_an_overlay_sets_the_list(project: Path) -> None:
    (project / "overlays/rates.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: rates}\n"
        "spec: {layer: default, match: {names: [rates]}, experiment: {environments: [prod]}}\n"
    )
    answer = tjgen(project, "build", "--env", "dev", "experiments/rates.yaml")
    assert head(answer) == [
        "error[TJ227] experiments/rates.yaml:5:1: spec.environments does not contain dev, so the command has nothing to build"
    ]


def test_experiments_of_different_environments_may_have_one_name(project: Path) -> None:
    shutil.copy(project / "experiments/rates.yaml", project / "experiments/other.yaml")
    limit(project, "rates", "[dev]")
    assert "TJ264" in tjgen(project, "build").err
    limit(project, "other", "[prod]")
    assert head(tjgen(project, "build")) == []


UNKNOWN = {
    "a slip": ("[dve]", 'error[TJ262] experiments/rates.yaml:6:18: the project has no environment "dve"', 'did you mean "dev"?'),
    "another word": (
        "[dev, staging]",
        'error[TJ262] experiments/rates.yaml:6:23: the project has no environment "staging"',
        "use one of dev, prod",
    ),
}


@pytest.mark.parametrize(("environments", "message", "hint"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_environment_that_the_project_does_not_have(project: Path, environments: str, message: str, hint: str) -> None:
    limit(project, "rates", environments)
    answer = tjgen(project, "build")
    assert (answer.code, head(answer)) == (1, [message])
    assert f"  hint: {hint}\n" in answer.err


def test_an_experiment_outside_of_a_project(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: a}\n"
        "spec: {runtime: tjgen-torch, image: a/b:1, script: a.py, environments: [dev]}\n"
    )
    answer = tjgen(tmp_path, "build", "a.yaml")
    assert (answer.code, head(answer)) == (
        1,
        ['error[TJ262] a.yaml:4:73: there is no environment "dev", because neither this folder nor one above has a tjgen.yaml'],
    )
    assert "  hint: remove environments, or add the environment to tjgen.yaml\n" in answer.err
