"""Finding and reading `tjgen.yaml` and what it names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.language.resolve.texts import told
from tests.program import tjgen
from tjgen.language.resolve.files import named
from tjgen.language.resolve.members import experiments
from tjgen.language.resolve.project import find
from tjgen.language.resolve.project_file import load
from tjgen.trees.files.sandbox import Sandbox

HEAD = "apiVersion: tjgen.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: {name}}}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(file: str, text: str) -> None:
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def project(spec: str) -> None:
    write("tjgen.yaml", f"apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {spec}\n")


def overlay(file: str, name: str, spec: str = "{experiment: {nodes: 2}}") -> None:
    write(file, HEAD.format(kind="Overlay", name=name) + f"spec: {spec}\n")


def platform(file: str, name: str, spec: str = "{}") -> None:
    write(file, HEAD.format(kind="Platform", name=name) + f"spec: {spec}\n")


def test_the_project_of_a_path_is_the_nearest_above(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a/tjgen.yaml", "")
    write("a/b/c/e.yaml", "")
    assert find("a/b/c/e.yaml") == os.path.join("a", "tjgen.yaml")
    assert find("a/b") == os.path.join("a", "tjgen.yaml")
    monkeypatch.chdir("a/b")
    assert find("c") == find(".") == os.path.join("..", "tjgen.yaml")


def test_no_project_above(here: Path) -> None:
    write("e.yaml", "")
    assert find("e.yaml") is None


def test_what_a_project_names(here: Path) -> None:
    project("{overlays: [over], platforms: ['clusters/*.yaml'], environments: {prod: {overlays: [prod.yaml], platform: west}}}")
    overlay("over/b.yaml", "b")
    overlay("over/deep/a.yml", "a")
    overlay("over/.hidden.yaml", "hidden")
    write("over/notes.txt", "no YAML: [")
    overlay("prod.yaml", "own")
    platform("clusters/east.yaml", "east")
    platform("clusters/west.yaml", "west")
    found, diagnostics = load("tjgen.yaml")
    assert diagnostics == []
    assert [one.overlay.metadata.name for one in found.overlays] == ["b", "a"]
    assert [one.overlay.metadata.name for one in found.overlays_of["prod"]] == ["own"]
    chosen = found.platform("prod")
    assert chosen is not None and chosen.platform.metadata.name == "west"
    assert found.platform(None) is None


def test_the_only_platform_is_that_of_every_environment(here: Path) -> None:
    project("{platforms: [p.yaml], environments: {dev: {}}}")
    platform("p.yaml", "only")
    found, _ = load("tjgen.yaml")
    assert [one and one.platform.metadata.name for one in (found.platform(None), found.platform("dev"))] == ["only", "only"]


def test_names_are_relative_to_the_project_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project("{overlays: [over.yaml]}")
    overlay("over.yaml", "over")
    write("sub/e.yaml", "")
    monkeypatch.chdir("sub")
    file = find(".")
    assert file is not None
    found, diagnostics = load(file)
    assert (diagnostics, [one.document.file for one in found.overlays]) == ([], [os.path.join("..", "over.yaml")])


FAULTS = {
    "no such file": ("{overlays: [over.yaml]}", ["TJ202 no-such-file tjgen.yaml:3:19 file or folder over.yaml does not exist"]),
    "a pattern without files": ("{overlays: ['x*.yaml']}", ["TJ202 no-such-file tjgen.yaml:3:19 no file matches x*.yaml"]),
    "an unknown field": ("{overlay: []}", ['TJ101 unknown-field tjgen.yaml:3:8 unknown field "overlay"']),
    "an overlay twice": (
        "{overlays: [one.yaml, two.yaml]}",
        ['TJ203 same-name two.yaml:3:18 Overlay "same" exists twice'],
    ),
    "an unknown platform": (
        "{platforms: [p.yaml], environments: {dev: {platform: esat}}}",
        ['TJ205 unknown-platform tjgen.yaml:3:60 the project has no platform "esat"'],
    ),
    "a platform with a fault": (
        "{platforms: [wrong.yaml], environments: {dev: {platform: west}}}",
        ['TJ101 unknown-field wrong.yaml:4:8 unknown field "queue"'],
    ),
    "a requirement that is not met": (
        "{requires: '>= 99'}",
        ["TJ206 requirement-not-met tjgen.yaml:3:18 this is tjgen 0.1.0, but the project requires >= 99"],
    ),
    "no requirement": (
        "{requires: latest}",
        ['TJ207 malformed-requirement tjgen.yaml:3:18 "latest" is not a requirement on releases'],
    ),
    "an overlay with a fault": ("{overlays: [bad.yaml]}", ['TJ101 unknown-field bad.yaml:4:21 unknown field "node"']),
    "a file that is no YAML": (
        "{overlays: [broken.yaml]}",
        ["TJ001 yaml-syntax broken.yaml:1:2 the text ends inside brackets"],
    ),
}


@pytest.mark.parametrize(("spec", "wanted"), FAULTS.values(), ids=FAULTS)
def test_fault(here: Path, spec: str, wanted: list[str]) -> None:
    project(spec)
    overlay("one.yaml", "same")
    overlay("two.yaml", "same")
    overlay("bad.yaml", "bad", "{experiment: {node: 2}}")
    write("broken.yaml", "[")
    platform("p.yaml", "east")
    write("wrong.yaml", "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: west}\nspec: {queue: {}}\n")
    assert told(load("tjgen.yaml")[1]) == wanted


def test_a_file_that_is_no_project(here: Path) -> None:
    overlay("tjgen.yaml", "over")
    assert told(load("tjgen.yaml")[1]) == ["TJ204 no-project - tjgen.yaml contains no document of kind Project"]


def test_a_file_that_cannot_be_read(here: Path) -> None:
    Path("tjgen.yaml").mkdir()
    assert told(load("tjgen.yaml")[1]) == ["TJ030 not-a-file - tjgen.yaml cannot be read: it is a folder"]


def test_one_overlay_for_several_environments_is_no_second_one(here: Path) -> None:
    project("{environments: {dev: {overlays: [o.yaml]}, prod: {overlays: [o.yaml]}}}")
    overlay("o.yaml", "o")
    assert load("tjgen.yaml")[1] == []


def test_patterns_reach_into_folders(here: Path) -> None:
    for file in ("a/x.yaml", "a/b/y.yaml", "z.yaml"):
        write(file, "")
    sandbox = Sandbox(["."])
    assert named(sandbox, "", "**/*.yaml") == (["a/b/y.yaml", "a/x.yaml", "z.yaml"], [])
    assert named(sandbox, "a", "b") == (["a/b/y.yaml"], [])
    assert named(sandbox, "a", "../z.yaml") == (["z.yaml"], [])
    assert named(sandbox, "", "nothing") == ([], [])


def test_runtimes_below_a_folder_of_experiments_are_not_experiments(here: Path) -> None:
    project("{experiments: [experiments], catalogs: [experiments/catalog/]}")
    write("experiments/run.yaml", HEAD.format(kind="Experiment", name="run"))
    write("experiments/catalog/acme.yaml", "kind: ClusterTrainingRuntime\n")
    write("experiments/catalogue.yaml", HEAD.format(kind="Experiment", name="other"))
    files, problems = experiments(load("tjgen.yaml")[0])
    assert ([Path(one).as_posix() for one in files], problems) == (["experiments/catalogue.yaml", "experiments/run.yaml"], [])


def test_a_json_experiment_in_a_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [experiments], output: {directory: out}}\n",
        encoding="utf-8",
    )
    experiment = '{"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "NAME", "namespace": "x"}, '
    experiment += '"spec": {"runtime": "tjgen-torch", "image": "registry.example.com/a:1", "script": "train.py"}}'
    (tmp_path / "experiments/a.json").write_text(experiment.replace("NAME", "a"), encoding="utf-8")
    (tmp_path / "experiments/deepspeed.json").write_text('{"zero": 3}', encoding="utf-8")
    alone = tjgen(tmp_path, "build")
    assert (alone.code, "error[TJ202]" in alone.err, "warning[TJ696] experiments/a.json is not read" in alone.err) == (
        1,
        True,
        True,
    )
    (tmp_path / "experiments/b.yaml").write_text(experiment.replace("NAME", "b"), encoding="utf-8")
    for words in (["build"], ["build"], ["build", "experiments", "-o", "-"]):
        answer = tjgen(tmp_path, *words)
        assert (answer.code, answer.err.count("TJ696"), "deepspeed" in answer.err) == (0, 1, False), answer.err
    (tmp_path / "experiments/a.json").rename(tmp_path / "experiments/a.yaml")
    assert "TJ696" not in tjgen(tmp_path, "build").err
