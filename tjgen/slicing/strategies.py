"""Name of a strategy -> the module that plans by it; names that are not built in come from the entry points tjgen.slicers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tjgen.slicing.items import Items
from tjgen.typing import Any, Protocol, cast

STRATEGIES: Mapping[str, str] = {
    "contiguous": "tjgen.slicing.contiguous",
    "contiguous-size-balanced": "tjgen.slicing.contiguous_size_balanced",
    "explicit": "tjgen.slicing.explicit",
    "hash": "tjgen.slicing.hash",
    "lpt": "tjgen.slicing.lpt",
    "rendezvous": "tjgen.slicing.rendezvous",
    "round-robin": "tjgen.slicing.round_robin",
    "weighted": "tjgen.slicing.weighted",
}
GROUP = "tjgen.slicers"


class Strategy(Protocol):
    """A module, or another object, that divides items. Equal arguments give equal plans, on every machine.

    `tjgen.slicing.conformance` tries whether an object keeps to this.
    """

    NEEDS_SIZES: bool
    """Whether every item must have a size."""

    def plan(self, items: Items, count: int, options: Mapping[str, Any]) -> list[list[int]]:
        """`count` lists of indexes of items; together they hold every index once.

        Raises ValueError where the options do not fit, with words that go on after the name of the strategy.
        """


def load(name: str) -> Strategy | None:
    """The strategy of that name, or None where there is none."""
    module = STRATEGIES.get(name)
    if module is not None:
        return cast("Strategy", import_module(module))
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP, name=name):
        return cast("Strategy", entry.load())
    return None


def known() -> list[str]:
    """The names of all strategies that are there, sorted."""
    from importlib.metadata import entry_points

    return sorted({*STRATEGIES, *(entry.name for entry in entry_points(group=GROUP))})
