"""Paths in one buffer behave as a list of texts."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.paths import Paths

PATHS = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1), max_size=20)


def of(paths: list[str], first: int) -> Paths:
    """The first paths at once, the others one by one."""
    made = Paths()
    made.extend([path.encode() for path in paths[:first]])
    for path in paths[first:]:
        made.append(path)
    return made


@given(paths=PATHS, first=st.integers(0, 20))
def test_they_are_what_was_added(paths: list[str], first: int) -> None:
    made = of(paths, first)
    assert list(made) == paths
    assert [made[index] for index in range(-len(paths), len(paths))] == paths * 2
    assert made[1:3] == paths[1:3]
    assert made.ascending == all(one < other for one, other in pairwise(paths))


@given(paths=PATHS, places=st.lists(st.integers(0, 100)))
def test_lines_and_choices_keep_the_order_of_the_indexes(paths: list[str], places: list[int]) -> None:
    items = DataItems()
    items.paths.extend([path.encode() for path in paths])
    items.sizes.extend(range(len(paths)))
    indexes = [place % len(paths) for place in places] if paths else []
    assert items.paths.lines(indexes).decode() == "".join(f"{paths[index]}\n" for index in indexes)
    assert list(items.taken(indexes).paths) == [paths[index] for index in indexes]


def test_paths_can_be_added_after_some_were_read() -> None:
    made = of(["a"], 1)
    assert made[0] == "a"
    made.append("b")
    assert list(made) == ["a", "b"]
