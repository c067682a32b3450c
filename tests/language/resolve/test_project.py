"""Finding and reading `tjgen.yaml` and what it names."""

from __future__ import annotations

import os
import subprocess
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


POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: labels}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: ["*"]}]}
  validations: [{expression: "false"}]
"""


def test_files_with_upper_case_suffixes_are_reported(tmp_path: Path) -> None:
    """In folders of experiments, overlays, platforms, and in those that a Platform names."""
    for name in ("experiments", "overlays", "platforms", "platforms/policies", "platforms/shared"):
        (tmp_path / name).mkdir()
    (tmp_path / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\n"
        "spec: {experiments: [experiments], overlays: [overlays], platforms: [platforms/*.yaml], output: {directory: out}}\n",
        encoding="utf-8",
    )
    experiment = HEAD.format(kind="Experiment", name="NAME") + (
        "spec: {runtime: tjgen-torch, image: 'registry.example.com/a:1', script: train.py}\n"
    )
    experiment = experiment.replace("name: NAME", "name: NAME, namespace: x")
    overlay = HEAD.format(kind="Overlay", name="NAME") + "spec: {experiment: {nodes: 2}}\n"
    platform = HEAD.format(kind="Platform", name="lab") + "spec: {manifests: [shared], policies: [policies]}\n"
    settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: x}\n"
    policy = POLICY.replace("labels", "NAME")
    for place, text, suffix in (
        ("experiments", experiment, "YML"),
        ("overlays", overlay, "YAML"),
        ("platforms/shared", settings, "json.Yaml"),
        ("platforms/policies", policy, "YAML"),
    ):
        (tmp_path / place / "first.yaml").write_text(text.replace("NAME", "first"), encoding="utf-8")
        (tmp_path / place / f"second.{suffix}").write_text(text.replace("NAME", "second"), encoding="utf-8")
    (tmp_path / "platforms/lab.yaml").write_text(platform, encoding="utf-8")
    (tmp_path / "experiments/values.YAML").write_text("seed: 1\n", encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 0, answer.err
    assert sorted(line for line in answer.err.splitlines() if "TJ696" in line) == [
        f"warning[TJ696] {file} is not read: in a folder, only files that end in .yaml or .yml are"
        for file in (
            "experiments/second.YML",
            "overlays/second.YAML",
            "platforms/lab.yaml:4:20: platforms/shared/second.json.Yaml",
            "platforms/lab.yaml:4:40: platforms/policies/second.YAML",
        )
    ]
    assert "hint: rename it to second.yml\n" in answer.err


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_a_submodule_without_its_files_is_reported(tmp_path: Path) -> None:
    """Of empty folders, only those that Git has as submodules."""
    team, main = tmp_path / "team", tmp_path / "main"
    for folder in (team, main, main / "experiments", main / "experiments/new"):
        folder.mkdir()
    experiment = HEAD.format(kind="Experiment", name="NAME") + (
        "spec: {runtime: tjgen-torch, image: 'registry.example.com/a:1', script: train.py}\n"
    )
    for folder, name in ((team, "a"), (main / "experiments", "b")):
        (folder / f"{name}.yaml").write_text(experiment.replace("name: NAME", f"name: {name}, namespace: x"), encoding="utf-8")
    (main / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [experiments], output: {directory: out}}\n",
        encoding="utf-8",
    )
    for folder in (team, main):
        git(folder, "init", "-q")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "files")
    git(main, "submodule", "add", "-q", "../team", "experiments/team")
    answer = tjgen(main, "build")
    assert (answer.code, "TJ696" in answer.err, "2 new" in answer.err) == (0, False, True), answer.err
    git(main, "submodule", "deinit", "-f", "experiments/team")
    answer = tjgen(main, "build", "experiments", "-o", "-")
    assert answer.code == 0
    assert "warning[TJ696] experiments/team is not read: it is a submodule of Git" in answer.err
    assert "hint: run git submodule update --init -- experiments/team, or" in answer.err
    assert "experiments/new" not in answer.err
    git(main, "submodule", "update", "--init", "--", "experiments/team")
    assert "TJ696" not in tjgen(main, "build", "--check").err
