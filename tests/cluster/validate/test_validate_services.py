"""Updates of Services against a running API server, which allocates what a manifest leaves out."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tjgen
from tests.cluster.validate.corpus import RECORDED

CASES: dict[str, Any] = json.loads((RECORDED / "service_updates.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES["forms"])
def test_what_may_take_the_place_of_a_service(name: str) -> None:
    forms = CASES["forms"]
    updates = [update for update in CASES["updates"] if update[0] == name]
    differing = [
        (other, apply, allowed)
        for _, other, apply, allowed in updates
        if tjgen.admit(forms[other], old=forms[name], apply=apply).allowed is not allowed
    ]
    assert differing == []


def test_a_headless_service_cannot_replace_one_with_an_address() -> None:
    forms = CASES["forms"]
    verdict = tjgen.admit(forms["headless"], old=forms["plain"])
    assert [(error.field, error.detail) for error in verdict.errors] == [
        ("spec.clusterIPs[0]", 'Invalid value: ["None"]: may not change once set')
    ]
