"""Rules with optionalOldSelf, messageExpression, fieldPath and reason, against what an API server said of them.

`recorded.jsonl` holds its verdicts on objects of `definition.yaml`; never edited, only recorded again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tjgen
from tests.program import tjgen as command
from tjgen.cluster.schema.store import OWN

FOLDER = Path(__file__).parent / "messages"
CASES = [json.loads(line) for line in (FOLDER / "recorded.jsonl").read_text(encoding="utf-8").splitlines()]


def thing(spec: Any) -> Any:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "namespace": "d"}, "spec": spec}


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("schemas")
    answer = command(folder, "schemas", "import", str(FOLDER / "definition.yaml"), "--to", str(folder))
    assert (answer.code, answer.err) == (0, "")
    return str(folder)


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_the_verdict_is_that_of_the_server(schemas: str, case: Any) -> None:
    old = thing(case["old"]) if "old" in case else None
    verdict = tjgen.admit(thing(case["spec"]), old=old, versions={OWN: schemas})
    assert verdict.allowed is case["allowed"]
    said = [{"type": one.type, "field": one.field, "detail": one.detail} for one in verdict.errors]
    # The recorder sorts them.
    assert sorted(said, key=str) == sorted(case["errors"], key=str)
