"""What a project says of its tool that would go wrong in a sync: told before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Answer, tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert}
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
  environments: ENVIRONMENTS
  output: {directory: out}
  gitops: GITOPS
"""
URL = "https://git.example.com/team/nlp.git"
APART = "{dev: {namespace: dev}, prod: {namespace: prod}}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/bert.yaml").write_text(EXPERIMENT, encoding="utf-8")
    return tmp_path


def build(folder: Path, gitops: str, environments: str = APART, *, project: str = PROJECT) -> Answer:
    text = project.replace("GITOPS", gitops).replace("ENVIRONMENTS", environments)
    (folder / "tjgen.yaml").write_text(text, encoding="utf-8")
    return tjgen(folder, "build", "-o", "out")


@pytest.mark.parametrize(
    ("gitops", "code", "place"),
    [
        pytest.param("{tool: argocd, applicationSet: experiments}", "TJ681", "8:42", id="no repository"),
        pytest.param("{tool: flux, bootstrap: true}", "TJ681", "8:35", id="no repository for Flux"),
        pytest.param("{health: failures}", "TJ681", "8:20", id="no tool"),
        pytest.param(f"{{tool: flux, repository: {URL}, applicationSet: experiments}}", "TJ681", "8:90", id="not of Flux"),
        pytest.param("{tool: argocd, repository: git.example.com/nlp}", "TJ685", "8:38", id="no scheme"),
        pytest.param("{tool: flux, repository: git.example.com/nlp}", "TJ685", "8:36", id="no scheme for Flux"),
        pytest.param("{tool: flux, repository: 'file:///srv/nlp'}", "TJ685", "8:36", id="a scheme that Flux does not read"),
        pytest.param("{tool: argocd, repository: ../nlp}", "TJ685", "8:38", id="a path"),
        pytest.param("{tool: argocd, repository: 'https://me:secret@git.example.com/nlp'}", "TJ688", "8:38", id="a password"),
        pytest.param("{tool: flux, repository: 'https://me:secret@git.example.com/nlp'}", "TJ688", "8:36", id="and for Flux"),
        pytest.param(f"{{tool: argocd, repository: {URL}, applicationSet: runs}}", "TJ", "8:92", id="unknown set"),
        pytest.param(f"{{tool: argocd, repository: {URL}, revision: HEAD~1}}", "TJ679", "8:86", id="a computed revision"),
        pytest.param(f"{{tool: argocd, repository: {URL}, revision: ' '}}", "TJ679", "8:86", id="a blank revision"),
        pytest.param(f"{{tool: flux, repository: {URL}, revision: 'v1 '}}", "TJ679", "8:84", id="no branch"),
        pytest.param(f"{{tool: argocd, repository: {URL}, project: ML_Team}}", "TJ679", "8:85", id="no name of a project"),
    ],
)
def test_what_a_tool_cannot_do(folder: Path, gitops: str, code: str, place: str) -> None:
    answer = build(folder, gitops)
    assert answer.code == 1
    assert f"error[{code}" in answer.err
    assert f"tjgen.yaml:{place}: " in answer.err
    assert "secret" not in answer.err.splitlines()[0]
    assert not (folder / "out").exists()


@pytest.mark.parametrize("revision", ["release/2.0", "v1.2.3", "~1.2", ">= 1.0 < 2.0", "HEAD", "feature#1"])
def test_revisions_that_argo_cd_reads(folder: Path, revision: str) -> None:
    assert build(folder, f"{{tool: argocd, repository: {URL}, revision: '{revision}'}}").code == 0


def test_a_cluster_is_named_in_argo_cd(folder: Path) -> None:
    environments = "{prod: {namespace: prod, cluster: 'https://prod.example.com:6443'}}"
    answer = build(folder, f"{{tool: argocd, repository: {URL}}}", environments)
    assert "error[TJ679] tjgen.yaml:6:51: Argo CD finds a cluster by its name" in answer.err
    assert build(folder, f"{{tool: flux, repository: {URL}}}", environments).code == 0


