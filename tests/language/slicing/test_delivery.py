"""Lists of slices as files, and how they are packed into ConfigMaps."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tjgen.language.slicing import delivery
from tjgen.language.slicing.items import listed


def test_a_list_for_each_slice() -> None:
    items, _ = listed([("a", None), ("b", None), ("c", None)], ())
    files = delivery.manifests([[2, 0], [1], []], items)
    assert files == {"slice-0.txt": "c\na\n", "slice-1.txt": "b\n", "slice-2.txt": ""}
    assert delivery.size(files) == 3 * len("slice-0.txt") + 3 * len("a\n")
    assert delivery.packed(files) == [files]


def test_lists_that_just_fit_are_one_map() -> None:
    fits = {"slice-0.txt": "x" * 20 + "\n" * (delivery.LIMIT - 20 - len("slice-0.txt"))}
    assert delivery.packed(fits) == [fits]


def test_a_list_above_the_limit_goes_on_in_a_second_file() -> None:
    line = "x" * 999 + "\n"
    files = {"slice-0.txt": "first\n", "slice-1.txt": line * 2500, "slice-2.txt": "last\n"}
    maps = delivery.packed(files)
    assert [list(one) for one in maps] == [["slice-0.txt", "slice-1.txt"], ["slice-1.1.txt"], ["slice-1.2.txt", "slice-2.txt"]]
    assert all(delivery.size(one) <= delivery.LIMIT for one in maps)
    assert maps[0]["slice-1.txt"] + maps[1]["slice-1.1.txt"] + maps[2]["slice-1.2.txt"] == line * 2500


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from([0, 1, 5000, 5269, 5270, 12_000]), max_size=6))
def test_nothing_is_lost_and_no_map_is_too_large(lengths: list[int]) -> None:
    files = {f"slice-{number}.txt": ("é" * 99 + "\n") * length for number, length in enumerate(lengths)}
    maps = delivery.packed(files)
    assert all(delivery.size(one) <= delivery.LIMIT for one in maps)
    together: dict[str, str] = {}
    for one in maps:
        for name, text in one.items():
            stem, *part = name.removesuffix(".txt").split(".")
            assert bool(part) == (f"{stem}.txt" in together)
            together[f"{stem}.txt"] = together.get(f"{stem}.txt", "") + text
    assert together == files


def test_there_is_an_end_to_it() -> None:
    maps = [{"slice-0.txt": "a\n"}] * (delivery.MOST_MAPS + 1)
    assert delivery.too_large(maps[1:], ("spec",)) is None
    diagnostic = delivery.too_large(maps, ("spec",))
    assert diagnostic is not None
    assert (diagnostic.code, diagnostic.path) == ("TJ319", ("spec",))
