"""Objects that minors of Kubernetes judge or store differently: the verdict of each minor, as its own code gives it.

`recorded.jsonl` was recorded with `kadmit` (the registry strategies of the API server, with default feature gates) built
against k8s.io/kubernetes v1.31.14, v1.32.13, v1.33.13, v1.34.4, v1.35.4, v1.36.3, and v1.37.2. It has a case for each feature
gate, and every case of the corpus whose verdict differs between 1.36 and another minor. Record it again; never edit it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schemas import minors
from tests.checkout import ROOT
from tjgen.cluster.schema.minors import BASE, NEWEST, OLDEST, minor_in
from tjgen.cluster.validate import dropped
from tjgen.cluster.validate.judge import judge

CASES = [json.loads(line) for line in (Path(__file__).parent / "recorded.jsonl").read_text().splitlines()]
MINORS = sorted({minor for case in CASES for minor in case["verdicts"]})


def test_every_minor_has_a_release_recorded_verdicts_and_its_place_on_the_page() -> None:
    supported = range(OLDEST, NEWEST + 1)
    assert [*minors.VERSIONS] == [*supported]
    assert minors.BASE == BASE
    assert [f"1.{minor}" for minor in supported] == MINORS
    page = (ROOT / "docs/how-to/trainer-releases.md").read_text(encoding="utf-8")
    assert f"1.{OLDEST} to 1.{NEWEST}, and uses" in page.replace("\n", " ")


@pytest.mark.parametrize("minor", MINORS)
def test_verdicts_are_those_of_the_minor(minor: str) -> None:
    differing = []
    compared = 0
    for case in CASES:
        expected = case["verdicts"].get(minor)
        if expected is None:
            continue
        compared += 1
        found = judge(case["manifest"], old=case.get("old"), versions={"kubernetes": minor})
        if (found.allowed, found.stage) != (expected["allowed"], expected.get("stage", "")):
            differing.append((case["id"], found.stage, [error.detail for error in found.errors], expected))
    assert differing == []
    assert compared > 35


@pytest.mark.parametrize("minor", MINORS)
def test_dropped_fields_are_those_of_the_minor(minor: str) -> None:
    differing = []
    for case in CASES[:40]:
        expected = case["verdicts"].get(minor, {})
        if not expected.get("allowed") or "old" in case:
            continue
        found = [path for path, _, _ in dropped.paths_of_dropped(case["manifest"], minor_in({"kubernetes": minor}))]
        if bool(found) != expected.get("dropped", False):
            differing.append((case["id"], found, expected))
    assert differing == []
