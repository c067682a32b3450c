"""Equal objects as one document."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.cluster.controllers.collapse import collapse


@pytest.mark.parametrize(
    ("texts", "expected", "differing"),
    [
        (["a-0-b", "a-1-b", "a-2-b"], "a-{0..2}-b", []),
        (["a-9", "a-10"], "a-{9..10}", []),
        (["x0y0", "x1y0"], "x{0..1}y0", []),
        (["same", "same"], "same", []),
        (["ab12", "ab99"], "ab12", [("v",)]),
        (["a-01", "a-02"], "a-01", [("v",)]),
        (["a", "b"], "a", [("v",)]),
    ],
)
def test_values_that_count_up_become_ranges(texts: list[str], expected: str, differing: list[Any]) -> None:
    (document,) = collapse([{"v": text} for text in texts])
    assert (document.tree, document.first, document.differing) == ({"v": expected}, {"v": texts[0]}, differing)
    assert document.number == len(texts)


def test_objects_with_other_fields_are_documents_of_their_own() -> None:
    found = list(collapse([{"a": ["1"], "b": "1"}, {"a": ["2"]}, {"a": ["3"]}, {"a": ["4", "5"]}]))
    assert [(one.tree, one.number) for one in found] == [
        ({"a": ["1"], "b": "1"}, 1),
        ({"a": ["{2..3}"]}, 2),
        ({"a": ["4", "5"]}, 1),
    ]
