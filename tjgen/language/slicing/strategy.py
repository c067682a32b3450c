"""The form of a slicing strategy, and the error of one that another author wrote."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Plan
from tjgen.trees.typing import Any, Protocol


class PluginError(Exception):
    """What went wrong in a strategy of another author, in words that go on after its name."""


class Strategy(Protocol):
    """A module, or another object, that divides items. Equal arguments give equal plans, on every machine.

    It may have a function `bound` too, of the same arguments: the most that a slice of its plans holds, in bytes
    where it needs sizes and else in items. `tjgen.language.slicing.conformance` tries whether an object keeps to all this.
    """

    NEEDS_SIZES: bool
    """Whether every item must have a size."""

    def plan(self, items: DataItems, count: int, options: Mapping[str, Any]) -> Plan:
        """`count` sequences of indexes of items; together they hold every index once.

        Raises ValueError where the options do not fit, with words that go on after the name of the strategy.
        """
