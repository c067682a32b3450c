"""`tjgen promote`: a run comes to another environment with the same code and digests, or not at all."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen
from tjgen.gitops.output.promote import _is_trained
from tjgen.language.runs.pins import path_of, write

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: tjgen-torch
  image: registry.example.com/train:1
  script: train.py
  nodes: 1
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: out}
  environments:
    dev: {}
    prod: {overlays: [prod.yaml], runs: promoted}
"""
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: prod}
spec:
  layer: environment
  experiment:
    nodes: 8
    schedule: {system: volcano, queue: urgent}
"""
IMAGE = "registry.example.com/train:1"
ONE, TWO = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"


@pytest.fixture(params=["cache", "no cache"])
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A project whose image is pinned, built for `dev` and `prod`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TJGEN_CACHE", "off" if request.param == "no cache" else "")
    project = tmp_path / "project"
    for path, text in {"tjgen.yaml": PROJECT, "prod.yaml": OVERLAY, "experiments/digits.yaml": EXPERIMENT}.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    pin(project, ONE)
    assert build(project).code == 0
    return project


def pin(folder: Path, digest: str, image: str = IMAGE) -> None:
    file = folder / "tjgen.lock.d/_images" / path_of(image)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(write(image, digest), encoding="utf-8")


def edit(folder: Path, old: str, new: str, file: str = "experiments/digits.yaml") -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def build(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "build", "-o", "out", *words)


def promote(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "promote", *words, "--env", "prod")


def runs(folder: Path, environment: str) -> dict[str, dict[str, Any]]:
    answer = tjgen(folder, "runs", "list", "--env", environment, "--format", "json")
    return {run["name"]: run for run in json.loads(answer.out)}


def names(folder: Path, environment: str, state: str = "current") -> list[str]:
    return [name for name, run in runs(folder, environment).items() if run["state"] == state]


def job(folder: Path, environment: str, name: str) -> Any:
    (file,) = (folder / "out" / environment).rglob(f"trainjob-{name}.yaml")
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def snapshot(folder: Path) -> dict[str, bytes]:
    files = [path for top in ("out", "tjgen.lock.d") for path in (folder / top).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_an_environment_of_promoted_runs_gets_no_others(folder: Path) -> None:
    assert len(names(folder, "dev")) == 1
    assert runs(folder, "prod") == {}
    assert not (folder / "out/prod/runs").exists()
    assert tjgen(folder, "build", "--check").code == 0
    answer = tjgen(folder, "build", "--env", "prod")
    assert answer.out == ""
    assert "info[TJ736] 1 run is not shown: prod contains promoted runs only\n" in answer.err
    assert "info[TJ736] 1 run is not shown: prod contains promoted runs only\n" in tjgen(folder, "build", "--summary").err


def test_an_experiment_without_a_promoted_run_has_nothing_to_explain(folder: Path) -> None:
    (experiment, *_) = sorted((folder / "experiments").glob("*.yaml"))
    answer = tjgen(folder, "explain", str(experiment.relative_to(folder)), "--env", "prod")
    assert answer.code == 1
    assert answer.err.startswith("error[TJ736] 1 run is not shown: prod contains promoted runs only\n")
    assert "or explain it there with --env" in answer.err


def test_a_promoted_run_cannot_be_pruned_until_another_is_promoted(folder: Path) -> None:
    promote(folder, *names(folder, "dev"))
    (name,) = names(folder, "prod")
    answer = tjgen(folder, "runs", "prune", name)
    assert answer.code == 1
    assert f'error[TJ086] run "{name}" is the promoted run of prod/' in answer.err
    assert "hint: promote another run first; to stop it, set state: suspended in an overlay for prod, and build" in answer.err


def test_a_promoted_run_has_its_code_its_digests_and_its_origin(folder: Path) -> None:
    (name,) = names(folder, "dev")
    pin(folder, TWO)  # what is pinned now does not count: the run was built before
    answer = promote(folder, name)
    assert answer.code == 0, answer.err
    assert answer.err.startswith("runs: 1 new, 0 unchanged, 0 kept, 0 removed\n")
    (own,) = names(folder, "prod")
    assert own != name
    assert runs(folder, "prod")[own]["promotedFrom"] == f"dev/vision/digits/{name}"
    made = job(folder, "prod", own)
    assert made["spec"]["trainer"]["image"] == f"{IMAGE}@{ONE}" == job(folder, "dev", name)["spec"]["trainer"]["image"]
    assert made["spec"]["trainer"]["numNodes"] == 8


def test_what_the_environment_changes_is_told(folder: Path) -> None:
    answer = promote(folder, *names(folder, "dev"))
    assert "info[TJ734] prod.yaml:7:12: spec.nodes is 8 in prod, but 1 in dev" in answer.err
    assert 'spec.schedule.queue is "urgent" in prod, but not set in dev' in answer.err


def test_builds_afterwards_leave_a_promoted_run_alone(folder: Path) -> None:
    (name,) = names(folder, "dev")
    promote(folder, name)
    before = snapshot(folder)
    assert build(folder).err == "runs: 0 new, 2 unchanged, 0 kept, 0 removed\n"
    assert tjgen(folder, "build", "--check").code == 0
    assert promote(folder, name).err.startswith("runs: 0 new, 1 unchanged, 0 kept, 0 removed\n")
    assert snapshot(folder) == before
    pin(folder, TWO)
    assert build(folder).err.count("info[TJ076]") == 2
    assert snapshot(folder) == {**before, f"tjgen.lock.d/_images/{path_of(IMAGE)}": write(IMAGE, TWO).encode()}


def test_a_promoted_run_stays_until_another_one_is_promoted(folder: Path) -> None:
    promote(folder, *names(folder, "dev"))
    (old,) = names(folder, "prod")
    edit(folder, "train.py", "other.py")
    build(folder)
    assert names(folder, "prod") == [old]
    assert names(folder, "dev", "superseded")
    promote(folder, *names(folder, "dev"))
    assert names(folder, "prod", "superseded") == [old]
    (new,) = names(folder, "prod")
    assert "other.py" in str(job(folder, "prod", new))
    assert build(folder).err == "runs: 0 new, 2 unchanged, 2 kept, 0 removed\n"


def test_points_of_a_sweep_are_promoted_one_by_one(folder: Path) -> None:
    edit(folder, "  nodes: 1\n", "  nodes: 1\n  sweep: {matrix: {env.RATE.value: [low, high]}}\n")
    build(folder)
    low, high = sorted(names(folder, "dev"), reverse=True)
    assert promote(folder, low).code == 0
    assert len(names(folder, "prod")) == 1
    assert promote(folder, high).code == 0
    assert len(names(folder, "prod")) == 2
    assert promote(folder, "digits-*", "--from", "dev").err.startswith("runs: 0 new, 2 unchanged, 0 kept, 0 removed\n")


def test_what_has_finished_and_was_archived_is_promoted(folder: Path) -> None:
    (name,) = names(folder, "dev")
    assert tjgen(folder, "runs", "archive", name).code == 0
    assert promote(folder, name).code == 0
    (own,) = names(folder, "prod")
    assert "annotations" not in job(folder, "prod", own)["metadata"]


def test_a_rerun_of_a_promoted_run_keeps_its_origin(folder: Path) -> None:
    (name,) = names(folder, "dev")
    promote(folder, name)
    (own,) = names(folder, "prod")
    assert tjgen(folder, "runs", "rerun", own).code == 0
    assert {run["promotedFrom"] for run in runs(folder, "prod").values()} == {f"dev/vision/digits/{name}"}


def test_sources_that_lie_in_another_project_are_built_for_the_one_that_has_the_lock(folder: Path) -> None:
    (folder / ".git").mkdir()  # one repository around both projects
    twin = folder / "twin"
    twin.mkdir()
    text = (folder / "tjgen.yaml").read_text(encoding="utf-8")
    (twin / "tjgen.yaml").write_text(text.replace("[experiments]", "[../experiments]").replace("[prod.yaml]", "[../prod.yaml]"))
    pin(twin, ONE)
    before = snapshot(folder)
    assert build(twin).code == 0
    (name,) = names(twin, "dev")
    assert promote(twin, name).code == 0
    assert tjgen(twin, "runs", "rerun", name).code == 0
    assert len(names(twin, "prod")) == 1
    assert len(runs(twin, "dev")) == 2
    assert snapshot(folder) == before


def refused(folder: Path, code: str, *words: str) -> str:
    before = snapshot(folder)
    answer = promote(folder, *words)
    assert (answer.code, f"error[{code}]" in answer.err) == (1, True), answer.err
    assert snapshot(folder) == before
    return answer.err


def test_overlays_that_change_what_is_trained_are_refused(folder: Path) -> None:
    edit(folder, "    nodes: 8\n", "    nodes: 8\n    script: other.py\n", "prod.yaml")
    said = refused(folder, "TJ732", *names(folder, "dev"))
    assert "prod.yaml:8:13: run " in said
    assert 'spec.script is "other.py" in prod, but "train.py" in dev' in said
    assert "dev gets it from here" in said
    assert (
        "hint: change the overlays so that both environments run the same content, or run it there as a separate experiment"
        in said
    )


def test_another_image_of_an_overlay_is_refused(folder: Path) -> None:
    edit(folder, "    nodes: 8\n", "    nodes: 8\n    image: other:1\n", "prod.yaml")
    assert 'spec.image is "other:1" in prod' in refused(folder, "TJ732", *names(folder, "dev"))


def test_a_patch_that_changes_the_image_is_refused(folder: Path) -> None:
    patch = "    patches:\n      other:\n        target: {kind: TrainJob}\n        merge: {spec: {trainer: {image: 'other:1'}}}\n"
    edit(folder, "    nodes: 8\n", f"    nodes: 8\n{patch}", "prod.yaml")
    said = refused(folder, "TJ735", *names(folder, "dev"))
    assert "error[TJ735] experiments/digits.yaml:3:18: " in said
    assert f"in prod, no pod uses {IMAGE}@{ONE}" in said
    assert "otherwise, let overlays and patches use the same images in both environments" in said


def test_a_field_that_only_the_other_environment_sets_is_located_there(folder: Path) -> None:
    (folder / "dev.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: dev}\n"
        "spec:\n  match: {environments: [dev]}\n  experiment:\n    deadline: 1d\n",
        encoding="utf-8",
    )
    edit(folder, "dev: {}", "dev: {overlays: [dev.yaml]}", "tjgen.yaml")
    tjgen(folder, "build", "--renew", "*")
    answer = tjgen(folder, "promote", *names(folder, "dev"), "--env", "prod")
    assert "info[TJ734] dev.yaml:7:15: spec.deadline is not set in prod, but 86400 in dev" in answer.err


def test_a_run_without_digests_is_refused(folder: Path) -> None:
    (folder / "tjgen.lock.d/_images" / path_of(IMAGE)).unlink()
    edit(folder, "train.py", "other.py")
    build(folder)
    said = refused(folder, "TJ731", *names(folder, "dev"))
    assert f"its image {IMAGE} was built without a digest" in said
    assert "hint: run tjgen pin, then tjgen build --renew " in said
    pin(folder, TWO)
    refused(folder, "TJ731", *names(folder, "dev"))
    build(folder, "--renew", *names(folder, "dev"), "--env", "dev")
    assert promote(folder, *names(folder, "dev")).code == 0


def test_what_the_experiment_does_not_ask_for_any_more_is_refused(folder: Path) -> None:
    (old,) = names(folder, "dev")
    edit(folder, "train.py", "other.py")
    said = refused(folder, "TJ733", old)
    assert "hint: restore the experiment from Git, or promote a run that it now requests" in said
    build(folder)
    refused(folder, "TJ733", old)
    (folder / "experiments/digits.yaml").unlink()
    assert "no longer exists" in refused(folder, "TJ733", old)


def test_another_digest_that_stands_in_the_environment_is_refused(folder: Path) -> None:
    (name,) = names(folder, "dev")
    promote(folder, name)
    pin(folder, TWO)
    build(folder, "--renew", name, "--env", "dev")
    (again,) = names(folder, "dev")
    assert "tjgen runs rerun" in refused(folder, "TJ735", again)


def test_a_run_of_the_environment_itself_is_refused(folder: Path) -> None:
    promote(folder, *names(folder, "dev"))
    said = refused(folder, "TJ730", *names(folder, "prod"))
    assert f"promoted from dev/vision/digits/{names(folder, 'dev')[0]}" in said


def test_a_dry_run_lists_the_files_of_the_promotion_and_writes_none(folder: Path) -> None:
    (name,) = names(folder, "dev")
    before = snapshot(folder)
    answer = promote(folder, name, "--dry-run")
    assert answer.code == 0, answer.err
    assert "runs: 1 new, 0 unchanged, 0 kept, 0 removed; nothing is written (--dry-run)\n" in answer.err
    assert "info[TJ734]" in answer.err
    assert snapshot(folder) == before
    promote(folder, name)
    after = snapshot(folder)
    listed = {line.removeprefix("new: ") for line in answer.err.splitlines() if line.startswith("new: ")}
    assert listed == {path for path in after if after[path] != before.get(path)}
    edit(folder, "train.py", "other.py")
    build(folder)
    (other,) = names(folder, "dev")
    again = promote(folder, other, "--dry-run").err
    assert f"changed: tjgen.lock.d/prod/vision/digits/{names(folder, 'prod')[0]}.yaml\n" in again
    assert promote(folder, other, "--dry-run").err == again


def test_a_dry_run_reports_what_a_promotion_would_not_overwrite(folder: Path) -> None:
    (name,) = names(folder, "dev")
    promote(folder, name)
    (file,) = (folder / "out/prod").rglob("tjgen-torch-*.yaml")
    file.write_text(file.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
    for words in ([], ["--dry-run"]):
        answer = promote(folder, name, *words)
        assert answer.code == 1, answer.err
        assert f"out/{file.relative_to(folder / 'out')}" in answer.err
    assert promote(folder, name, "--dry-run", "--force").code == 0


def test_a_run_stays_if_an_overlay_changes_and_the_hint_reruns_it(folder: Path) -> None:
    (name,) = names(folder, "dev")
    promote(folder, name)
    (own,) = names(folder, "prod")
    edit(folder, "nodes: 8", "nodes: 4", "prod.yaml")
    answer = promote(folder, name)
    assert answer.err.startswith("runs: 0 new, 0 unchanged, 1 kept, 0 removed\n")
    assert f"hint: use tjgen runs rerun {own} to run it again under another name" in answer.err
    assert tjgen(folder, "runs", "rerun", own).code == 0
    (new,) = names(folder, "prod")
    assert job(folder, "prod", new)["spec"]["trainer"]["numNodes"] == 4
    assert "TJ076" not in promote(folder, name).err


def test_a_misspelled_name_gets_the_name_of_a_run_that_can_be_promoted(folder: Path) -> None:
    (name,) = names(folder, "dev")
    promote(folder, name)
    (own,) = names(folder, "prod")
    assert f'hint: did you mean "{name}"?' in promote(folder, f"{name[:-1]}x").err
    assert own not in promote(folder, f"{own[:-1]}x").err
    said = promote(folder, f"{own[:-1]}*").err
    assert "error[TJ080]" in said


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["digits-*"], 2, "needs --env"),
        (["digits-*", "--env", "stage"], 1, "TJ262"),
        (["digits-*", "--env", "prod", "--from", "stage"], 1, "TJ262"),
        (["digit-x", "--env", "prod"], 1, "TJ080"),
    ],
)
def test_wrong_use_is_refused(folder: Path, words: list[str], code: int, said: str) -> None:
    answer = tjgen(folder, "promote", *words)
    assert (answer.code, said in answer.err) == (code, True)


@pytest.mark.parametrize("named", ["digits", "dev/vision/digits"])
def test_an_experiment_with_one_current_run_names_that_run(folder: Path, named: str) -> None:
    (old,) = names(folder, "dev")
    edit(folder, "  nodes: 1\n", "  nodes: 1\n  env: {RATE: high}\n")
    build(folder)
    (name,) = names(folder, "dev")
    answer = promote(folder, named)
    assert (answer.code, answer.err.startswith(f"promoted: {name}\n")) == (0, True), answer.err
    assert name != old
    assert runs(folder, "dev").keys() == {old, name}
    (promoted,) = runs(folder, "prod").values()
    assert promoted["promotedFrom"].endswith(f"/{name}")


def test_an_experiment_with_several_current_runs_lists_them(folder: Path) -> None:
    edit(folder, "  nodes: 1\n", "  nodes: 1\n  sweep: {matrix: {env.RATE.value: [low, high]}}\n")
    build(folder)
    key = next(one["environment"] + "/" + one["namespace"] for one in runs(folder, "dev").values()) + "/digits"
    answer = promote(folder, "digits")
    listed = ", ".join(f"{name} of {key}" for name in names(folder, "dev"))
    assert f"hint: digits is an experiment: name one of its runs ({listed}), or use a pattern" in answer.err
    assert runs(folder, "prod") == {}


def test_an_environment_that_takes_all_can_be_promoted_to(folder: Path) -> None:
    edit(folder, ", runs: promoted", "", "tjgen.yaml")
    (name,) = names(folder, "dev")
    assert promote(folder, name).code == 0
    before = snapshot(folder)
    assert build(folder).err == "runs: 0 new, 2 unchanged, 0 kept, 0 removed\n"
    assert snapshot(folder) == before


def test_a_run_that_the_environment_does_not_have_is_refused(folder: Path) -> None:
    edit(folder, "  nodes: 1\n", "  nodes: 1\n  sweep: {matrix: {env.RATE.value: [low, high]}}\n")
    build(folder)
    edit(folder, "    nodes: 8\n", "    nodes: 8\n    sweep: {matrix: {env.RATE.value: [other]}}\n", "prod.yaml")
    said = refused(folder, "TJ733", *names(folder, "dev")[-1:])
    assert "its experiment has no such run in prod" in said
    assert "hint: change the overlays so that both environments have the same sweep" in said


def test_runs_of_different_digests_are_refused_together(folder: Path) -> None:
    (first,) = names(folder, "dev")
    pin(folder, TWO)
    (folder / "experiments/letters.yaml").write_text(EXPERIMENT.replace("name: digits", "name: letters"), encoding="utf-8")
    build(folder)
    (second,) = [name for name in names(folder, "dev") if name != first]
    said = refused(folder, "TJ735", first, second)
    assert f'runs "{first}" and "{second}" were built with different digests of {IMAGE}' in said
    assert "hint: promote one after the other" in said
    assert promote(folder, first).code == 0
    assert promote(folder, second).code == 0


def test_an_experiment_that_is_gone_comes_back_from_git(folder: Path) -> None:
    (name,) = names(folder, "dev")
    (folder / "experiments/digits.yaml").unlink()
    assert "hint: restore it from Git" in refused(folder, "TJ733", name)


def test_an_error_of_the_environment_is_reported_and_nothing_is_promoted(folder: Path) -> None:
    edit(folder, "    nodes: 8\n", "    nodes: 8\n    deadline: 5\n    gpu: nothing:1\n", "prod.yaml")
    before = snapshot(folder)
    answer = promote(folder, *names(folder, "dev"))
    assert answer.code == 1
    assert "error[" in answer.err
    assert snapshot(folder) == before


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *((name, True) for name in ("image", "command", "args", "script", "launcher", "workingDir", "code", "initializer")),
        *((f"roles.node.{name}", True) for name in ("image", "command", "args", "script", "workingDir")),
        *((name, True) for name in ("image.x", "code.git.url", "roles.node.args.0")),
        *((name, False) for name in ("nodes", "env.A.value", "roles", "roles.node", "roles.image", "roles.node.replicas")),
        *((name, False) for name in ("volumes.node.image", "volumes.data.args", "schedule.queue", "roles.image.cpu")),
    ],
)
def test_what_is_trained_may_not_differ(path: str, expected: bool) -> None:
    assert _is_trained(("spec", *path.split("."))) is expected


STOP = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: stop}
spec: {layer: environment, match: {names: [digits]}, experiment: {state: suspended}}
"""


