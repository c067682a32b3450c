"""Patches change no kind, name or namespace, wherever they come from, unless the root project allows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: probe, namespace: team}
spec:
  runtime: tjgen-torch
  script: train.py
  target: TARGET
  volumes:
    out: {pvc: {create: {size: 1Gi}}, mountPath: /out}
"""
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: all}
spec:
  experiment:
    patches:
      bind: {target: {kind: PersistentVolumeClaim}, merge: {metadata: {namespace: kube-system}}}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {experiments: [a.yaml], POLICY}
"""


def build(folder: Path, *, project: str, experiment: str, words: tuple[str, ...] = ()) -> tuple[int, str, str]:
    (folder / "tjgen.yaml").write_text(project)
    (folder / "a.yaml").write_text(experiment)
    return tjgen(folder, "build", "a.yaml", *words)


@pytest.mark.parametrize("target", ["trainjob", "jobset", "volcanojob", "pytorchjob"])
@pytest.mark.parametrize(
    "patch",
    [
        "{target: {kind: PersistentVolumeClaim}, merge: {kind: RoleBinding}}",
        "{target: {kind: PersistentVolumeClaim}, json: [{op: replace, path: /kind, value: RoleBinding}]}",
        "{target: {kind: PersistentVolumeClaim}, json: [{op: add, path: /metadata/finalizers, value: [example.com/x]}]}",
        "{target: {kind: PersistentVolumeClaim}, json: [{op: move, from: /metadata/name, path: /metadata/generateName}]}",
    ],
)
def test_no_target_takes_a_patch_of_the_identity(tmp_path: Path, target: str, patch: str) -> None:
    experiment = EXPERIMENT.replace("TARGET", target) + f"  patches:\n    wrong: {patch}\n"
    code, out, err = build(tmp_path, project=PROJECT.replace(", POLICY", ""), experiment=experiment)
    assert (code, "RoleBinding" in out) == (1, False), err
    assert "error[TJ107] a.yaml:11:" in err


def test_an_overlay_and_a_value_of_the_command_line_may_not_either(tmp_path: Path) -> None:
    (tmp_path / "overlay.yaml").write_text(OVERLAY)
    project, experiment = PROJECT.replace("POLICY", "overlays: [overlay.yaml]"), EXPERIMENT.replace("TARGET", "trainjob")
    code, _, err = build(tmp_path, project=project, experiment=experiment)
    assert (code, "error[TJ107] overlay.yaml:7:" in err) == (1, True), err
    words = ("--set", "spec.patches.bind.target.kind=PersistentVolumeClaim", "--set", "spec.patches.bind.merge.kind=Role")
    code, _, err = build(tmp_path, project=PROJECT.replace(", POLICY", ""), experiment=experiment, words=words)
    assert (code, "TJ107" in err) == (1, True), err


def test_the_root_project_can_allow_it(tmp_path: Path) -> None:
    patch = "  patches:\n    keep: {target: {kind: PersistentVolumeClaim}, merge: {metadata: {finalizers: [example.com/x]}}}\n"
    project = PROJECT.replace("POLICY", "policy: {allow: [identity-patches]}")
    code, out, err = build(tmp_path, project=project, experiment=EXPERIMENT.replace("TARGET", "trainjob") + patch)
    assert (code, "- example.com/x" in out) == (0, True), err


def test_a_nested_project_cannot_allow_it(tmp_path: Path) -> None:
    """The caller works in the root project; the nested one is found only because the path lies below it."""
    patch = "  patches:\n    keep: {target: {kind: PersistentVolumeClaim}, merge: {metadata: {finalizers: [example.com/x]}}}\n"
    nested = tmp_path / "experiments/evil"
    nested.mkdir(parents=True)
    (nested / "tjgen.yaml").write_text(PROJECT.replace("POLICY", "policy: {allow: [identity-patches]}"))
    (nested / "a.yaml").write_text(EXPERIMENT.replace("TARGET", "trainjob") + patch)
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("a.yaml", "experiments/").replace(", POLICY", ""))
    answer = tjgen(tmp_path, "build", "experiments/evil/a.yaml")
    assert (answer.code, "TJ107" in answer.err) == (1, True), answer.err


PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  namespaces: {team: {trainers: [{group: team}]}}
  patches:
    wrong: {target: {kind: Role}, PATCH}
"""


@pytest.mark.parametrize(
    "patch",
    [
        "merge: {kind: ClusterRole}",
        "merge: {metadata: {namespace: kube-system}}",
        "merge: {metadata: {labels: null}}",
        "json: [{op: add, path: /metadata/finalizers, value: [example.com/x]}]",
        "json: [{op: replace, path: /metadata/name, value: cluster-admin}]",
    ],
)
def test_a_patch_of_a_platform_changes_no_identity(tmp_path: Path, patch: str) -> None:
    """Neither in the root project, nor in a nested one that allows it to itself."""
    nested = tmp_path / "nested"
    nested.mkdir()
    project = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {platforms: [p.yaml], policy: {allow: [identity-patches]}}\n"
    (nested / "tjgen.yaml").write_text(project)
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("a.yaml", "experiments/").replace(", POLICY", ""))
    for folder in (tmp_path, nested):
        (folder / "p.yaml").write_text(PLATFORM.replace("PATCH", patch))
        answer = tjgen(tmp_path, "build", str((folder / "p.yaml").relative_to(tmp_path)))
        assert (answer.code, "p.yaml:7:" in answer.err, "error[TJ107]" in answer.err) == (1, True, True), answer.err
    assert tjgen(nested, "build", "p.yaml").code == 0


def test_labels_of_another_experiment_are_refused(tmp_path: Path) -> None:
    experiment = EXPERIMENT.replace("TARGET", "trainjob").replace(
        "namespace: team", "namespace: team, labels: {tjgen.dev/run: x}"
    )
    code, _, err = build(tmp_path, project=PROJECT.replace(", POLICY", ""), experiment=experiment)
    assert (code, "error[TJ107] a.yaml:3:" in err) == (1, True), err
