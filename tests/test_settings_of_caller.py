"""The settings file of the caller (TJGEN_SETTINGS): limits that no project and no option exceeds."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import tjgen as library
from tests.admission import binding, policy
from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: net, namespace: team}
spec:
  runtime: tjgen-torch
  image: docker.io/train:1
  script: train.py
"""
POLICY = policy(
    "object.spec.containers.all(one, one.image.startsWith('registry.example.com/'))", name="registry", message="wrong registry"
) + binding("registry")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that TJGEN_SETTINGS names, next to a project in a Git work tree."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "experiment.yaml").write_text(EXPERIMENT)
    file = tmp_path / "etc" / "settings.yaml"
    file.parent.mkdir()
    monkeypatch.setenv("TJGEN_SETTINGS", str(file))
    return file


def limit(settings: Path, spec: str, project: str = "{experiments: [experiment.yaml]}") -> Path:
    """Write the settings and the project; returns the folder of the project."""
    settings.write_text(f"apiVersion: tjgen.dev/v1alpha1\nkind: Settings\nspec: {spec}\n")
    folder = settings.parent.parent / "project"
    (folder / "tjgen.yaml").write_text(f"apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {project}\n")
    return folder


@pytest.mark.parametrize("words", [("build",), ("cmp", "generate"), ("explain", "experiment.yaml", "TrainJob", "spec")])
def test_every_command_enforces_the_policies_of_the_settings(words: tuple[str, ...], settings: Path) -> None:
    (settings.parent / "policies.yaml").write_text(POLICY)
    folder = limit(settings, "{policies: [policies.yaml]}")
    answer = tjgen(folder, *words)
    assert (answer.code, answer.out) == (1, "")
    assert "TJ550" in answer.err
    assert "wrong registry" in answer.err


def test_policies_of_the_command_line_are_enforced_as_well(settings: Path) -> None:
    (settings.parent / "policies.yaml").write_text(POLICY)
    folder = limit(settings, "{policies: [policies.yaml]}")
    other = folder.parent / "other.yaml"
    other.write_text(POLICY.replace("registry", "mirror").replace("wrong", "another"))
    answer = tjgen(folder, "build", "--policy", str(other))
    assert answer.err.count("error[TJ550]") == 2


def test_a_budget_of_the_settings_is_the_highest(settings: Path) -> None:
    folder = limit(settings, "{budgets: {points: 3}}")
    sweep = "  sweep: {matrix: {env.SEED: [1, 2, 3, 4]}}\n"
    (folder / "experiment.yaml").write_text(EXPERIMENT + sweep)
    answer = tjgen(folder, "build")
    assert answer.code == 1
    assert "the sweep has 4 points, more than the budget of 3" in answer.err
    limit(settings, "{budgets: {points: 3}}", "{experiments: [experiment.yaml], budgets: {points: 100}}")
    answer = tjgen(folder, "build")
    assert "warning[TJ568]" in answer.err
    assert "limits the budget points to 3, but the project sets 100" in answer.err
    assert "more than the budget of 3" in answer.err
    # A lower budget of the project applies.
    limit(settings, "{budgets: {points: 3}}", "{experiments: [experiment.yaml], budgets: {points: 2}}")
    assert "more than the budget of 2" in tjgen(folder, "build").err


def test_a_project_reads_only_folders_that_the_settings_list(settings: Path) -> None:
    allowed, other = settings.parent.parent / "allowed", settings.parent.parent / "other"
    for one in (allowed, other):
        (one / "below").mkdir(parents=True)
    project = "{experiments: [experiment.yaml], readable: [../allowed/below, ../other]}"
    answer = tjgen(limit(settings, "{readable: [../allowed]}", project), "build")
    assert answer.code == 1
    assert "error[TJ568] tjgen.yaml:3:69: " in answer.err
    assert answer.err.count("TJ568") == 1
    assert tjgen(limit(settings, "{}", project), "build").code == 0
    assert tjgen(limit(settings, "{readable: []}", project), "build").err.count("error[TJ568]") == 2


def test_a_project_takes_only_exceptions_that_the_settings_list(settings: Path) -> None:
    project = "{experiments: [experiment.yaml], policy: {allow: [identity-patches]}}"
    answer = tjgen(limit(settings, "{allow: []}", project), "build")
    assert answer.code == 1
    assert "error[TJ568] tjgen.yaml:3:57: " in answer.err
    assert tjgen(limit(settings, "{}", project), "build").code == 0


