"""Kinds of other operators in a repository of training jobs: a valid object of each, and changes that its schema rejects."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen

CASES = yaml.safe_load(Path(__file__).with_name("other_operators.yaml").read_text(encoding="utf-8"))


def rejected() -> Iterator[Any]:
    for case in CASES:
        for path, value, message in case["rejected"]:
            yield pytest.param(_changed(case["object"], path, value), message, id=f"{case['object']['kind']} {path}={value}")


def _changed(tree: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    changed = deepcopy(tree)
    *above, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    place: Any = changed
    for step in above:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return changed


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["object"]["kind"]))
def test_a_valid_object_is_accepted(tmp_path: Path, case: dict[str, Any]) -> None:
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(case["object"]))
    answer = tjgen(tmp_path, "check", "a.yaml")
    assert answer.code == 0
    assert "error[" not in answer.err
    assert "TJ520" not in answer.err


@pytest.mark.parametrize(("tree", "message"), list(rejected()))
def test_a_change_that_the_schema_rejects_is_an_error(tmp_path: Path, tree: dict[str, Any], message: str) -> None:
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(tree))
    answer = tjgen(tmp_path, "check", "a.yaml")
    assert answer.code == 1
    assert any(message in line for line in answer.err.splitlines() if line.startswith("error["))
