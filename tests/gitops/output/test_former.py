"""The runs of a renamed environment stay with its Application, so the bootstrap keeps its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

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


PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: NAME}
spec: {namespaces: {nlp: {}}}
"""


def renamed(folder: Path, tool: str) -> None:
    """A repository whose environment `prod` with a Platform is called `production` now, built."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    project = PROJECT.replace("argocd", tool).replace("  experiments:", "  platforms: [platforms]\n  experiments:")
    project = project.replace("green}", "green, platform: green}").replace("blue}", "blue, platform: blue}")
    (folder / "tjgen.yaml").write_text(project, encoding="utf-8")
    (folder / "platforms").mkdir()
    for name in ("green", "blue"):
        (folder / "platforms" / f"{name}.yaml").write_text(PLATFORM.replace("NAME", name), encoding="utf-8")
    experiment(folder, "digits")
    path = folder / "experiments/digits.yaml"
    path.write_text(path.read_text(encoding="utf-8").partition("  volumes:")[0], encoding="utf-8")
    build(folder)
    commit(folder)
    (folder / "tjgen.yaml").write_text(project.replace("prod:", "production:"), encoding="utf-8")
    assert tjgen(folder, "runs", "rename", "--environment", "prod", "production").code == 0
    build(folder)
    build(folder, "--check")
    commit(folder)
    answer = verify(folder, "--base", "HEAD^")
    assert answer.code == 0, answer.err + answer.out
    answer = tjgen(folder, "lint", "deploy")
    assert "TJ655" not in answer.out, answer.out


def sync_objects(folder: Path, environment: str) -> set[str]:
    return {path.name for path in (folder / f"deploy/{environment}/gitops").iterdir()}


def owners(folder: Path, platform: str) -> list[str]:
    """The sync objects that apply a Platform."""
    files = (folder / "deploy").glob("*/gitops/*.yaml")
    return sorted(path.stem for path in files if f"deploy/platform/{platform}\n" in path.read_text(encoding="utf-8"))


def test_a_renamed_environment_gets_no_second_application_for_its_platform(tmp_path: Path) -> None:
    renamed(tmp_path, "argocd")
    assert owners(tmp_path, "blue") == ["application-ml-prod-platform"]
    git(tmp_path, "rm", "-r", "--quiet", "deploy/prod/gitops")
    build(tmp_path)
    assert owners(tmp_path, "blue") == ["application-ml-production-platform"]
    assert owners(tmp_path, "green") == ["application-ml-dev-platform"]


def test_the_platform_of_a_former_environment_without_runs_gets_an_application(tmp_path: Path) -> None:
    """The bootstrap of Argo CD does not apply the folder without runs, so it prunes its Applications."""
    renamed(tmp_path, "argocd")
    (tmp_path / "experiments/digits.yaml").write_text(
        (tmp_path / "experiments/digits.yaml").read_text(encoding="utf-8") + "  attempt: 2\n", encoding="utf-8"
    )
    build(tmp_path)
    answer = tjgen(tmp_path, "runs", "prune", "--keep", "0")
    assert answer.code == 0, answer.err
    build(tmp_path)
    assert not (tmp_path / "deploy/prod/runs").exists()
    assert "application-ml-production-platform" in owners(tmp_path, "blue")
    assert "{gitops/*,dev/gitops/*,production/gitops/*}" in include(tmp_path)


def test_the_bootstrap_of_flux_of_a_renamed_environment_is_in_the_folder_that_flux_applies(tmp_path: Path) -> None:
    renamed(tmp_path, "flux")
    entry = {"gitrepository-ml-production.yaml", "kustomization-ml-production-gitops.yaml"}
    assert owners(tmp_path, "blue") == ["kustomization-ml-prod-platform"]
    assert entry <= sync_objects(tmp_path, "prod")
    assert not entry & sync_objects(tmp_path, "production")
    runs = (tmp_path / "deploy/production/gitops/kustomization-ml-production-runs.yaml").read_text(encoding="utf-8")
    assert "ml-production-platform" not in runs
    git(tmp_path, "rm", "-r", "--quiet", "deploy/prod/gitops")
    build(tmp_path)
    assert entry <= sync_objects(tmp_path, "production")
    assert owners(tmp_path, "blue") == ["kustomization-ml-production-platform"]
    commit(tmp_path)
    build(tmp_path, "--check")


def test_without_bootstrap_flux_gets_the_source_of_a_renamed_environment_with_its_folder(tmp_path: Path) -> None:
    """You apply the folder of sync objects yourself, so it contains all of them."""
    renamed(tmp_path, "flux")
    project = (tmp_path / "tjgen.yaml").read_text(encoding="utf-8")
    (tmp_path / "tjgen.yaml").write_text(project.replace(", bootstrap: true", ""), encoding="utf-8")
    git(tmp_path, "rm", "--quiet", "deploy/prod/gitops/kustomization-ml-prod-gitops.yaml")
    build(tmp_path)
    assert "gitrepository-ml-production.yaml" in sync_objects(tmp_path, "production")


def app_projects(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "deploy/gitops/access").iterdir()}


def test_the_app_projects_permit_the_runs_and_the_platform_of_a_renamed_environment(tmp_path: Path) -> None:
    project = PROJECT.replace(", bootstrap: true", ", project: ml, appProject: {}").replace("blue}", "blue, platform: blue}")
    project = project.replace("  experiments:", "  platforms: [platforms]\n  experiments:")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    (tmp_path / "platforms").mkdir()
    (tmp_path / "platforms/blue.yaml").write_text(PLATFORM.replace("NAME", "blue"), encoding="utf-8")
    experiment(tmp_path, "digits")
    build(tmp_path)
    commit(tmp_path)
    before = app_projects(tmp_path)
    assert set(before) == {"appproject-ml.yaml", "appproject-ml-platform.yaml"}
    (tmp_path / "tjgen.yaml").write_text(project.replace("prod:", "production:"), encoding="utf-8")
    assert tjgen(tmp_path, "runs", "rename", "--environment", "prod", "production").code == 0
    build(tmp_path)
    assert app_projects(tmp_path) == before
    answer = tjgen(tmp_path, "lint", "deploy")
    assert "TJ691" not in answer.out, answer.out


@pytest.mark.parametrize("verb", ["archive", "keep", "prune"])
def test_the_app_project_permits_the_applications_of_a_removed_environment_until_they_go(verb: str, tmp_path: Path) -> None:
    gitops = ", project: ml, appProject: {}, serviceAccountName: sync"
    project = PROJECT.replace(", bootstrap: true", gitops).replace("{cluster: blue}", "{cluster: blue, namespace: nlp}")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    experiment(tmp_path, "digits")
    path = tmp_path / "experiments/digits.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(", namespace: vision", ""), encoding="utf-8")
    build(tmp_path)
    commit(tmp_path)
    before = app_projects(tmp_path)
    assert all(text.count(b"namespace: nlp") == 2 for text in before.values()), before
    start, _, end = project.partition(", prod: {cluster: blue, namespace: nlp}")
    (tmp_path / "tjgen.yaml").write_text(start + end, encoding="utf-8")
    assert tjgen(tmp_path, "runs", verb, "--env", "prod", "*").code == 0
    for _ in range(2):
        build(tmp_path)
        assert app_projects(tmp_path) == before
    commit(tmp_path)
    answer = verify(tmp_path, "--base", "HEAD^")
    assert answer.code == 0, answer.err
    file = tmp_path / "deploy/gitops/access/appproject-ml.yaml"
    file.write_bytes(before[file.name].replace(b"nlp:sync", b"kube-system:admin"))
    answer = verify(tmp_path, "--base", "HEAD")
    assert (answer.code, "error[TJ292] deploy/gitops/access/appproject-ml.yaml" in answer.err) == (1, True), answer.err
    file.write_bytes(before[file.name])
    git(tmp_path, "rm", "-r", "--quiet", "deploy/prod/gitops")
    build(tmp_path)
    assert all(b"namespace: nlp" not in text for text in app_projects(tmp_path).values())


def test_sync_objects_of_an_environment_without_runs_are_reported_when_it_goes(tmp_path: Path) -> None:
    project = PROJECT.replace("blue}", "blue, runs: promoted}").replace(", bootstrap: true", "")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    experiment(tmp_path, "digits")
    build(tmp_path)
    (tmp_path / "tjgen.yaml").write_text(project.replace("prod:", "production:"), encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 0, answer.err
    assert 'warning[TJ689] environment "prod" is not in the project' in answer.err
    assert "run kubectl delete -f deploy/prod/gitops, and then git rm -r deploy/prod\n" in answer.err
    commit(tmp_path)
    git(tmp_path, "rm", "-r", "--quiet", "deploy/prod")
    assert "TJ689" not in tjgen(tmp_path, "build").err
