"""What a tree holds for the tool that syncs it, and what happens where a project names another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.gitops.verify.repository import commit, git
from tests.program import Answer, tjgen
from tjgen.language.runs import freeze

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert, namespace: nlp}
spec:
  runtime: tjgen-torch
  image: bert:1
  script: train.py
  volumes:
    out: {pvc: {create: {size: 20Gi}}, mountPath: /out}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: out}
"""
SERVER_SIDE = "ServerSideApply=true"
WANTED: dict[str, dict[str, dict[str, str]]] = {
    "none": {"TrainJob": {}, "TrainingRuntime": {}, "PersistentVolumeClaim": {}},
    "argocd": {
        "TrainJob": {"argocd.argoproj.io/sync-options": f"{SERVER_SIDE},Prune=confirm,Delete=confirm"},
        "TrainingRuntime": {"argocd.argoproj.io/sync-wave": "-10", "argocd.argoproj.io/sync-options": SERVER_SIDE},
        "PersistentVolumeClaim": {
            "argocd.argoproj.io/sync-options": f"{SERVER_SIDE},Prune=false,Delete=false",
            "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
        },
    },
    "flux": {
        "TrainJob": {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
        "TrainingRuntime": {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
        "PersistentVolumeClaim": {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
    },
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/bert.yaml").write_text(EXPERIMENT, encoding="utf-8")
    syncs(tmp_path, "none")
    return tmp_path


def syncs(folder: Path, tool: str, removal: str = "confirm") -> None:
    """Let the project name a tool."""
    setting = tool if removal == "confirm" else f"{{tool: {tool}, removal: {removal}}}"
    (folder / "tjgen.yaml").write_text(PROJECT + (f"  gitops: {setting}\n" if tool != "none" else ""), encoding="utf-8")


def build(folder: Path) -> Answer:
    answer = tjgen(folder, "build", "-o", "out")
    assert answer.code == 0, answer.err
    return answer


def snapshot(folder: Path) -> dict[str, bytes]:
    files = [path for top in ("out", "tjgen.lock.d") for path in (folder / top).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def annotations_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Kind -> annotations that are not our own."""
    trees = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (folder / "out").rglob("*.yaml")]
    return {
        tree["kind"]: {
            key: value for key, value in tree["metadata"].get("annotations", {}).items() if not key.startswith("tjgen.dev/")
        }
        for tree in trees
    }


@pytest.mark.parametrize("tool", WANTED)
def test_a_tree_for_a_tool(folder: Path, tool: str) -> None:
    syncs(folder, tool)
    build(folder)
    assert annotations_of(folder) == WANTED[tool]


def test_another_tool_changes_runs_in_place_and_back(folder: Path) -> None:
    build(folder)
    none = snapshot(folder)
    for tool in ("argocd", "flux", "argocd"):
        syncs(folder, tool)
        assert tjgen(folder, "migrate", "--write").code == 0
        assert annotations_of(folder) == WANTED[tool]
        assert build(folder).err == "runs: 0 new, 1 unchanged, 0 kept, 0 removed\n"
    syncs(folder, "none")
    assert tjgen(folder, "migrate", "--write").code == 0
    assert snapshot(folder) == none


def test_what_the_user_annotates_stays(folder: Path) -> None:
    text = EXPERIMENT.replace("namespace: nlp}", "namespace: nlp, annotations: {argocd.argoproj.io/sync-options: Prune=confirm}}")
    (folder / "experiments/bert.yaml").write_text(text, encoding="utf-8")
    syncs(folder, "argocd")
    build(folder)
    assert annotations_of(folder)["TrainJob"] == {"argocd.argoproj.io/sync-options": "Prune=confirm"}


def test_explain_names_the_project_file(folder: Path) -> None:
    syncs(folder, "argocd")
    out = tjgen(folder, "explain", "experiments/bert.yaml", "TrainingRuntime", "metadata.annotations").out
    assert '["argocd.argoproj.io/sync-wave"]: -10  <- gitops project spec.gitops (tjgen.yaml:6:11)' in out


def test_a_tool_is_part_of_the_settings_only_where_there_is_one() -> None:
    assert freeze.settings_digest({}) == freeze.settings_digest({}, "none")
    assert len({freeze.settings_digest({}, tool) for tool in WANTED}) == 3


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_runs_that_were_built_without_the_safeguard_get_it_in_place_and_lose_it_again(folder: Path, tool: str) -> None:
    """A run of an older release has no such annotation; it gets one, and keeps its name."""
    project = folder / "tjgen.yaml"
    project.write_text(PROJECT + f"  gitops: {{tool: {tool}, removal: sync}}\n", encoding="utf-8")
    build(folder)
    before, names = snapshot(folder), set(map(str, (folder / "out").rglob("trainjob-*.yaml")))
    assert "confirm" not in str(annotations_of(folder)["TrainJob"])
    assert annotations_of(folder)["PersistentVolumeClaim"] == WANTED[tool]["PersistentVolumeClaim"]
    syncs(folder, tool)
    build(folder)
    assert annotations_of(folder) == WANTED[tool]
    assert set(map(str, (folder / "out").rglob("trainjob-*.yaml"))) == names
    project.write_text(PROJECT + f"  gitops: {{tool: {tool}, removal: sync}}\n", encoding="utf-8")
    build(folder)
    assert snapshot(folder) == before


@pytest.mark.parametrize(
    ("tool", "removal", "step", "outcome", "title"),
    [
        ("argocd", "confirm", "argocd app confirm-deletion ", "the sync waits until you confirm", "stops when you confirm it: 1"),
        (
            "flux",
            "confirm",
            "kubectl delete trainjob/RUN -n nlp",
            "no sync deletes it",
            "is removed, but stays in the cluster: 1",
        ),
        ("argocd", "sync", "The next sync of Argo CD deletes them", "a sync that prunes deletes it", "stops: 1"),
        ("flux", "sync", "The next sync of Flux deletes them", "a sync that prunes deletes it", "stops: 1"),
        ("none", "confirm", "kubectl delete trainjob/RUN -n nlp", "a sync that prunes deletes it", "stops: 1"),
    ],
)
def test_a_removal_names_what_happens_in_the_cluster(
    folder: Path, tool: str, removal: str, step: str, outcome: str, title: str
) -> None:
    """As the annotations of the run say, in each command."""
    syncs(folder, tool, removal)
    build(folder)
    git(folder, "init", "--quiet")
    commit(folder)
    for words in (["runs", "prune"], ["build", "-o", "out", "--prune-runs"]):
        file = folder / "experiments/bert.yaml"
        (old,) = [path.name for path in (folder / "out").rglob("bert-*") if path.is_dir()]
        file.write_text(file.read_text(encoding="utf-8").replace("bert:1", "bert:11"), encoding="utf-8")
        build(folder)
        answer = tjgen(folder, *words)
        assert (answer.code, "1 removed" in answer.err) == (0, True), answer.err
        assert step.replace("RUN", old) in answer.err
        for command in (["diff", "HEAD"], ["verify", "-o", "out", "--base", "HEAD"]):
            compared = tjgen(folder, *command)
            assert f"{old} is removed: {outcome}" in compared.err, compared.err
            assert command[0] == "diff" or f"  {title}" in compared.out, compared.out
        commit(folder)
