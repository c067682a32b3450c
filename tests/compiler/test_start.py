"""Experiments that start no program, or one that nothing provides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Answer, tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec: {runtime: RUNTIME, FIELDS}
"""


def build(folder: Path, runtime: str, fields: str) -> Answer:
    text = EXPERIMENT.replace("RUNTIME", runtime).replace("FIELDS", fields)
    (folder / "digits.yaml").write_text(text, encoding="utf-8")
    return tjgen(folder, "build", "digits.yaml")


@pytest.mark.parametrize(
    ("runtime", "fields", "place"),
    [
        ("tjgen-torch", "nodes: 2", "4:7"),
        ("tjgen-torch", "nodes: 2, target: jobset", "4:7"),
        ("tjgen-torch", "args: [--lr, '1']", "4:36"),
        ("tjgen-torch", "command: [nvidia-smi]", ""),
        ("tjgen-torch", "image: registry.example.com/digits:1", ""),
    ],
)
def test_an_image_of_a_runtime_starts_no_program(tmp_path: Path, runtime: str, fields: str, place: str) -> None:
    answer = build(tmp_path, runtime, fields)
    assert answer.code == 0, answer.err
    assert (f"warning[TJ137] digits.yaml:{place}: nothing starts a program" if place else "") in answer.err
    assert ("TJ137" in answer.err) == bool(place)


@pytest.mark.parametrize(
    ("runtime", "fields", "missing"),
    [
        ("tjgen-torch", "script: train.py", "train.py"),
        ("tjgen-torch", "script: python tools/train.py --lr 1", "tools/train.py"),
        ("tjgen-torch", "command: [torchrun, train.py]", "train.py"),
        ("tjgen-mpi", "script: train.py", "train.py"),
        ("tjgen-torch", "script: python -m train", "module train"),
        ("tjgen-torch", "script: -m vision.train --lr 1", "module vision.train"),
        ("tjgen-torch", "script: -m unittest discover", ""),
        ("tjgen-torch", "script: -m train, env: {PYTHONPATH: /data/src}", ""),
        ("tjgen-torch", "script: /opt/train.py", ""),
        ("tjgen-torch", "script: -m torch.utils.collect_env", ""),
        ("tjgen-torch", "script: train.py, workingDir: /src", ""),
        ("tjgen-torch", "script: train.py, code: {git: {url: 'https://git.example/a.git', revision: v1}}", ""),
        ("tjgen-torch", "script: train.py, volumes: {home: {pvc: home, mountPath: /workspace}}", ""),
        ("tjgen-torch", "script: train.py, roles: {node: {image: 'registry.example/train:1'}}", ""),
    ],
)
def test_an_image_of_a_runtime_has_no_program(tmp_path: Path, runtime: str, fields: str, missing: str) -> None:
    answer = build(tmp_path, runtime, fields)
    assert (f": {missing} is missing: the experiment has neither code nor image" if missing else "") in answer.err
    assert ("warning[TJ137] digits.yaml:4:" in answer.err) == bool(missing)


def test_code_beside_the_experiment_provides_the_program(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('trained')\n", encoding="utf-8")
    answer = build(tmp_path, "tjgen-torch", "script: train.py, code: {configMap: .}")
    assert (answer.code, answer.err) == (0, "")
