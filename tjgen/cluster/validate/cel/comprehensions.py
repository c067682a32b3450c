"""The comprehensions of CEL -> steps: `all`, `exists`, `exists_one`, `filter` and `map` over one variable.

`all` and `exists` absorb an error where another element decides alone, as github.com/google/cel-go `interpreter` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tjgen.cluster.validate.cel import values
from tjgen.cluster.validate.cel.values import CelError
from tjgen.trees.typing import Any, NamedTuple

Scope = dict[str, Any]
Step = Callable[[Scope], Any]
"""A function of the variables by their names."""
READS = ""
"""The key of a scope whose value is the list of reads, if the expression is compiled to record them."""


ITERATIONS = "#"
"""The key of a scope whose value counts the iterations of comprehensions, if they are limited."""
MOST_ITERATIONS = 1_000_000
"""The API server cancels an expression whose cost exceeds this (`PerCallLimit`), and an iteration costs at least 1."""


class CostLimitError(Exception):
    """An expression has more iterations than the API server evaluates. Unlike a CelError, no operand absorbs it."""


class Iterations:
    """The iterations of one expression, or of all expressions of a policy."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0


def count_iteration(scope: Scope) -> None:
    """Count one iteration of a comprehension. Raises CostLimitError if there are too many."""
    iterations = scope.get(ITERATIONS)
    if iterations is not None:
        iterations.number += 1
        if iterations.number > MOST_ITERATIONS:
            raise CostLimitError


class Names(NamedTuple):
    """The variables that an expression can read."""

    known: frozenset[str]
    is_recorded: bool = False
    """Whether reads of fields and elements are recorded in the scope: the container, and the key."""

    def extended(self, *names: str) -> Names:
        """The same with more variables."""
        return Names(self.known.union(names), self.is_recorded)


def decided(terms: Iterable[tuple[Step, Scope]], decides: bool) -> bool:
    """Return `decides` if a term is that, else the opposite. The first error counts only if no term decides."""
    error: CelError | None = None
    for step, scope in terms:
        try:
            if values.truth(step(scope)) is decides:
                return decides
        except CelError as raised:
            error = error or raised
    if error is not None:
        raise error
    return not decides


def _each(target: Step, variable: str, scope: Scope) -> Any:
    for item in values.elements(target(scope)):
        count_iteration(scope)
        yield item, {**scope, variable: item}


def _quantified(decides: bool) -> Callable[[Step, str, Step], Step]:
    """`all` (decided by a false) or `exists` (by a true)."""

    def build(target: Step, variable: str, predicate: Step) -> Step:
        return lambda scope: decided(((predicate, inner) for _, inner in _each(target, variable, scope)), decides)

    return build


def _exists_one(target: Step, variable: str, predicate: Step) -> Step:
    return lambda scope: sum([values.truth(predicate(inner)) for _, inner in _each(target, variable, scope)]) == 1


def _filter(target: Step, variable: str, predicate: Step) -> Step:
    return lambda scope: [item for item, inner in _each(target, variable, scope) if values.truth(predicate(inner))]


def _mapped(target: Step, variable: str, result: Step) -> Step:
    return lambda scope: [result(inner) for _, inner in _each(target, variable, scope)]


MACROS: dict[str, Callable[[Step, str, Step], Step]] = {
    "all": _quantified(False),
    "exists": _quantified(True),
    "exists_one": _exists_one,
    "filter": _filter,
    "map": _mapped,
}
