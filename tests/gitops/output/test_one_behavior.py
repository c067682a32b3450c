"""A build of the whole project does the same for any number of environments: it writes to a folder that is named, or prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.output.test_runs import EXPERIMENT
from tests.program import tjgen

PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec:\n  experiments: [experiments]\n"
FOLDER = "  output: {directory: out}\n"
ENVIRONMENTS = {
    "no environment": "",
    "one environment": "  environments: {dev: {}}\n",
    "two environments": "  environments: {dev: {}, prod: {}}\n",
}


@pytest.fixture(params=ENVIRONMENTS)
def environments(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    return ENVIRONMENTS[request.param]


def test_a_folder_in_the_project_is_written_and_reported(tmp_path: Path, environments: str) -> None:
    (tmp_path / "tjgen.yaml").write_text(PROJECT + environments + FOLDER, encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert (answer.code, answer.out) == (0, ""), answer.err
    assert answer.err.startswith("writing to out, the folder of the project")
    assert list((tmp_path / "out").rglob("trainjob-*.yaml"))
    assert tjgen(tmp_path, "build", "--prune-runs").code == 0


def test_without_a_folder_it_prints_or_names_the_environments_and_writes_nothing(tmp_path: Path, environments: str) -> None:
    (tmp_path / "tjgen.yaml").write_text(PROJECT + environments, encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    several = "prod" in environments
    assert (answer.code, "kind: TrainJob" in answer.out) == ((1, False) if several else (0, True))
    assert "printing: the project has no spec.output.directory, and -o is not given" in answer.err
    assert ("TJ266" in answer.err) == several
    assert sorted(path.name for path in tmp_path.iterdir()) == ["experiments", "tjgen.yaml"]
    assert tjgen(tmp_path, "build", "--prune-runs").code == 2


def test_an_option_that_shows_a_part_prints(tmp_path: Path, environments: str) -> None:
    (tmp_path / "tjgen.yaml").write_text(PROJECT + environments + FOLDER, encoding="utf-8")
    options = [["experiments/digits.yaml"], ["--expanded"], ["--set", "nodes=2"]]
    for words in options:
        chosen = ["--env", "dev"] if environments else []
        answer = tjgen(tmp_path, "build", *words, *chosen)
        assert (answer.code, answer.err) == (0, ""), words
        assert "kind: " in answer.out
    assert "RUN" in tjgen(tmp_path, "build", "--summary").out.split("\n")[0].split()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("cache", ["", "off"])
@pytest.mark.parametrize("place", ["runs", "previews", "data", "runtimes"])
def test_a_file_that_no_source_makes_is_removed_with_and_without_a_cache(
    tmp_path: Path, place: str, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TJGEN_CACHE", cache)
    (tmp_path / "experiments").mkdir()
    claim = "  volumes: {out: {pvc: {create: {size: 1Gi}}, mountPath: /out}}\n"
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT + claim, encoding="utf-8")
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    build = ("build", "-o", "out", "--expanded", "previews", "--prune-data")
    assert tjgen(tmp_path, *build).code == 0
    tree = {path: path.read_bytes() for path in tmp_path.rglob("*.yaml")}
    first = next(path for path in tree if path.is_relative_to(tmp_path / ("previews" if place == "previews" else f"out/{place}")))
    first.with_name("copied.yaml").write_bytes(tree[first])
    assert tjgen(tmp_path, *build).code == 0
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.yaml")} == tree


@pytest.mark.parametrize("cache", ["", "off"])
@pytest.mark.parametrize("name", ["a.yaml", "z.yaml"])
def test_an_experiment_that_a_second_file_has_is_an_error_with_and_without_a_cache(
    tmp_path: Path, name: str, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TJGEN_CACHE", cache)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    assert tjgen(tmp_path, "build", "-o", "out").code == 0
    tree = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.yaml")}
    (tmp_path / "experiments" / name).write_text(EXPERIMENT + "  nodes: 3\n", encoding="utf-8")
    answer = tjgen(tmp_path, "build", "-o", "out")
    assert answer.code == 1
    assert "digits" in answer.err
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.yaml")} == tree