def test_an_overlay_suspends_a_promoted_run_whose_experiment_has_changed(folder: Path) -> None:
    edit(folder, ", queue: urgent", "", "prod.yaml")
    edit(folder, "system: volcano", "system: none", "prod.yaml")
    build(folder)
    promote(folder, *names(folder, "dev"))
    (old,) = names(folder, "prod")
    before = job(folder, "prod", old)
    edit(folder, "train.py", "other.py")
    edit(folder, "[prod.yaml]", "[prod.yaml, stop.yaml]", "tjgen.yaml")
    (folder / "stop.yaml").write_text(STOP, encoding="utf-8")
    assert build(folder).code == 0
    assert names(folder, "prod", "suspended") == [old]
    assert job(folder, "prod", old) == {**before, "spec": {**before["spec"], "suspend": True}}
    assert tjgen(folder, "build", "--check").code == 0
    edit(folder, ", stop.yaml", "", "tjgen.yaml")
    assert build(folder).code == 0
    assert names(folder, "prod") == [old]
    assert job(folder, "prod", old) == {**before, "spec": {**before["spec"], "suspend": False}}
    assert tjgen(folder, "build", "--check").code == 0


def test_the_state_of_a_new_version_does_not_suspend_the_promoted_run(folder: Path) -> None:
    promote(folder, *names(folder, "dev"))
    (old,) = names(folder, "prod")
    edit(folder, "train.py", "other.py\n  state: suspended")
    for _ in range(2):
        answer = build(folder)
        assert answer.code == 0
        assert f'info[TJ225] experiments/digits.yaml:8:10: promoted run "{old}" in prod is not suspended' in answer.err
    assert names(folder, "prod") == [old]
    assert "suspend" not in job(folder, "prod", old)["spec"]


