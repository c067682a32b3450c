"""What an engineer on call does with a run: stop it, resume it, return to an earlier one, explain it by its name."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert, namespace: nlp}
spec:
  runtime: tjgen-torch
  image: registry.example.com/nlp/bert:1
  script: train.py --data v1
  pod: {nodeSelector: {pool: a}}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: nlp}
spec: {experiments: [experiments], environments: ENVIRONMENTS, output: {directory: deploy}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "experiments").mkdir()
    write(tmp_path)
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("ENVIRONMENTS", "{dev: {}}"), encoding="utf-8")
    assert tjgen(tmp_path, "build").code == 0
    return tmp_path


def write(folder: Path, **changes: str) -> None:
    text = EXPERIMENT
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "experiments/bert.yaml").write_text(text, encoding="utf-8")


def manifest(folder: Path) -> Path:
    """The manifest of the only run."""
    (path,) = folder.glob("deploy/dev/runs/nlp/bert/*/trainjob-*.yaml")
    return path


@pytest.mark.parametrize("target", ["trainjob", "jobset", "pytorchjob"])
def test_a_run_that_is_stopped_and_resumed_is_what_a_first_build_writes(target: str, tmp_path: Path) -> None:
    for name, states in (("changed", ("active", "suspended", "active")), ("first", ("suspended",))):
        folder = tmp_path / name
        (folder / "experiments").mkdir(parents=True)
        (folder / "tjgen.yaml").write_text(PROJECT.replace("ENVIRONMENTS", "{dev: {}}"), encoding="utf-8")
        for state in states:
            write(folder, **{"spec:\n": f"spec:\n  target: {target}\n  state: {state}\n"})
            answer = tjgen(folder, "build")
            assert (answer.code, "TJ076" in answer.err) == (0, False), answer.err
            again = tjgen(folder, "build")
            assert "0 new, 1 unchanged, 0 kept, 0 removed" in again.err, again.err
            if state == "suspended":
                (path,) = folder.glob("deploy/dev/runs/nlp/bert/*/*job*.yaml")
                (tmp_path / f"{name}.yaml").write_bytes(path.read_bytes())
    assert (tmp_path / "changed.yaml").read_bytes() == (tmp_path / "first.yaml").read_bytes()


STATE = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: stop}
spec: {match: {names: [bert]}, layer: environment, experiment: {state: STATEFIELDS}}
"""


def overlay(folder: Path, state: str | None, fields: str = "") -> None:
    """An overlay that sets the state of the experiment, or none, and other fields."""
    (folder / "tjgen.yaml").write_text(
        PROJECT.replace("ENVIRONMENTS", "{dev: {}}").replace("experiments: [exp", "overlays: [stop.yaml], experiments: [exp"),
        encoding="utf-8",
    )
    text = STATE.replace("STATEFIELDS", (state or "active") + fields)
    (folder / "stop.yaml").write_text(text, encoding="utf-8")


def state_in_lock(folder: Path) -> str:
    (path,) = folder.glob("tjgen.lock.d/dev/nlp/bert/*.yaml")
    (line,) = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("state: ")]
    return line.removeprefix("state: ")


MARKED = "    argocd.argoproj.io/hook: Skip\n    kustomize.toolkit.fluxcd.io/ssa: Ignore\n"
IN_FILES = {"suspended": "suspend: true\n", "archived": MARKED}


@pytest.mark.parametrize("state", ["suspended", "archived"])
@pytest.mark.parametrize("fields", ["", ", nodes: 4"])
def test_a_state_of_an_overlay_is_applied_in_place(state: str, fields: str, folder: Path) -> None:
    (name,) = [path.name for path in folder.glob("deploy/dev/runs/nlp/bert/*")]
    fresh = manifest(folder).read_text(encoding="utf-8")
    overlay(folder, state, fields)
    answer = tjgen(folder, "build")
    assert answer.code == 0, answer.err
    assert ("info[TJ076]" in answer.err) == (
        bool(fields) and state == "suspended"
    )  # what else a record would get is not reported
    text = manifest(folder).read_text(encoding="utf-8")
    assert manifest(folder).parent.name == name
    assert (state_in_lock(folder), IN_FILES[state] in text, "numNodes: 4" in text) == (state, True, False)
    checked = tjgen(folder, "build", "--check")
    assert checked.code == 0, checked.err
    assert tjgen(folder, "build").code == 0
    assert manifest(folder).read_text(encoding="utf-8") == text
    overlay(folder, None, fields)
    assert tjgen(folder, "build").code == 0
    resumed = manifest(folder).read_text(encoding="utf-8")
    assert state_in_lock(folder) == "active"
    if state == "archived":
        assert resumed == fresh
    else:  # a run that was suspended resumes with an explicit field
        assert yaml.safe_load(resumed)["spec"] == {**yaml.safe_load(fresh)["spec"], "suspend": False}


