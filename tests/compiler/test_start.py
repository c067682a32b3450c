"""Experiments that start no program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec: {runtime: RUNTIME, FIELDS}
"""


@pytest.mark.parametrize(
    ("runtime", "fields", "place"),
    [
        ("tjgen-torch", "nodes: 2", "4:7"),
        ("tjgen-torch", "nodes: 2, target: jobset", "4:7"),
        ("tjgen-torch", "args: [--lr, '1']", "4:36"),
        ("tjgen-torch", "script: train.py", ""),
        ("tjgen-torch", "command: [nvidia-smi]", ""),
        ("tjgen-torch", "image: registry.example.com/digits:1", ""),
        ("tjgen-mpi", "script: train.py", ""),
    ],
)
def test_an_image_of_a_runtime_starts_no_program(tmp_path: Path, runtime: str, fields: str, place: str) -> None:
    text = EXPERIMENT.replace("RUNTIME", runtime).replace("FIELDS", fields)
    (tmp_path / "digits.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "digits.yaml")
    assert answer.code == 0, answer.err
    assert (f"warning[TJ137] digits.yaml:{place}: nothing starts a program" if place else "") in answer.err
    assert ("TJ137" in answer.err) == bool(place)
