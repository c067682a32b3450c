"""Strategies: what each promises, the proof that every plan is a division, and delivery."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations_with_replacement, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tjgen.language.slicing import strategies
from tjgen.language.slicing.division import divide
from tjgen.language.slicing.items import DataItems, listed
from tjgen.language.slicing.proof import Balance, balance, faults
from tjgen.language.slicing.strategies import STRATEGIES

BECAUSE = ("spec", "data", "slices")


def items_of(sizes: Sequence[int | None]) -> DataItems:
    items, diagnostics = listed([(f"part-{number:04d}", size) for number, size in enumerate(sizes)], ())
    assert diagnostics == []
    return items


def planned(by: str, sizes: Sequence[int | None], count: int, **options: Any) -> list[list[int]]:
    plan, diagnostics = divide(items_of(sizes), count, by, because=BECAUSE, options=options)
    assert [one for one in diagnostics if one.severity == "error"] == []
    assert plan is not None
    return list(map(list, plan))


def lpt(items: DataItems, count: int) -> list[list[int]]:
    plan, _ = divide(items, count, "lpt", because=BECAUSE)
    assert plan is not None
    return list(map(list, plan))


def options_of(by: str, items: DataItems, count: int) -> dict[str, Any]:
    """Options under which a strategy takes these items."""
    lists = [[path for index, path in enumerate(items.paths) if index * 7 % count == number] for number in range(count)]
    known: dict[str, dict[str, Any]] = {
        "weighted": {"weights": [number % 3 + 1 for number in range(count)]},
        "explicit": {"lists": lists},
    }
    return known.get(by, {})


SIZES = st.lists(st.integers(0, 2**40) | st.integers(0, 3), max_size=60)
COUNTS = st.integers(1, 12)


@pytest.mark.parametrize("by", STRATEGIES)
@given(sizes=SIZES, count=COUNTS)
def test_every_plan_is_a_division_and_the_same_again(by: str, sizes: list[int], count: int) -> None:
    items = items_of(sizes)
    strategy = strategies.load(by)
    assert strategy is not None
    options = options_of(by, items, count)
    plan = list(map(list, strategy.plan(items, count, options)))
    assert list(faults(plan, len(items), count)) == []
    assert sorted(index for part in plan for index in part) == list(range(len(items)))
    assert all(part == sorted(part) for part in plan)
    assert list(map(list, strategy.plan(items, count, options))) == plan


@given(sizes=SIZES, count=COUNTS)
def test_contiguous_slices_are_runs_of_nearly_equal_length(sizes: list[int], count: int) -> None:
    plan = planned("contiguous", sizes, count)
    lengths = [len(part) for part in plan]
    assert max(lengths) - min(lengths) <= 1
    assert lengths == sorted(lengths, reverse=True)
    assert [index for part in plan for index in part] == list(range(len(sizes)))


@given(sizes=SIZES, count=COUNTS)
def test_round_robin_deals_one_by_one(sizes: list[int], count: int) -> None:
    plan = planned("round-robin", sizes, count)
    assert all(index % count == number for number, part in enumerate(plan) for index in part)


@pytest.mark.parametrize("order", [1, -1], ids=["sorted by path", "the other way round"])
@given(sizes=SIZES, count=COUNTS)
def test_lpt_gives_each_item_to_the_slice_that_has_least(order: int, sizes: list[int], count: int) -> None:
    names = [f"part-{number:04d}" for number in range(len(sizes))][::order]
    items, _ = listed(list(zip(names, sizes, strict=True)), ())
    plan = lpt(items, count)
    loads = [0] * count
    wanted: list[list[int]] = [[] for _ in range(count)]
    for index in sorted(range(len(sizes)), key=lambda index: (-sizes[index], names[index])):
        least = loads.index(min(loads))
        loads[least] += sizes[index]
        wanted[least].append(index)
    assert plan == [sorted(part) for part in wanted]


@given(sizes=st.lists(st.integers(0, 2**62) | st.integers(0, 3), max_size=60), count=COUNTS)
def test_lpt_sorts_many_items_in_parts(sizes: list[int], count: int) -> None:
    whole = planned("lpt", sizes, count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tjgen.language.slicing.lpt._RUN", 8)
        assert planned("lpt", sizes, count) == whole


def test_lpt_breaks_ties_by_path() -> None:
    items, _ = listed([("c", 1), ("a", 1), ("b", 1), ("d", 9)], ())
    plan = lpt(items, 3)
    assert plan == [[3], [0, 1], [2]]


def test_hash_depends_on_the_path_alone() -> None:
    wanted: list[list[int]] = [[], [], []]
    for index in range(50):
        wanted[int.from_bytes(sha256(f"part-{index:04d}".encode()).digest()[:8], "big") % 3].append(index)
    assert planned("hash", [None] * 50, 3) == wanted


def test_rendezvous_moves_items_only_to_the_slice_that_is_new() -> None:
    few, more = planned("rendezvous", [1] * 2000, 9), planned("rendezvous", [1] * 2000, 10)
    moved = 0
    for number, part in enumerate(few):
        left = set(part) - set(more[number])
        assert left <= set(more[9])
        moved += len(left)
    assert 120 < moved < 280
    assert all(140 < len(part) < 260 for part in more)


def test_rendezvous_says_where_it_takes_too_long() -> None:
    plan, [diagnostic] = divide(items_of([1] * 3000), 99_999, "rendezvous", because=BECAUSE)
    assert plan is None
    assert diagnostic.code == "TJ307"
    assert diagnostic.message == "rendezvous compares 3000 items with 99999 slices, which takes too long: use hash"


@given(sizes=st.lists(st.integers(0, 30), max_size=9), count=st.integers(1, 4))
def test_contiguous_size_balanced_has_the_least_largest_run(sizes: list[int], count: int) -> None:
    plan = planned("contiguous-size-balanced", sizes, count)
    assert [index for part in plan for index in part] == list(range(len(sizes)))
    cuts = combinations_with_replacement(range(len(sizes) + 1), count - 1)
    best = min(max(sum(sizes[start:stop]) for start, stop in pairwise((0, *places, len(sizes)))) for places in cuts)
    assert max(sum(sizes[index] for index in part) for part in plan) == best
    assert sum(not part for part in plan) == max(0, count - len(sizes))


@pytest.mark.parametrize(
    ("items", "weights", "lengths"),
    [
        pytest.param(10, [1, 1], [5, 5], id="equal weights"),
        pytest.param(10, [2, 1], [7, 3], id="the largest remainder gets the rest"),
        pytest.param(2, [1, 1, 1], [1, 1, 0], id="of equal remainders the first"),
        pytest.param(5, [0, 1, 4], [0, 1, 4], id="a weight of 0"),
        pytest.param(0, [3, 1], [0, 0], id="nothing to share"),
    ],
)
def test_weighted_shares_by_largest_remainder(items: int, weights: list[int], lengths: list[int]) -> None:
    plan = planned("weighted", [None] * items, len(weights), weights=weights)
    assert [len(part) for part in plan] == lengths
    assert [index for part in plan for index in part] == list(range(items))


def test_explicit_takes_paths_and_patterns() -> None:
    lists = [["part-0001", "part-000[67]"], ["part-000[02-5]"]]
    assert planned("explicit", [1] * 8, 2, lists=lists) == [[1, 6, 7], [0, 2, 3, 4, 5]]


@pytest.mark.parametrize(
    ("by", "options", "words"),
    [
        pytest.param("weighted", {}, "weighted has 0 weights for 2 slices", id="no weights"),
        pytest.param("weighted", {"weights": [0, 0]}, "weighted has no weight above 0", id="weights of 0"),
        pytest.param("explicit", {"lists": [["*"]]}, "explicit has 1 lists for 2 slices", id="too few lists"),
        pytest.param(
            "explicit", {"lists": [["*"], ["part-0001"]]}, "explicit has 'part-0001' in list 0 and in list 1", id="twice"
        ),
        pytest.param("explicit", {"lists": [["*0"], ["*1"]]}, "explicit has 'part-0002' in none of its lists", id="left out"),
        pytest.param("explicit", {"lists": [["*"], ["x"]]}, "explicit has 'x' in list 1, which is not an item", id="no item"),
    ],
)
def test_options_that_do_not_fit_are_refused(by: str, options: dict[str, Any], words: str) -> None:
    plan, [diagnostic] = divide(items_of([1, 2, 3]), 2, by, because=BECAUSE, options=options)
    assert plan is None
    assert (diagnostic.code, diagnostic.message, diagnostic.path) == ("TJ307", words, BECAUSE)


@pytest.mark.parametrize("by", ["contiguous", "round-robin", "hash", "lpt"])
@given(sizes=st.lists(st.integers(0, 9), min_size=1, max_size=40), count=COUNTS, readers=st.integers(1, 4))
def test_padded_slices_have_one_length_and_lose_nothing(by: str, sizes: list[int], count: int, readers: int) -> None:
    plan, _ = divide(items_of(sizes), count, by, because=BECAUSE, remainder="pad", readers=readers)
    kept = planned(by, sizes, count)
    assert plan is not None
    [length] = {len(part) for part in plan}
    assert length % readers == 0
    assert length - readers < max(map(len, kept)) <= length
    assert all(list(padded[: len(part)]) == part for padded, part in zip(plan, kept, strict=True))
    assert all(index in range(len(sizes)) for part in plan for index in part)


@pytest.mark.parametrize("by", ["contiguous", "round-robin", "hash", "lpt"])
@given(sizes=st.lists(st.integers(0, 9), min_size=1, max_size=40), count=COUNTS, readers=st.integers(1, 4))
def test_dropped_slices_have_one_length_and_repeat_nothing(by: str, sizes: list[int], count: int, readers: int) -> None:
    plan, diagnostics = divide(items_of(sizes), count, by, because=BECAUSE, remainder="drop", readers=readers)
    kept = planned(by, sizes, count)
    length = min(map(len, kept)) // readers * readers
    if length == 0:
        assert plan is None
        assert [one.code for one in diagnostics if one.severity == "error"] == ["TJ308"]
    else:
        assert plan is not None
        assert list(map(list, plan)) == [part[:length] for part in kept]
        lost = len(sizes) - count * length
        assert ("TJ308" in [one.code for one in diagnostics]) == (lost >= count * readers)


def test_a_padded_round_robin_is_what_a_distributed_sampler_reads() -> None:
    items, count = 10, 4
    wrapped = [*range(items), 0, 1]
    plan, _ = divide(items_of([None] * items), count, "round-robin", because=BECAUSE, remainder="pad")
    assert plan == [wrapped[number::count] for number in range(count)]


@pytest.mark.parametrize(
    ("plan", "count", "words"),
    [
        pytest.param([[0, 1], [2]], 2, [], id="a division"),
        pytest.param([[2, 0], [1]], 2, [], id="a division in any order"),
        pytest.param([[0, 1, 2]], 2, ["it has 1 slices, not 2"], id="too few slices"),
        pytest.param([[0, 1], [1, 2]], 2, ["item 1 is in slice 0 and in slice 1"], id="an item twice"),
        pytest.param([[0], [2]], 2, ["item 1 is in no slice"], id="an item missing"),
        pytest.param([[], []], 2, ["item 0 and 2 others are in no slice"], id="all missing"),
        pytest.param(
            [[0, 1], [3]], 2, ["slice 1 contains item 3, but the items are 0 to 2", "item 2 is in no slice"], id="too high"
        ),
        pytest.param(
            [[0, 1], [-1]], 2, ["slice 1 contains item -1, but the items are 0 to 2", "item 2 is in no slice"], id="too low"
        ),
        pytest.param(
            [[0, 1], [2.0]], 2, ["slice 1 contains 2.0, which is not an index", "item 2 is in no slice"], id="no whole number"
        ),
        pytest.param(
            [[0, 1], ["2"]], 2, ["slice 1 contains '2', which is not an index", "item 2 is in no slice"], id="no number"
        ),
    ],
)
def test_the_proof(plan: list[list[int]], count: int, words: list[str]) -> None:
    assert list(faults(plan, 3, count)) == words


def test_the_balance() -> None:
    plan = [[0, 1], [2]]
    assert balance(plan, items_of([10, 20, 60])) == Balance(1, 2, 30, 60, 60 * 2 / 90)
    assert balance(plan, items_of([None, 20, 60])) == Balance(1, 2, None, None, 2 * 2 / 3)
    assert balance([[0], [1]], items_of([0, 0])) == Balance(1, 1, 0, 0, 1.0)


def test_an_unknown_strategy_gets_the_nearest() -> None:
    plan, [diagnostic] = divide(items_of([1]), 1, "round_robin", because=BECAUSE)
    assert plan is None
    assert (diagnostic.code, diagnostic.hint, diagnostic.path) == ("TJ316", 'did you mean "round-robin"?', (*BECAUSE, "by"))


def test_a_strategy_that_balances_needs_every_size() -> None:
    plan, [diagnostic] = divide(items_of([1, None]), 1, "lpt", because=BECAUSE)
    assert plan is None
    assert (diagnostic.code, diagnostic.message) == ("TJ314", "lpt balances by size, but 'part-0001' has no size")


def test_empty_slices_are_a_warning() -> None:
    plan, [diagnostic] = divide(items_of([1, 2]), 4, "contiguous", because=BECAUSE)
    assert plan == [range(1), range(1, 2), range(2, 2), range(2, 2)]
    assert (diagnostic.code, diagnostic.severity) == ("TJ318", "warning")


def test_more_slices_than_a_job_has_pods() -> None:
    plan, [diagnostic] = divide(items_of([1]), 2**31 - 1, "contiguous", because=BECAUSE)
    assert plan is None
    assert diagnostic.code == "TJ309"


def test_a_plugin_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless:
        NEEDS_SIZES = False

        def plan(self, items: DataItems, count: int, options: object) -> list[list[int]]:
            return [[0]] * count

    monkeypatch.setattr(strategies, "load", lambda *_: Careless())
    plan, diagnostics = divide(items_of([1, 2]), 2, "careless", because=BECAUSE)
    assert plan is None
    assert [one.message for one in diagnostics] == [
        "the slices of careless do not divide the items: item 0 is in slice 0 and in slice 1",
        "the slices of careless do not divide the items: item 1 is in no slice",
    ]


def test_every_module_of_a_strategy_is_in_the_table() -> None:
    folder = os.path.dirname(strategies.__file__)
    with_plan = set()
    for file in os.listdir(folder):
        if file.endswith(".py"):
            with open(os.path.join(folder, file)) as source:
                if "\ndef plan(" in source.read():
                    with_plan.add(f"tjgen.language.slicing.{file.removesuffix('.py')}")
    assert with_plan == set(STRATEGIES.values())
