"""What goes with a release of Trainer, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

import tjgen
from tjgen.cluster.trainer.release import RELEASES
from tjgen.cluster.trainer.version_skew import misfits


@pytest.mark.parametrize(
    ("release", "jobset", "kueue", "found"),
    [
        pytest.param("2.3", "0.12.0", "0.19.2", [], id="the newest of all"),
        pytest.param("2.3", "0.10", None, ["jobset"], id="a JobSet that is too old"),
        pytest.param("2.1", "0.12", None, [], id="a JobSet that is newer"),
        pytest.param("2.1", None, "0.17.3", ["kueue"], id="a Kueue that writes patches for a Trainer without"),
        pytest.param("2.1", None, "0.16", [], id="a Kueue that writes overrides of pod templates"),
        pytest.param("2.2", None, "0.15", ["kueue"], id="a Kueue that is too old"),
        pytest.param("2.0", "0.8", "0.10", [], id="a Kueue that nothing is known of"),
    ],
)
def test_releases_fit_or_not(release: str, jobset: str | None, kueue: str | None, found: list[str]) -> None:
    assert [one.project for one in misfits(RELEASES[release], jobset=jobset, kueue=kueue)] == found


def test_a_build_warns_where_the_platform_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = "apiVersion: tjgen.dev/v1alpha1\nkind: {}\nmetadata: {{name: {}}}\n"
    (tmp_path / "tjgen.yaml").write_text(
        header.format("Project", "p") + 'spec: {experiments: [e.yaml], platforms: [c.yaml], trainer: "2.1"}\n'
    )
    (tmp_path / "c.yaml").write_text(header.format("Platform", "c") + 'spec: {cluster: {kueue: "0.17"}}\n')
    (tmp_path / "e.yaml").write_text(
        header.format("Experiment", "e, namespace: ml") + "spec: {runtime: tjgen-torch, image: 'a:1', script: t.py}\n"
    )
    monkeypatch.chdir(tmp_path)
    (warning,) = tjgen.build().diagnostics
    assert (warning.code, warning.span and (warning.span.file, warning.span.line, warning.span.column)) == (
        "TJ410",
        ("c.yaml", 4, 25),
    )


def project(
    folder: Path, trainer: str, kueue: str, target: str = "trainjob", schedule: str = "{system: kueue, queue: q}"
) -> None:
    """A project with one queued run, and a Platform that has its Kueue."""
    header = "apiVersion: tjgen.dev/v1alpha1\nkind: {}\nmetadata: {{name: {}}}\n"
    (folder / "tjgen.yaml").write_text(
        header.format("Project", "p") + f'spec: {{experiments: [e.yaml], platforms: [c.yaml], trainer: "{trainer}"}}\n'
    )
    (folder / "c.yaml").write_text(header.format("Platform", "c") + f'spec: {{cluster: {{kueue: "{kueue}"}}}}\n')
    (folder / "e.yaml").write_text(
        header.format("Experiment", "e, namespace: ml")
        + f"spec:\n  {{runtime: tjgen-torch, image: 'a:1', script: t.py, target: {target},\n"
        + f"  sharedMemory: 1Gi, schedule: {schedule}}}\n"
    )


@pytest.mark.parametrize(("trainer", "kueue"), [("2.3", "0.15"), ("2.2", "0.16"), ("2.1", "0.17")])
def test_a_queued_trainjob_that_kueue_would_break_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trainer: str, kueue: str
) -> None:
    project(tmp_path, trainer, kueue)
    monkeypatch.chdir(tmp_path)
    found = tjgen.build()
    assert [(one.code, one.severity, str(one.span)) for one in found.diagnostics] == [
        ("TJ410", "error", "e.yaml:6:55"),
        ("TJ410", "warning", "c.yaml:4:25"),
    ]
    assert found.manifests == []


@pytest.mark.parametrize(
    ("trainer", "kueue", "target", "schedule", "severities"),
    [
        pytest.param("2.1", "0.15", "trainjob", "{system: kueue, queue: q}", [], id="a pair that fits"),
        pytest.param(
            "2.3", "0.15", "jobset", "{system: kueue, queue: q}", ["warning"], id="a JobSet, which Trainer does not see"
        ),
        pytest.param("2.3", "0.15", "trainjob", "{}", ["warning"], id="a run without a queue"),
    ],
)
def test_other_runs_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trainer: str, kueue: str, target: str, schedule: str, severities: list[str]
) -> None:
    project(tmp_path, trainer, kueue, target, schedule)
    monkeypatch.chdir(tmp_path)
    found = tjgen.build()
    assert [one.severity for one in found.diagnostics if one.code == "TJ410"] == severities
    assert found.manifests
