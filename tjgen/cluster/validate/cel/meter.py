"""What expressions cost -> an end where the API server ends them, before they take time or memory that nobody has.

Mirrors github.com/google/cel-go 0.26 `interpreter/runtimecost.go`, with the limits of k8s.io/apiserver 0.36
`pkg/apis/cel/config.go`.
"""

from __future__ import annotations

from tjgen.cluster.validate.cel.values import CostLimitError
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
_MOST_WORK = 20_000_000
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
        if value.__class__ in (list, dict) and times:
            self.work += times * weight(value, _MOST_WORK // times)
            if self.work > _MOST_WORK:
                raise CostLimitError


def weight(value: Any, most: int, *, characters: int = 100) -> int:
    """The elements of a value at all depths, and one for each so many characters. Counting stops above `most`."""
    count, stack = 0, [value]
    while stack and count <= most:
        one = stack.pop()
        kind = one.__class__
        count += 1
        if kind is list:
            stack += one
        elif kind is dict:
            stack += one
            stack += one.values()
        elif kind is str or kind is bytes:
            count += len(one) // characters
    return count
