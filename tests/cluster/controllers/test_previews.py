"""Equal objects as one document."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.controllers.large import LARGE
from tjgen.cluster.controllers import previews
from tjgen.cluster.controllers.previews import IrregularError, collapse, sample
from tjgen.trees.manifests.manifest import Manifest


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
    (document,) = collapse([{"v": text} for text in texts], range(len(texts)), len(texts))
    assert (document.tree, document.first, document.differing) == ({"v": expected}, {"v": texts[0]}, differing)
    assert document.number == len(texts)


def test_objects_with_other_fields_are_documents_of_their_own() -> None:
    trees = [{"a": ["1"], "b": "1"}, {"a": ["2"]}, {"a": ["3"]}, {"a": ["4", "5"]}]
    found = list(collapse(trees, range(4), 4))
    assert [(one.tree, one.number) for one in found] == [
        ({"a": ["1"], "b": "1"}, 1),
        ({"a": ["{2..3}"]}, 2),
        ({"a": ["4", "5"]}, 1),
    ]


def test_a_sample_is_enough_where_rows_end_at_neighbors() -> None:
    ordinals = sample(1000)
    trees = [{"v": f"x-{ordinal}"} if ordinal else {"leads": "x"} for ordinal in ordinals]
    assert [(one.tree, one.number) for one in collapse(trees, ordinals, 1000)] == [
        ({"leads": "x"}, 1),
        ({"v": "x-{1..999}"}, 999),
    ]


def test_a_row_that_ends_between_two_objects_of_a_sample_is_refused() -> None:
    trees = [{"a": "1"} if ordinal < 50 else {"b": "1"} for ordinal in sample(1000)]
    with pytest.raises(IrregularError):
        list(collapse(trees, sample(1000), 1000))


@pytest.mark.parametrize("tree", LARGE.values(), ids=LARGE)
def test_documents_of_a_sample_are_those_of_all_objects(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Manifest(tree, {})
    found = [(one.tree, previews.note_of(one)) for one in previews.follow([job], [], every=False)]
    monkeypatch.setattr(previews, "sample", range)
    assert found == [(one.tree, previews.note_of(one)) for one in previews.follow([job], [], every=False)]


def test_rows_that_end_anywhere_are_built_object_by_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """No controller creates such rows: here a sample without neighbors stands for them."""
    job = Manifest(LARGE["JAXJob"], {})
    found = [one.tree for one in previews.follow([job], [], every=False)]
    monkeypatch.setattr(previews, "sample", lambda number: [0, 2, number - 1])
    assert found == [one.tree for one in previews.follow([job], [], every=False)]
