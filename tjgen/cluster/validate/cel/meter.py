"""What expressions cost -> an end where the API server ends them, before they take too much time or memory.

Mirrors github.com/google/cel-go 0.26 `interpreter/runtimecost.go`, with the limits of k8s.io/apiserver 0.36
`pkg/apis/cel/config.go`.
"""

from __future__ import annotations

from tjgen.cluster.validate.cel.values import CostLimitError, Optional
from tjgen.trees.typing import Any

METER = "#"
"""The key of a scope whose value is the meter. No variable has this name."""
MOST_OF_CALL = 1_000_000
"""The cost at which the server cancels one expression (`PerCallLimit`)."""
MOST_OF_OBJECT = 10_000_000
"""The cost of all rules about an object, and of the validations of a binding (`RuntimeCELCostBudget`)."""
MOST_OF_CONDITIONS = 2_500_000
"""The cost of the match conditions of a binding (`RuntimeCELCostBudgetMatchConditions`)."""
CANCELLED = "operation cancelled: actual cost limit exceeded"
EXHAUSTED = "validation failed due to running out of cost budget, no further validation rules will be run"
"""The words of the server for an expression that costs too much, and for expressions that do together."""
_DEEPEST = 150
"""Levels of lists, maps and optional values in one value. No manifest has as many."""
_MOST_WORK = 3_000_000
"""Elements that one expression compares. The server has no limit for them; elements that people write are far below."""


class BudgetError(Exception):
    """The expressions of a policy, or the rules of an object, cost more together than the server evaluates."""


class Budget:
    """What several expressions may cost together, and what they have cost."""

    __slots__ = ("cost", "highest", "most")

    def __init__(self, most: int = MOST_OF_OBJECT) -> None:
        self.most = most
        self.cost = 0
        self.highest = 0
        """The cost of the most expensive expression."""

    def take(self, cost: int) -> None:
        """Raises BudgetError if less is left."""
        self.cost += cost
        self.highest = max(self.highest, cost)
        if self.cost > self.most:
            raise BudgetError


class Meter:
    """What one expression has cost so far."""

    __slots__ = ("cost", "work")

    def __init__(self) -> None:
        self.cost = 0
        self.work = 0

    def spend(self, cost: int) -> None:
        """Raises CostLimitError where the server cancels the expression."""
        self.cost += cost
        if self.cost > MOST_OF_CALL:
            raise CostLimitError

    def compare(self, value: Any, times: int = 1) -> None:
        """Count the elements of a value, at all depths, which a function is going to compare so many times."""
        if value.__class__ in (list, dict, Optional) and times:
            self.work += times * weight(value, _MOST_WORK // times)
            if self.work > _MOST_WORK:
                raise CostLimitError


def weight(value: Any, most: int, *, characters: int = 100) -> int:
    """The elements of a value at all depths, and one for each so many characters. Counting stops above `most`.

    Raises CostLimitError for a value that is nested more deeply than values are compared.
    """
    count, level, depth = 0, [value], 0
    while level and count <= most:
        if depth > _DEEPEST:
            raise CostLimitError
        following: list[Any] = []
        for one in level:
            kind = one.__class__
            count += 1
            if kind is list:
                following += one
            elif kind is dict:
                following += one
                following += one.values()
            elif kind is Optional:
                following.append(one.item)
            elif kind is str or kind is bytes:
                count += len(one) // characters
            if count > most:
                return count
            if len(following) > most:
                return len(following)
        level, depth = following, depth + 1
    return count
