"""Runs that a lock has by an identity that did not cover blocks with default values alone, such as `data.slices: {}`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen
from tjgen.language.runs import identity, identity_v2

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: out}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  nodes: 2
  volumes: {d: {pvc: digits, mountPath: /d}}
  data:
    volume: d
    items: {list: [a, b]}
"""
SETS = EXPERIMENT.replace(
    "    volume: d\n    items: {list: [a, b]}\n", "    sets:\n      a-b: {volume: d, items: {list: [a, b]}, slices: {}}\n"
)
SLICES = "    slices: {over: nodes}\n"
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: patient}
spec: {experiment: {env: {PATIENCE: "3"}}}
"""
VOLCANO = EXPERIMENT.replace("tjgen-torch", "tjgen-torch-volcano")
BLOCKS = {
    "slices": (EXPERIMENT, EXPERIMENT + SLICES),
    "slices of a data set": (SETS.replace(", slices: {}", ""), SETS),
    "success": (EXPERIMENT, EXPERIMENT + "  success: {operator: All}\n"),
    "a network topology": (VOLCANO, VOLCANO + "  schedule: {networkTopology: {}}\n"),
    "a sidecar": (EXPERIMENT, EXPERIMENT + "  sidecars: {metrics: {}}\n"),
    "an init container": (EXPERIMENT, EXPERIMENT + "  initContainers: {metrics: {}}\n"),
    "a sidecar of a role": (EXPERIMENT, EXPERIMENT + "  roles: {node: {sidecars: {metrics: {native: true}}}}\n"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    return tmp_path


def build(folder: Path, text: str, *words: str, name: str = "digits") -> Answer:
    file = folder / "experiments" / f"{name}.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    answer = tjgen(folder, "build", "-o", "out", *words)
    assert answer.code == 0, answer.err
    return answer


def build_before(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build as a release with the rules of identity_v2.py."""
    with monkeypatch.context() as former:
        former.setattr(identity.RunContent, "canonical", _canonical(identity.RunContent.canonical))
        build(folder, text)


def add_overlay(folder: Path, text: str) -> None:
    (folder / "overlays").mkdir()
    (folder / "overlays/one.yaml").write_text(text, encoding="utf-8")
    (folder / "tjgen.yaml").write_text(PROJECT + "  overlays: [overlays]\n", encoding="utf-8")


def _canonical(canonical: Callable[..., Any]) -> Callable[..., Any]:
    def of_release(content: identity.RunContent, rule: Any = None, *, keeps_overrides: bool = True) -> Any:
        before = identity_v2.OF_BUNDLED_RUNTIME if content.has_bundled_runtime() else identity_v2.SPEC
        return canonical(content, rule or before, keeps_overrides=keeps_overrides)

    return of_release


def states(folder: Path) -> list[str]:
    """The states of all runs, in the order in which they were created."""
    locks = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (folder / "tjgen.lock.d").rglob("*.yaml")]
    return [lock["state"] for lock in sorted(locks, key=lambda lock: lock["number"])]


