"""A build that changes a claim as no API server allows: a warning at the line of the experiment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.repository import commit, git
from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {experiments: [experiment.yaml], output: {directory: deploy}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: tjgen-torch
  image: registry.example.com/digits:1
  volumes:
    out: {pvc: {create: {size: 100Gi, storageClassName: fast}}, mountPath: /out}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert tjgen(tmp_path, "build").code == 0
    return tmp_path


def changed(project: Path, old: str, new: str) -> None:
    (project / "experiment.yaml").write_text(EXPERIMENT.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "column"), [("100Gi", "50Gi", 32), ("fast", "slow", 25)], ids=["smaller", "another class"]
)
def test_a_refused_change_of_a_claim_is_a_warning(project: Path, old: str, new: str, column: int) -> None:
    changed(project, old, new)
    checked = tjgen(project, "build", "--check")
    assert f"warning[TJ540] experiment.yaml:8:{column}: PersistentVolumeClaim/digits-out: spec" in checked.err
    built = tjgen(project, "build")
    assert built.code == 0
    assert built.err.count("warning[TJ540]") == 1
    assert tjgen(project, "build").err.count("TJ540") == 0


def test_a_larger_claim_is_no_problem(project: Path) -> None:
    changed(project, "100Gi", "200Gi")
    assert "TJ540" not in tjgen(project, "build").err


PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec: {storageClasses: {fast: {create: {provisioner: files.example.com, allowVolumeExpansion: EXPANDS}}}}
"""


EXISTING = PLATFORM.replace(
    "create: {provisioner: files.example.com, allowVolumeExpansion: EXPANDS}", "allowVolumeExpansion: EXPANDS"
)


@pytest.mark.parametrize("platform", [PLATFORM, EXISTING], ids=["created", "existing"])
@pytest.mark.parametrize(("expands", "count"), [("false", 1), ("true", 0)])
def test_a_larger_claim_needs_a_class_that_can_expand(project: Path, platform: str, expands: str, count: int) -> None:
    (project / "platform.yaml").write_text(platform.replace("EXPANDS", expands), encoding="utf-8")
    (project / "tjgen.yaml").write_text(PROJECT.replace("spec: {", "spec: {platforms: [platform.yaml], "), encoding="utf-8")
    assert tjgen(project, "build").code == 0
    changed(project, "100Gi", "50Gi")
    assert "TJ169" not in tjgen(project, "build", "--check").err
    changed(project, "100Gi", "200Gi")
    compared = tjgen(project, "diff", "deploy")
    assert compared.err.count("warning[TJ169] experiment.yaml:8:32: claim digits-out grows") == count
    built = tjgen(project, "build")
    assert built.code == 0
    assert built.err.count("warning[TJ169] experiment.yaml:8:32: claim digits-out grows from 100Gi to 200Gi") == count


def test_a_default_of_the_platform_that_changes_a_claim_is_a_warning(project: Path) -> None:
    (project / "tjgen.yaml").write_text(PROJECT.replace("spec: {", "spec: {platforms: [platform.yaml], "), encoding="utf-8")
    changed(project, "size: 100Gi, storageClassName: fast", "")
    start = PLATFORM.partition("spec:")[0]
    (project / "platform.yaml").write_text(f"{start}spec: {{newClaims: {{size: 100Gi}}}}\n", encoding="utf-8")
    assert tjgen(project, "build").code == 0
    (project / "platform.yaml").write_text(
        f"{start}spec: {{newClaims: {{size: 50Gi, storageClassName: fast}}}}\n", encoding="utf-8"
    )
    built = tjgen(project, "build")
    assert built.code == 0
    assert "0 new, 1 unchanged" in built.err
    assert "warning[TJ540] platform.yaml:4:26: PersistentVolumeClaim/digits-out: spec.resources" in built.err
    assert "warning[TJ540] platform.yaml:4:50: PersistentVolumeClaim/digits-out: spec.storageClassName" in built.err
    changed(project, "storageClassName: fast", "")
    assert "TJ540" not in tjgen(project, "build").err


def test_a_comparison_reports_the_refusal_once(project: Path) -> None:
    changed(project, "100Gi", "50Gi")
    assert tjgen(project, "diff").err.count("[TJ540]") == 1


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "--quiet", "--initial-branch=main")
    commit(project)
    return project


def test_the_warning_stays_until_the_change_is_restored_or_committed(repository: Path) -> None:
    changed(repository, "100Gi", "50Gi")
    for _ in range(3):
        assert tjgen(repository, "build").err.count("warning[TJ540]") == 1
    assert tjgen(repository, "build", "--strict").code == 1
    changed(repository, "100Gi", "100Gi")
    assert "TJ540" not in tjgen(repository, "build").err
    assert git(repository, "status", "--porcelain") == ""
    changed(repository, "100Gi", "50Gi")
    assert "TJ540" in tjgen(repository, "build").err
    commit(repository)
    assert "TJ540" not in tjgen(repository, "build").err


@pytest.mark.parametrize("has_commit", [True, False])
def test_a_claim_that_no_commit_has_can_change(has_commit: bool, project: Path) -> None:
    git(project, "init", "--quiet", "--initial-branch=main")
    if has_commit:
        git(project, "add", "tjgen.yaml")
        git(project, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message", "Start")
    changed(project, "100Gi", "50Gi")
    assert "TJ540" not in tjgen(project, "build").err


def test_an_annotation_accepts_the_change_of_a_claim_that_was_never_applied(repository: Path) -> None:
    changed(repository, "100Gi", '50Gi, annotations: {tjgen.dev/ignore: "TJ621: never applied"}')
    assert "TJ540" not in tjgen(repository, "build", "--strict").err
    changed(repository, "100Gi", "50Gi, annotations: {tjgen.dev/ignore: TJ621}")  # without a reason
    assert tjgen(repository, "build").err.count("warning[TJ540]") == 1


@pytest.mark.parametrize("size", ["50Gi", "200Gi"], ids=["refused", "larger"])
def test_another_claim_instead_restores_the_changed_one(repository: Path, size: str) -> None:
    file = repository / "deploy/data/vision/persistentvolumeclaim-digits-out.yaml"
    before = file.read_bytes()
    changed(repository, "100Gi", size)
    tjgen(repository, "build")
    assert file.read_bytes() != before
    changed(repository, "size: 100Gi", f"name: digits-new, size: {size}")
    assert "TJ540" not in tjgen(repository, "build").err
    assert file.read_bytes() == before
    commit(repository)
    answer = tjgen(repository, "verify", "--strict", "--base", "HEAD~1")
    assert answer.code == 0, answer.err


def test_an_edited_claim_of_a_former_run_stays_as_it_is(repository: Path) -> None:
    file = repository / "deploy/data/vision/persistentvolumeclaim-digits-out.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("100Gi", "70Gi"), encoding="utf-8")
    changed(repository, "size: 100Gi", "name: digits-new, size: 100Gi")
    assert tjgen(repository, "build").code == 0
    assert "70Gi" in file.read_text(encoding="utf-8")
