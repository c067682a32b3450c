"""`tjgen build --summary` of sliced data: how even the slices are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

EXPERIMENT = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: sum, namespace: data}
spec:
  runtime: tjgen-plain
  naming: fixed
  command: [count]
  nodes: 2
  volumes:
    corpus: {pvc: corpus, mountPath: /corpus, readOnly: true}
"""
DATA = """
  data:
    volume: corpus
    items: {list: %s}
    slices: %s
"""
SIZED = "[{path: a, size: 3Gi}, {path: b, size: 512Mi}, {path: c, size: 512Mi}]"
HEADER = ["RUN", "BY", "SLICES", "ITEMS", "FEWEST", "MOST", "SMALLEST", "LARGEST", "LARGEST/MEAN", "LEFT", "OUT", "REPEATED"]


@pytest.mark.parametrize(
    ("items", "slices", "row"),
    [
        pytest.param(SIZED, "{by: lpt}", "sum lpt 2 3 1 2 1.0Gi 3.0Gi 1.500 - -", id="by size"),
        pytest.param("[a, b, c]", "{}", "sum contiguous 2 3 1 2 - - 1.333 - -", id="without sizes"),
        pytest.param("[a, b, c]", "{remainder: drop}", "sum contiguous 2 3 1 1 - - 1.000 1 -", id="one left out"),
        pytest.param("[a, b, c]", "{remainder: pad}", "sum contiguous 2 3 2 2 - - 1.000 - 1", id="one twice"),
        pytest.param(
            "[{path: a, size: 1000}, {path: b, size: 24}]", "{}", "sum contiguous 2 2 1 1 24 1000 1.953 - -", id="bytes"
        ),
    ],
)
def test_how_even_slices_are(items: str, slices: str, row: str, tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT + DATA % (items, slices))
    answer = tjgen(tmp_path, "build", "experiment.yaml", "--summary")
    assert (answer.code, answer.err) == (0, "")
    _, _, table = answer.out.partition("\n\n")
    assert [line.split() for line in table.splitlines()] == [HEADER, row.split()]


def test_there_is_no_table_where_nothing_is_sliced(tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT)
    assert "\n\n" not in tjgen(tmp_path, "build", "experiment.yaml", "--summary").out