def snapshot(folder: Path) -> dict[str, bytes]:
    files = [path for top in ("out", "tjgen.lock.d") for path in (folder / top).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("block", BLOCKS)
def test_an_old_run_with_the_block_stays(block: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, text = BLOCKS[block]
    build_before(folder, text, monkeypatch)
    before = snapshot(folder)
    build(folder, text)
    assert snapshot(folder) == before


@pytest.mark.parametrize("block", BLOCKS)
def test_an_old_run_with_the_block_stays_if_it_would_be_built_otherwise_now(
    block: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text = BLOCKS[block]
    build_before(folder, text, monkeypatch)
    before = snapshot(folder)
    add_overlay(folder, OVERLAY)
    answer = build(folder, text)
    assert "TJ076" in answer.err
    assert snapshot(folder) == before


@pytest.mark.parametrize("release", ["newest", "before"])
@pytest.mark.parametrize("block", BLOCKS)
def test_adding_the_block_is_a_new_run(block: str, release: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without, text = BLOCKS[block]
    build(folder, without) if release == "newest" else build_before(folder, without, monkeypatch)
    build(folder, text)
    assert states(folder) == ["superseded", "active"]
    before = snapshot(folder)
    build(folder, text)
    assert snapshot(folder) == before


@pytest.mark.parametrize("block", BLOCKS)
def test_removing_the_block_of_a_run_of_this_release_is_a_new_run(block: str, folder: Path) -> None:
    without, text = BLOCKS[block]
    build(folder, text)
    build(folder, without)
    assert states(folder) == ["superseded", "active"]


KEPT = {
    "slices": "data.slices",
    "slices of a data set": "data.sets.a-b.slices",
    "success": "success",
    "a network topology": "schedule.networkTopology",
}
"""Block -> what messages call it; others are containers."""


@pytest.mark.parametrize("change", ["", "a label"])
@pytest.mark.parametrize("block", BLOCKS)
def test_removing_the_block_of_an_old_run_is_reported_and_a_renewal_removes_it(
    block: str, change: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without, text = BLOCKS[block]
    build_before(folder, text, monkeypatch)
    before = snapshot(folder)
    if change:
        without = without.replace("namespace: vision}", "namespace: vision, labels: {team: a}}")
    answer = build(folder, without)
    (name,) = [path.stem for path in (folder / "tjgen.lock.d").rglob("*.yaml")]
    message = (
        f'warning[TJ236] experiments/digits.yaml:3:18: run "{name}" is locked and keeps {KEPT.get(block, "container metrics")}'
    )
    assert message in answer.err
    assert "TJ076" not in answer.err
    assert (snapshot(folder) == before) is (change == "")
    build(folder, without, "--renew", name)
    assert states(folder) == ["superseded", "active"]
    before = snapshot(folder)
    assert "TJ236" not in build(folder, without).err
    assert snapshot(folder) == before


def test_a_removed_block_of_a_run_with_a_fixed_name_needs_another_attempt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = EXPERIMENT.replace("spec:\n", "spec:\n  naming: fixed\n")
    build_before(folder, fixed + SLICES, monkeypatch)
    assert "increase attempt for a new run without it" in build(folder, fixed).err
    answer = build(folder, fixed.replace("spec:\n", "spec:\n  attempt: 2\n"))
    assert "TJ236" not in answer.err
    assert states(folder) == ["superseded", "active"]


def test_many_runs_with_a_removed_block_have_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = EXPERIMENT + "%s  sweep: {matrix: {env.A: ['1', '2', '3', '4']}}\n"
    build_before(folder, sweep % SLICES, monkeypatch)
    err = build(folder, sweep % "").err
    assert "4 runs are locked and keep blocks that a build no longer creates" in err
    assert err.count("TJ236") == 1


def test_an_archived_run_with_a_removed_block_is_not_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_before(folder, EXPERIMENT + SLICES, monkeypatch)
    assert tjgen(folder, "runs", "archive", "digits-*").code == 0
    assert "TJ236" not in build(folder, EXPERIMENT).err


@pytest.mark.parametrize("block", ["success", "a sidecar"])
def test_blocks_of_a_changed_runtime_are_changes_of_others(block: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, text = BLOCKS[block]
    build_before(folder, text, monkeypatch)
    (lock,) = (folder / "tjgen.lock.d").rglob("*.yaml")
    content = lock.read_text(encoding="utf-8")
    digest = yaml.safe_load(content)["runtimeDigest"]
    lock.write_text(content.replace(digest, f"sha256:{0:064}"), encoding="utf-8")
    answer = build(folder, EXPERIMENT)
    assert "TJ236" not in answer.err
    assert "TJ076" in answer.err


def test_an_old_run_without_a_block_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_before(folder, EXPERIMENT, monkeypatch)
    before = snapshot(folder)
    build(folder, EXPERIMENT)
    assert snapshot(folder) == before


def test_an_old_run_whose_files_are_lost_is_a_new_run_if_it_would_be_built_otherwise(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_before(folder, EXPERIMENT, monkeypatch)
    for path in (folder / "out").rglob("*.yaml"):
        path.unlink()
    build(folder, EXPERIMENT + SLICES)
    assert states(folder) == ["superseded", "active"]


def test_a_block_of_an_overlay_shows_in_the_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overlay = OVERLAY.replace('env: {PATIENCE: "3"}', "data: {slices: {}}")
    add_overlay(folder, overlay)
    build_before(folder, EXPERIMENT, monkeypatch)
    before = snapshot(folder)
    build(folder, EXPERIMENT + SLICES)
    assert snapshot(folder) == before


def test_a_run_with_a_fixed_name_needs_another_attempt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = EXPERIMENT.replace("spec:\n", "spec:\n  naming: fixed\n")
    build_before(folder, fixed, monkeypatch)
    (folder / "experiments/digits.yaml").write_text(fixed + SLICES, encoding="utf-8")
    answer = tjgen(folder, "build", "-o", "out")
    assert (answer.code, "TJ074" in answer.err) == (1, True)


def test_a_renewal_of_a_changed_run_is_the_new_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_before(folder, EXPERIMENT, monkeypatch)
    build(folder, EXPERIMENT + SLICES, "--renew", "digits-*")
    assert states(folder) == ["superseded", "active"]


@pytest.mark.parametrize("text", [EXPERIMENT, EXPERIMENT + SLICES], ids=["without", "with"])
def test_an_archived_run_is_repeated_only_if_it_has_the_block(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_before(folder, text, monkeypatch)
    assert tjgen(folder, "runs", "archive", "digits-*").code == 0
    (folder / "experiments/digits.yaml").unlink()
    build(folder, (EXPERIMENT + SLICES).replace("name: digits", "name: numbers"), name="numbers")
    (path,) = (folder / "tjgen.lock.d/default/vision/numbers").glob("*.yaml")
    run = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert run.get("archived", False) is (text == EXPERIMENT + SLICES)


@pytest.mark.parametrize("text", [EXPERIMENT, EXPERIMENT + SLICES], ids=["without", "with"])
def test_a_renamed_environment_leaves_the_decision_to_the_build(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environments = "  environments: {%s: {}}\n"
    (folder / "tjgen.yaml").write_text(PROJECT + environments % "test", encoding="utf-8")
    build_before(folder, text, monkeypatch)
    (folder / "tjgen.yaml").write_text(PROJECT + environments % "lab", encoding="utf-8")
    (folder / "experiments/digits.yaml").write_text(EXPERIMENT + SLICES, encoding="utf-8")
    assert tjgen(folder, "runs", "rename", "--environment", "test", "lab").code == 0
    build(folder, EXPERIMENT + SLICES)
    locks = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (folder / "tjgen.lock.d/lab").rglob("*.yaml")]
    assert sorted(lock["state"] for lock in locks) == (["active"] if text != EXPERIMENT else ["active", "superseded"])