def test_warnings_are_errors_of_every_command(settings: Path) -> None:
    project = "{experiments: [experiment.yaml], overlays: [overlay.yaml]}"
    folder = limit(settings, "{strict: true}", project)
    head = "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: idle}\n"
    (folder / "overlay.yaml").write_text(head + "spec: {match: {names: [other]}, experiment: {nodes: 2}}\n")
    assert "error[TJ211]" in tjgen(folder, "build").err
    limit(settings, "{strict: false}", project)
    assert "warning[TJ211]" in tjgen(folder, "build").err


def test_trust_is_refused_unless_the_settings_allow_it(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = limit(settings, "{}")
    answer = tjgen(folder, "build", "--trusted")
    assert (answer.code, answer.out) == (2, "")
    assert "does not allow code of a project to run" in answer.err
    monkeypatch.setenv("TJGEN_TRUSTED", "1")
    assert tjgen(folder, "build").code == 2
    limit(settings, "{trusted: true}")
    assert tjgen(folder, "build", "--trusted").code == 0


WRONG = {
    "spec: {polices: []}": ":3:8: unknown field",
    "spec: {budgets: {points: 0}}": ":3:",
    "spec: {policies: [missing]}": "policies: ",
    "spec: [": ":",
    "": "",
}


@pytest.mark.parametrize("text", WRONG)
def test_without_readable_settings_no_command_runs(text: str, settings: Path) -> None:
    folder = limit(settings, "{}")
    settings.write_text(f"apiVersion: tjgen.dev/v1alpha1\nkind: Settings\n{text}\n")
    answer = tjgen(folder, "build")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Error: TJGEN_SETTINGS ")
    assert WRONG[text] in answer.err


def test_settings_and_policies_of_a_mounted_config_map_are_read(settings: Path) -> None:
    folder = limit(settings, "{policies: [policies]}")
    data = settings.parent / "..data"
    (data / "policies").mkdir(parents=True)
    settings.rename(data / "settings.yaml")
    settings.symlink_to("..data/settings.yaml")
    (settings.parent / "policies").mkdir()
    (data / "registry.yaml").write_text(POLICY)
    (settings.parent / "policies" / "registry.yaml").symlink_to("../..data/registry.yaml")
    assert "wrong registry" in tjgen(folder, "cmp", "generate").err


def test_settings_that_do_not_exist_are_an_error(settings: Path) -> None:
    (settings.parent.parent / "project" / "experiment.yaml").write_text(EXPERIMENT)
    answer = tjgen(settings.parent.parent / "project", "build", "experiment.yaml")
    assert (answer.code, answer.err) == (2, f"Error: TJGEN_SETTINGS {settings}: No such file or directory\n")


def test_the_library_enforces_the_settings(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (settings.parent / "policies.yaml").write_text(POLICY)
    monkeypatch.chdir(limit(settings, "{policies: [policies.yaml]}"))
    assert [one.code for one in library.build().diagnostics] == ["TJ550"]
    experiment = library.Experiment.model_validate(yaml.safe_load(EXPERIMENT))
    assert [one.code for one in experiment.build().diagnostics] == ["TJ550"]
    limit(settings, "{}")
    assert (library.build().diagnostics, experiment.build().diagnostics) == ([], [])


def test_the_library_limits_budgets_trust_and_warnings(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = limit(settings, "{budgets: {points: 3}, strict: true}", "{experiments: [experiment.yaml], budgets: {points: 9}}")
    (folder / "experiment.yaml").write_text(EXPERIMENT + "  sweep: {matrix: {env.SEED: [1, 2, 3, 4]}}\n")
    monkeypatch.chdir(folder)
    built = library.build()
    assert "more than the budget of 3" in built.problems
    assert "error[TJ568]" in built.problems
    with pytest.raises(ValueError, match="does not allow code of a project to run: remove trusted"):
        library.build(trusted=True)
    settings.unlink()
    with pytest.raises(ValueError, match=r"TJGEN_SETTINGS .*: No such file or directory"):
        library.build()
    monkeypatch.delenv("TJGEN_SETTINGS")
    assert not library.build(trusted=True).failed