@pytest.mark.parametrize(
    "url", [URL, "git@git.example.com:team/nlp.git", "ssh://git@git.example.com:22/team/nlp", "file:///srv/nlp"]
)
def test_repositories_that_argo_cd_reads(folder: Path, url: str) -> None:
    answer = build(folder, f"{{tool: argocd, repository: '{url}'}}")
    assert (answer.code, answer.err) == (0, "runs: 2 new, 0 unchanged, 0 kept, 0 removed\n")


@pytest.mark.parametrize(
    ("tool", "environments", "wrong"),
    [
        pytest.param("argocd", "{dev: {}, prod: {}}", True, id="both where Argo CD runs"),
        pytest.param("argocd", "{dev: {cluster: a}, prod: {cluster: a}}", True, id="one named cluster"),
        pytest.param("argocd", "{dev: {cluster: a}, prod: {cluster: b}}", False, id="two clusters"),
        pytest.param("argocd", "{dev: {}, prod: {cluster: b}}", False, id="here and there"),
        pytest.param("argocd", APART, False, id="two namespaces"),
        pytest.param("flux", "{dev: {}, prod: {}}", False, id="a Flux in each cluster"),
        pytest.param("flux", "{dev: {cluster: a}, prod: {cluster: a}}", True, id="one cluster with Flux"),
    ],
)
def test_two_environments_that_write_one_object(folder: Path, tool: str, environments: str, wrong: bool) -> None:
    answer = build(folder, f"{{tool: {tool}, repository: {URL}}}", environments)
    assert answer.code == int(wrong)
    told = "environments dev and prod write to one cluster, and both contain data/default/persistentvolumeclaim-bert-out.yaml"
    assert ("error[TJ682" in answer.err and told in answer.err) == wrong


def test_an_environment_with_the_name_of_the_folder(folder: Path) -> None:
    environments = "{gitops: {cluster: a}, prod: {}}"
    answer = build(folder, f"{{tool: argocd, repository: {URL}, applicationSet: environments}}", environments)
    assert answer.code == 1
    assert "error[TJ683" in answer.err
    assert build(folder, f"{{tool: argocd, repository: {URL}}}", environments).code == 0
    assert (folder / "out/gitops/runs").is_dir()
    assert "error[TJ280]" in build(folder, "none", environments).err
    assert tjgen(folder, "migrate", "--write").code == 0
    assert (folder / "out/gitops/runs").is_dir()


def test_a_project_without_a_name(folder: Path) -> None:
    project = PROJECT.replace("metadata: {name: nlp}\n", "")
    answer = build(folder, f"{{tool: argocd, repository: {URL}}}", project=project)
    assert answer.code == 0
    assert "warning[TJ684]: " in answer.err or "warning[TJ684] " in answer.err
    assert "TJ684" not in build(folder, "argocd", project=project).err


def test_a_name_that_is_no_label(folder: Path) -> None:
    project = PROJECT.replace("name: nlp", f"name: {'n' * 50}")
    environments = "{development: {cluster: a}, prod: {cluster: b}}"
    answer = build(folder, f"{{tool: flux, repository: {URL}}}", environments, project=project)
    assert answer.code == 1
    assert f"{'n' * 50}-development-runtimes is longer than 63 characters" in answer.err
    assert build(folder, f"{{tool: argocd, repository: {URL}}}", environments, project=project).code == 0


@pytest.mark.parametrize(
    ("remote", "path", "told"),
    [
        ("git@git.example.com:team/nlp.git", "", "ops/out"),
        ("https://git.example.com/team/nlp", "", "ops/out"),
        ("ssh://git@git.example.com:22/team/nlp.git", "", "ops/out"),
        ("https://git.example.com/team/nlp.git", ", path: ops/out", None),
        ("https://git.example.com/team/other.git", "", None),
    ],
)
def test_the_output_lies_elsewhere_in_the_checkout(folder: Path, remote: str, path: str, told: str | None) -> None:
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text(f'[remote "origin"]\n\turl = {remote}\n\tfetch = +refs/heads/*\n', encoding="utf-8")
    below = folder / "ops"
    below.mkdir()
    (folder / "experiments").rename(below / "experiments")
    answer = build(below, f"{{tool: argocd, repository: {URL}{path}}}")
    assert answer.code == 0
    assert ("warning[TJ686" in answer.err) == (told is not None)
    assert told is None or f"is in {told} of this checkout" in answer.err
