"""A build that changes a claim as no API server allows: a warning at the line of the experiment."""

from __future__ import annotations

from pathlib import Path

import pytest

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
