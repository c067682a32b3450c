"""The objects that make Argo CD and Flux sync a tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen

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
metadata: {name: nlp}
spec:
  experiments: [experiments]
  environments: {dev: {}, prod: {cluster: prod-1}}
  output: {directory: out}
  gitops: GITOPS
"""
URL = "https://git.example.com/nlp.git"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/bert.yaml").write_text(EXPERIMENT, encoding="utf-8")
    return tmp_path


def build(folder: Path, gitops: str, *words: str) -> Answer:
    (folder / "tjgen.yaml").write_text(PROJECT.replace("GITOPS", gitops), encoding="utf-8")
    return tjgen(folder, "build", "-o", "out", *words)


def objects(folder: Path, environment: str) -> dict[str, Any]:
    """Name of the file -> manifest, of what makes the tool sync an environment."""
    place = folder / "out" / environment / "gitops"
    return {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in place.glob("*")}


def test_argocd_gets_one_application_for_an_environment(folder: Path) -> None:
    assert build(folder, f"{{tool: argocd, repository: {URL}, project: research}}").code == 0
    (dev,) = objects(folder, "dev").values()
    assert dev["spec"]["destination"] == {"server": "https://kubernetes.default.svc"}
    assert objects(folder, "prod") == {
        "application-nlp-prod.yaml": {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": "nlp-prod", "namespace": "argocd"},
            "spec": {
                "project": "research",
                "source": {
                    "repoURL": URL,
                    "targetRevision": "main",
                    "path": "out/prod",
                    "directory": {"recurse": True, "exclude": "gitops/*"},
                },
                "destination": {"name": "prod-1"},
                "syncPolicy": {
                    "automated": {"prune": True, "selfHeal": False},
                    "syncOptions": ["ApplyOutOfSyncOnly=true", "FailOnSharedResource=true"],
                },
            },
        }
    }


def test_flux_gets_a_kustomization_for_each_stage(folder: Path) -> None:
    assert build(folder, f"{{tool: flux, repository: {URL}, revision: live, path: ./ops/out, namespace: sync}}").code == 0
    found = objects(folder, "prod")
    assert found.pop("gitrepository-nlp-prod.yaml")["spec"] == {"interval": "1m0s", "url": URL, "ref": {"branch": "live"}}
    assert {tree["metadata"]["namespace"] for tree in found.values()} == {"sync"}
    before = {tree["metadata"]["name"]: [one["name"] for one in tree["spec"].get("dependsOn", ())] for tree in found.values()}
    assert before == {
        "nlp-prod-runtimes": [],
        "nlp-prod-data": [],
        "nlp-prod-runs": ["nlp-prod-runtimes", "nlp-prod-data"],
    }
    assert {tree["spec"]["path"] for tree in found.values()} == {
        f"./ops/out/prod/{stage}" for stage in ("runtimes", "data", "runs")
    }
    assert {tree["spec"]["wait"] for tree in found.values()} == {False}
    assert tjgen(folder, "check", "--strict", "out").code == 0


def test_an_empty_stage_stays_in_git_and_its_kustomization_with_it(folder: Path) -> None:
    gitops = f"{{tool: flux, repository: {URL}}}"
    text = EXPERIMENT[: EXPERIMENT.index("  volumes:")]
    (folder / "experiments/bert.yaml").write_text(text, encoding="utf-8")
    assert build(folder, gitops).code == 0
    before = objects(folder, "prod")
    assert [path.name for path in (folder / "out/prod/data").iterdir()] == ["README"]
    assert not (folder / "out/prod/runs/README").exists()
    assert build(folder, gitops, "--check").code == 0
    (folder / "experiments/bert.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert build(folder, gitops).code == 0
    assert [path.name for path in (folder / "out/prod/data").iterdir()] == ["nlp"]
    (folder / "experiments/bert.yaml").unlink()
    (folder / "experiments/other.yaml").write_text(EXPERIMENT.replace("bert", "other").replace("nlp}", "cv}"), encoding="utf-8")
    assert build(folder, gitops, "--prune-data").code == 0
    assert objects(folder, "prod") == before
    build(folder, "none")
    assert not list((folder / "out").rglob("README"))


def test_they_come_and_go_with_what_the_project_says(folder: Path) -> None:
    assert build(folder, "argocd").code == 0
    assert objects(folder, "prod") == {}
    build(folder, f"{{tool: argocd, repository: {URL}}}")
    assert build(folder, f"{{tool: argocd, repository: {URL}}}", "--check").code == 0
    assert "error[TJ280]" in build(folder, f"{{tool: flux, repository: {URL}}}", "--env", "dev").err
    assert "application-nlp-prod.yaml" in objects(folder, "prod")
    assert tjgen(folder, "migrate", "--write").code == 0
    assert "application-nlp-prod.yaml" not in objects(folder, "prod")
    assert build(folder, f"{{tool: argocd, repository: {URL}}}", "--check").code == 1
    assert "error[TJ280]" in build(folder, "none").err
    assert tjgen(folder, "migrate", "--write").code == 0
    assert objects(folder, "prod") == {}


@pytest.mark.parametrize("path", ["team/nlp.git", "/team/nlp.git"])
def test_flux_gets_the_short_form_of_an_ssh_url_as_a_url(path: str, folder: Path) -> None:
    assert build(folder, f"{{tool: flux, repository: 'git@git.example.com:{path}'}}").code == 0
    assert objects(folder, "dev")["gitrepository-nlp-dev.yaml"]["spec"]["url"] == "ssh://git@git.example.com/team/nlp.git"


def test_an_experiment_alone_leaves_them_as_they_are(folder: Path) -> None:
    build(folder, f"{{tool: flux, repository: {URL}}}")
    before = objects(folder, "prod")
    assert build(folder, f"{{tool: flux, repository: {URL}}}", "experiments/bert.yaml").code == 0
    assert objects(folder, "prod") == before


@pytest.mark.parametrize(
    ("gitops", "code", "place"),
    [
        pytest.param(f"{{tool: argocd, repository: {URL}, path: ../out}}", "TJ680", "tjgen.yaml:8:11", id="outside"),
        pytest.param(f"{{tool: flux, repository: {URL}, path: /out}}", "TJ680", "tjgen.yaml:8:11", id="absolute"),
        pytest.param("{tool: argo}", "TJ", "tjgen.yaml:8:18", id="unknown tool"),
        pytest.param(f"{{tool: argocd, repo: {URL}}}", "TJ", "tjgen.yaml:8:26", id="unknown field"),
    ],
)
def test_what_cannot_be_synced_is_told_with_its_place(folder: Path, gitops: str, code: str, place: str) -> None:
    answer = build(folder, gitops)
    assert answer.code == 1
    assert f"error[{code}" in answer.err
    assert place in answer.err
    assert not (folder / "out").exists()


def test_a_project_that_does_not_say_where_its_output_is(folder: Path) -> None:
    text = PROJECT.replace("GITOPS", f"{{tool: argocd, repository: {URL}}}").replace("  output: {directory: out}\n", "")
    (folder / "tjgen.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(folder, "build", "-o", "out")
    assert answer.code == 1
    assert "the project does not set the folder of its output" in answer.err
