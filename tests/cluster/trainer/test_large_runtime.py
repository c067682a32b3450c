"""A runtime whose copy does not fit a ConfigMap is too large to be kept as a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.trainer.cases import trees
from tjgen.cluster.trainer.framework import expand
from tjgen.cluster.trainer.release import NEWEST, RELEASES, Release

CASE = Path(__file__).parent / "warnings" / "good-torch" / "input.yaml"


@pytest.mark.parametrize(
    ("size", "release", "codes"), [(1 << 20, NEWEST, ["TJ887"]), (1000, NEWEST, []), (1 << 20, RELEASES["2.2"], [])]
)
def test_a_runtime_has_to_fit_its_snapshot(size: int, release: Release, codes: list[str]) -> None:
    runtime, trainjob = trees(CASE)
    runtime = {**runtime, "metadata": {**runtime["metadata"], "annotations": {"example.com/script": "x" * size}}}
    assert [found.code for found in expand(trainjob, runtime, release=release).diagnostics] == codes
