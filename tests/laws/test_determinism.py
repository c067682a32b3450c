"""The same input gives the same bytes, on every machine and day."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT
from tests.laws.built import CASES
from tests.program import arguments, tjgen

ALL = """
import hashlib, json, sys
from pathlib import Path
from tests.program import arguments, cases, tjgen

digests = {}
for case in cases("cases"):
    for words in (["build", *arguments(case)], ["build", *arguments(case), "--expanded"], ["explain", *arguments(case)]):
        digests[f"{case.name} {words}"] = hashlib.sha256(repr(tjgen(case, *words)).encode()).hexdigest()
print(json.dumps(digests))
"""
SURROUNDINGS = [
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C", "COLUMNS": "40"},
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Apia", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"},
    {"PYTHONHASHSEED": "4294967295", "PYTHONUTF8": "1", "USER": "somebody"},
]


def test_surroundings_change_nothing() -> None:
    def digests(surroundings: dict[str, str]) -> dict[str, str]:
        environment = {**os.environ, **surroundings}
        answer = subprocess.run(
            [sys.executable, "-c", ALL], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        )
        found: dict[str, str] = json.loads(answer.stdout)
        return found

    first, *others = map(digests, SURROUNDINGS)
    assert len(first) == 3 * len(CASES)
    for other in others:
        assert other == first


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_order_of_keys_changes_nothing(case: Path, tmp_path: Path) -> None:
    copy = tmp_path / "case"
    shutil.copytree(case, copy, ignore=shutil.ignore_patterns("expected"))
    for file in copy.rglob("*.yaml"):
        documents = list(yaml.compose_all(file.read_text(encoding="utf-8"), yaml.SafeLoader))
        for document in documents:
            turn(document)
        file.write_text(yaml.serialize_all(documents, Dumper=yaml.SafeDumper), encoding="utf-8")
    for words in (["build", *arguments(case)], ["build", *arguments(case), "--expanded"]):
        assert tjgen(copy, *words).out == tjgen(case, *words).out


def turn(node: yaml.Node) -> None:
    """Turn round the order of keys in every mapping, scalars as they are written."""
    if isinstance(node, yaml.MappingNode):
        node.value.reverse()
        for _, value in node.value:
            turn(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            turn(item)