def test_a_promoted_run_that_no_sync_can_stop_is_reported(folder: Path) -> None:
    edit(folder, "system: volcano", "system: kueue", "prod.yaml")
    build(folder)
    assert promote(folder, *names(folder, "dev")).code == 0
    (old,) = names(folder, "prod")
    edit(folder, "system: kueue, queue: urgent", "system: none", "prod.yaml")
    edit(folder, "train.py", "other.py")
    edit(folder, "[prod.yaml]", "[prod.yaml, stop.yaml]", "tjgen.yaml")
    (folder / "stop.yaml").write_text(STOP, encoding="utf-8")
    answer = build(folder)
    assert f'warning[TJ224] experiments/digits.yaml:3:18: promoted run "{old}" stays as it is' in answer.err
    assert names(folder, "prod") == [old]


@pytest.mark.parametrize("is_committed", [True, False], ids=["committed", "not committed"])
def test_promoted_runs_keep_their_state_if_the_namespace_is_renamed_after_a_build(folder: Path, is_committed: bool) -> None:
    promote(folder, *names(folder, "dev"))
    edit(folder, "train.py", "other.py")
    assert build(folder).code == 0
    promote(folder, *names(folder, "dev"))
    (old,), (new,) = names(folder, "prod", "superseded"), names(folder, "prod")
    if is_committed:
        for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "Start"]):
            subprocess.run(["git", *words], cwd=folder, check=True)
    edit(folder, "namespace: vision", "namespace: sight")
    assert "tjgen runs rename prod/vision/digits prod/sight/digits" in build(folder).err
    assert names(folder, "prod") == []
    assert tjgen(folder, "runs", "rename", "--namespace", "vision", "sight").code == 0
    assert build(folder).code == 0
    assert (names(folder, "prod", "superseded"), names(folder, "prod")) == ([old], [new])
    assert build(folder, "--check").code == 0
