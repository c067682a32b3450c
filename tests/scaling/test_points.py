"""The work for one run of a sweep does not depend on the number of points.

A count of all lines shows a search of every point late: one run takes ten thousand lines, so such a search shows only
in thousands of points. These tests count the lines of single runs, from one call of `compile_run` to the next.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.program import tjgen
from tests.scaling.inputs import one
from tjgen.compiler.pipeline import compile_run

CLAIM = {"pvc": {"create": {"size": "1Gi", "accessModes": ["ReadWriteMany"]}}, "mountPath": "/v"}
DATA = {"pvc": "data", "mountPath": "/data", "readOnly": True}
SPECS: dict[str, dict[str, Any]] = {
    "nothing more": {},
    "a claim": {"volumes": {"v": CLAIM}},
    "checkpoints": {"volumes": {"v": CLAIM}, "checkpoints": {"volume": "v"}},
    "slices": {
        "nodes": 2,
        "volumes": {"data": DATA},
        "data": {
            "volume": "data",
            "items": {"pattern": "x-{00..15}"},
            "slices": {"by": "round-robin", "deliver": "configMap", "mountPath": "/s"},
        },
    },
    "a JobSet": {"target": "jobset"},
    "a Volcano Job": {"target": "volcanojob", "volumes": {"v": CLAIM}},
    "a patch": {"patches": {"p": {"target": {"kind": "TrainJob"}, "merge": {"metadata": {"annotations": {"a": "b"}}}}}},
}
FEW, MANY = 16, 64
LAST = 8


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_a_run_takes_as_many_lines_whatever_the_number_of_points(spec: dict[str, Any], tmp_path: Path) -> None:
    few, many = (lines_of_one_run(tmp_path / str(count), count, spec) for count in (FEW, MANY))
    assert many - few < MANY - FEW


def lines_of_one_run(folder: Path, count: int, spec: dict[str, Any]) -> int:
    """The fewest lines of Python that one of the last runs takes in a build of `count` points.

    A run whose name ends in letters only is judged on its own, which takes more lines.
    """
    points = [{"env.LR": number, "env.SEED": f"s{number}"} for number in range(100, 100 + count)]
    folder.mkdir()
    for name, text in one(**spec, sweep={"include": points}).items():
        (folder / name).write_text(text, encoding="utf-8")
    lines = [0]

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "call" and frame.f_code is compile_run.__code__:
            lines.append(0)
        if len(lines) <= count - LAST:
            return None
        lines[-1] += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        answer = tjgen(folder, "build", "experiment.yaml")
    finally:
        sys.settrace(before)
    assert len(lines) == count + 1, answer.err
    # What follows the last run is the output.
    return min(lines[-LAST:-1])
