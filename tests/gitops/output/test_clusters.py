"""Another cluster of an environment: its runs would start there again, so a build is refused while a run is not archived."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.gitops.output.test_migrate import REPOSITORY, git
from tests.gitops.output.test_runs import EXPERIMENT, snapshot
from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: site}
spec:
  experiments: [experiments]
  environments: {dev: {CLUSTER}, prod: {cluster: green, namespace: prod}}
  output: {directory: out}
  gitops: {OPTIONS}
"""
ONE, SETS, FLUX = "tool: argocd" + REPOSITORY, "tool: argocd, applicationSet: {} " + REPOSITORY, "tool: flux" + REPOSITORY
CHANGES = {
    "one Application": (ONE, "cluster: blue", "cluster: red", "cluster red", "cluster blue"),
    "an ApplicationSet of experiments": (
        SETS.format("experiments"),
        "cluster: blue",
        "cluster: red",
        "cluster red",
        "cluster blue",
    ),
    "an ApplicationSet of environments": (SETS.format("environments"), "cluster: blue", "", "Argo CD", "cluster blue"),
    "the cluster of Argo CD": (ONE, "", "cluster: blue", "cluster blue", "the cluster of Argo CD"),
    "Flux": (FLUX, "", "gitops: {kubeConfig: {secretRef: blue}}", "Secret blue", "the cluster of Flux"),
    "Flux, other Secret": (
        FLUX,
        "gitops: {kubeConfig: {secretRef: blue}}",
        "gitops: {kubeConfig: {secretRef: {name: red, key: config}}}",
        "Secret red (key config)",
        "Secret blue",
    ),
    "Flux, ConfigMap": (
        FLUX,
        "gitops: {kubeConfig: {configMapRef: blue}}",
        "gitops: {kubeConfig: {configMapRef: red}}",
        "ConfigMap red",
        "ConfigMap blue",
    ),
}


def configure(folder: Path, options: str, cluster: str) -> None:
    text = PROJECT.replace("OPTIONS", options).replace("CLUSTER", cluster)
    (folder / "tjgen.yaml").write_text(text, encoding="utf-8")


@pytest.fixture(params=CHANGES)
def change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> tuple[str, ...]:
    """A committed tree and its project, in which `dev` has another cluster."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    change = CHANGES[request.param]
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    git(tmp_path, "init", "-q")
    configure(tmp_path, change[0], change[1])
    assert tjgen(tmp_path, "build").code == 0
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "-qm", "live")
    configure(tmp_path, change[0], change[2])
    return change


def run_of(folder: Path) -> str:
    return next((folder / "tjgen.lock.d/dev").rglob("*.yaml")).stem


def test_every_gate_refuses_it(tmp_path: Path, change: tuple[str, ...]) -> None:
    before = snapshot(tmp_path)
    for words in (["build"], ["build", "--check"], ["diff"], ["migrate", "--write"], ["verify"]):
        answer = tjgen(tmp_path, *words)
        assert (answer.code, len(re.findall(r"error\[TJ259\] tjgen.yaml:\d", answer.err))) == (1, 1), (words, answer.err)
        assert f"runs of environment dev ({run_of(tmp_path)}) would start again in " in answer.err
        assert f"{change[3]}, and stay in " in answer.err
        assert f"{change[4]}, where" in answer.err
        assert "TJ699" not in answer.err
        assert "environment prod" not in answer.err
    git(tmp_path, "add", "--all")
    assert "error[TJ259]" in tjgen(tmp_path, "verify", "--staged").err
    assert snapshot(tmp_path) == before


def test_the_steps_change_the_cluster(tmp_path: Path, change: tuple[str, ...]) -> None:
    plan = tjgen(tmp_path, "migrate").out
    assert f"ended in {change[4]}" in plan or f"ended in the cluster of {change[4]}" in plan
    commands = [line.split() for line in plan.splitlines() if line.startswith("     tjgen ")]
    assert [words[1:3] for words in commands] == [["runs", "archive"], ["build"]]
    for words in commands:
        answer = tjgen(tmp_path, *words[1:])
        assert answer.code == 0, answer.err
    assert tjgen(tmp_path, "migrate").err == "no synced object gets another owner\n"
    assert tjgen(tmp_path, "build", "--check").code == 0
    verified = tjgen(tmp_path, "verify")
    assert (verified.code, "TJ259" in verified.err) == (0, False), verified.err


def test_force_moves_the_runs_and_the_review_reports_it(tmp_path: Path, change: tuple[str, ...]) -> None:
    forced = tjgen(tmp_path, "build", "--force")
    assert forced.code == 0, forced.err
    assert tjgen(tmp_path, "build", "--check").code == 0
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "-qm", "moved")
    for words in (["verify", "--base", "HEAD^"], ["diff", "HEAD^"]):
        answer = tjgen(tmp_path, *words)
        assert (answer.code, answer.err.count("warning[TJ259]")) == (0, 1), answer.err
        assert f"{change[3]}, and stay in " in answer.err
        assert "Nothing changes" not in answer.out
    assert "Archive them." in tjgen(tmp_path, "migrate", "HEAD^").out
    assert tjgen(tmp_path, "migrate").err == "no synced object gets another owner\n"


@pytest.mark.parametrize(
    ("options", "before", "after"),
    [
        (ONE, "cluster: in-cluster", ""),
        (FLUX, "cluster: blue", "cluster: red"),
        (FLUX, "gitops: {kubeConfig: {secretRef: blue}}", "gitops: {kubeConfig: {secretRef: {name: blue, key: value}}}"),
        ("tool: argocd", "cluster: blue", "cluster: red"),
    ],
    ids=["the name that Argo CD gives its own cluster", "a name that Flux does not use", "the default key", "no sync objects"],
)
def test_the_same_cluster_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, before: str, after: str
) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    for cluster in (before, after):
        configure(tmp_path, options, cluster)
        answer = tjgen(tmp_path, "build")
        assert answer.code == 0, answer.err


@pytest.mark.parametrize("old", ["directory: out", "tool: argocd", "name: site"])
def test_verify_reports_a_layout_that_the_build_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    git(tmp_path, "init", "-q")
    configure(tmp_path, ONE, "cluster: blue")
    assert tjgen(tmp_path, "build").code == 0
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "-qm", "live")
    assert tjgen(tmp_path, "verify").code == 0
    new = {"tool: argocd": "tool: argocd, applicationSet: experiments"}.get(old, f"{old}2")
    file = tmp_path / "tjgen.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    git(tmp_path, "add", "--all")
    for words in (["verify"], ["verify", "--staged"]):
        answer = tjgen(tmp_path, *words)
        assert (answer.code, "error[TJ283]" in answer.err, "error[TJ280]" in answer.err) == (
            1,
            old == "directory: out",
            old != "directory: out",
        ), answer.err
        assert "use tjgen migrate" in answer.err
        assert "use tjgen build" not in answer.err
        assert "build and commit" not in answer.err