@pytest.mark.parametrize("state", ["suspended", "archived"])
def test_a_lock_with_a_state_that_the_files_lack_is_repaired(state: str, folder: Path) -> None:
    """An earlier release recorded the state of an overlay in the lock only."""
    overlay(folder, state)
    (lock,) = folder.glob("tjgen.lock.d/dev/nlp/bert/*.yaml")
    lock.write_text(lock.read_text(encoding="utf-8").replace("state: active", f"state: {state}"), encoding="utf-8")
    assert IN_FILES[state] not in manifest(folder).read_text(encoding="utf-8")
    assert tjgen(folder, "build", "--check").code == 1
    assert tjgen(folder, "build").code == 0
    assert IN_FILES[state] in manifest(folder).read_text(encoding="utf-8")
    assert tjgen(folder, "build", "--check").code == 0
    text = lock.read_text(encoding="utf-8").replace(f"state: {state}", "state: active")
    overlay(folder, None)
    lock.write_text(text, encoding="utf-8")
    assert tjgen(folder, "build").code == 0
    assert IN_FILES[state] not in manifest(folder).read_text(encoding="utf-8")


def test_a_run_is_explained_by_its_name(folder: Path) -> None:
    run = manifest(folder).parent.name
    answer = tjgen(folder, "explain", run, "spec.trainer.args")
    assert (answer.code, answer.err) == (0, "")
    assert "v1  <- experiment spec.script (experiments/bert.yaml:7:11)" in answer.out
    below = folder / "experiments"
    assert tjgen(below, "explain", run, "spec.trainer.args").out == answer.out.replace("experiments/", "../experiments/")


def test_a_run_of_several_environments_needs_one_of_its_files(folder: Path) -> None:
    write(folder, **{"  script": "  naming: fixed\n  script"})
    (folder / "tjgen.yaml").write_text(PROJECT.replace("ENVIRONMENTS", "{dev: {}, prod: {}}"), encoding="utf-8")
    assert tjgen(folder, "build").code == 0
    answer = tjgen(folder, "explain", "bert")
    paths = [f"deploy/{name}/runs/nlp/bert/bert/trainjob-bert.yaml" for name in ("dev", "prod")]
    assert (answer.code, f"hint: name one of {', '.join(paths)}" in answer.err) == (1, True), answer.err


def test_a_superseded_run_is_explained_at_its_commit(folder: Path) -> None:
    path = manifest(folder)
    write(folder, **{"data v1": "data v2"})
    assert tjgen(folder, "build").code == 0
    answer = tjgen(folder, "explain", path.parent.name)
    assert answer.code == 1
    assert f"{path.relative_to(folder)} comes from an earlier version of experiments/bert.yaml" in answer.err
    assert f"git log --diff-filter=A -- {path.relative_to(folder)} shows" in answer.err


def test_an_earlier_run_is_current_again(folder: Path) -> None:
    run = manifest(folder).parent.name
    write(folder, **{"data v1": "data v2"})
    assert tjgen(folder, "build").code == 0
    write(folder)
    assert tjgen(folder, "build").code == 0
    listed = tjgen(folder, "runs", "list").out.splitlines()
    assert [line.split()[1] for line in listed if line.startswith(run)] == ["current"]
    assert sum(line.split()[1] == "superseded" for line in listed) == 1


def test_an_explanation_of_a_locked_run_names_the_fields_that_its_files_keep(folder: Path) -> None:
    path = manifest(folder)
    overlay(folder, None, ", pod: {nodeSelector: {pool: b}}")
    assert "TJ076" in tjgen(folder, "build").err
    for words in (["experiments/bert.yaml"], [path.parent.name], [str(path.relative_to(folder))]):
        answer = tjgen(folder, "explain", *words, "TrainJob", "spec")
        assert answer.code == 0
        assert f'warning[TJ166] run "{path.parent.name}" is locked' in answer.err
        assert ".nodeSelector.pool is a there, and b from the sources\n" in answer.err
        assert f"git log --diff-filter=A -- {path.parent.relative_to(folder)} shows" in answer.err


def test_an_explanation_of_an_unchanged_run_has_no_warning(folder: Path) -> None:
    path = manifest(folder)
    edited = path.read_text(encoding="utf-8").replace("pool: a", "pool: z")
    assert tjgen(folder, "explain", path.parent.name).err == ""
    path.write_text(edited, encoding="utf-8")
    assert "pool is z there, and a from the sources" in tjgen(folder, "explain", path.parent.name).err
