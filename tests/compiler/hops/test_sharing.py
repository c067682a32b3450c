"""Experiments that are built together get the diagnostics that each of them gets on its own."""

from __future__ import annotations

from pathlib import Path

from tests.program import tjgen
from tests.scaling.inputs import dumped, experiment


def test_arguments_of_torchtune_count(tmp_path: Path) -> None:
    tune = {"runtime": "tjgen.torchtune-qwen2.5-1.5b", "script": None, "gpu": "a100:1", "command": ["tune", "run"]}
    quantized = experiment("tune-2", **tune, args=["model.quantize_base=True"])
    (tmp_path / "experiments.yaml").write_text(dumped(experiment("tune-1", **tune, args=["batch_size=1"]), quantized))
    answer = tjgen(tmp_path, "build", "experiments.yaml")
    assert answer.code == 1
    assert "QLoRA is not supported for qwen2_5/1.5B model" in answer.err
