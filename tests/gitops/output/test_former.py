"""The runs of a renamed environment stay with its Application, so the bootstrap keeps its folder."""

from __future__ import annotations

from pathlib import Path

from tests.gitops.verify.repository import build, commit, experiment, git, verify
from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: ml}
spec:
  experiments: [experiments]
  output: {directory: deploy}
  environments: {dev: {cluster: green}, prod: {cluster: blue}}
  gitops: {tool: argocd, repository: https://git.example.com/ml.git, path: deploy, bootstrap: true}
"""
BOOTSTRAP = "deploy/gitops/application-ml-gitops.yaml"


def include(folder: Path) -> str:
    lines = (folder / BOOTSTRAP).read_text(encoding="utf-8").splitlines()
    return next(line.partition("include:")[2].strip() for line in lines if "include:" in line)


def test_the_bootstrap_keeps_the_applications_of_a_renamed_environment(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    experiment(tmp_path, "digits")
    path = tmp_path / "experiments/digits.yaml"
    path.write_text(path.read_text(encoding="utf-8").partition("  volumes:")[0], encoding="utf-8")
    build(tmp_path)
    commit(tmp_path)
    assert "{gitops/*,dev/gitops/*,prod/gitops/*}" in include(tmp_path)
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("prod:", "production:"), encoding="utf-8")
    assert tjgen(tmp_path, "runs", "rename", "--environment", "prod", "production").code == 0
    for words in ((), (), ("--check",)):
        build(tmp_path, *words)
        assert "{gitops/*,dev/gitops/*,production/gitops/*,prod/gitops/*}" in include(tmp_path), words
    commit(tmp_path)
    answer = verify(tmp_path, "--base", "HEAD^")
    assert answer.code == 0, answer.err + answer.out
    git(tmp_path, "rm", "-r", "--quiet", "deploy/prod/gitops")
    build(tmp_path)
    assert "{gitops/*,dev/gitops/*,production/gitops/*}" in include(tmp_path)
