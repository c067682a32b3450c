"""Findings of lint in a project name lines of the file as it is on disk, below its header."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gitops.verify.repository import EXPERIMENT, build, runs, start
from tests.program import tjgen


def test_a_finding_in_a_superseded_run_names_the_line_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    start(tmp_path)
    source = tmp_path / "experiments/letters.yaml"
    source.write_text(EXPERIMENT.replace("NAME", "letters").replace("train:IMAGE", "train:latest"), encoding="utf-8")
    known = {run.name for run in runs(tmp_path, "letters")}
    build(tmp_path)
    latest = next(run for run in runs(tmp_path, "letters") if run.name not in known)
    source.write_text(EXPERIMENT.replace("NAME", "letters").replace("train:IMAGE", "train:9"), encoding="utf-8")
    build(tmp_path)
    job = next(latest.glob("trainjob-*.yaml"))
    found = [
        one["place"]
        for one in json.loads(tjgen(tmp_path, "lint", "--format", "json").err)
        if one["place"] is not None and one["place"]["file"].endswith(job.name)
    ]
    assert found, "lint reports the tag latest"
    lines = job.read_text(encoding="utf-8").splitlines()
    for place in found:
        assert not lines[place["line"] - 1].startswith("#")
    assert any("train:latest" in lines[place["line"] - 1] for place in found)
