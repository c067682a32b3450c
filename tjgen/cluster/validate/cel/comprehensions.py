"""The comprehensions of CEL -> steps: `all`, `exists`, `exists_one`, `filter` and `map`, over one variable or two.

`all` and `exists` absorb an error where another element decides alone. Mirrors github.com/google/cel-go `interpreter`, and the
macros of `parser/macro.go` and `ext/comprehensions.go`, whose parts that no expression writes have a cost, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tjgen.cluster.validate.cel import values
from tjgen.cluster.validate.cel.meter import METER
from tjgen.cluster.validate.cel.values import CelError
from tjgen.trees.typing import Any, NamedTuple

Scope = dict[str, Any]
Step = Callable[[Scope], Any]
"""A function of the variables by their names."""
READS = ""
"""The key of a scope whose value is the list of reads, if the expression is compiled to record them."""
RESULT = 1
"""The cost of reading what a comprehension has collected."""
APPENDED = 12
"""The cost of adding one element to a list: the list so far, a new list, and a call. The element has its own cost."""
APPENDED_CONSTANT = 2
INSERTED = 2
"""The cost of adding an entry to a map."""
COUNTED = 2
OF_ALL, OF_EXISTS = 3, 4
"""The cost of an element: whether one before it decides, and what all together are."""
DECIDED = {False: 2, True: 3}
"""The cost of the question whether an element decides, by what decides: for `all` a false."""


class Bill:
    """The cost that a part of an expression has for all values."""

    __slots__ = ("cost",)

    def __init__(self) -> None:
        self.cost = 0


class Names(NamedTuple):
    """The variables that an expression can read."""

    known: frozenset[str]
    is_recorded: bool = False
    """Whether reads of fields and elements are recorded in the scope: the container, and the key."""
    dynamic: frozenset[str] = frozenset()
    """The variables whose types the server learns only when it evaluates the expression."""
    bill: Bill = Bill()  # each part has its own: see `compilation.part`

    def extended(self, *names: str, is_dynamic: bool = False) -> Names:
        """The same with more variables."""
        dynamic = self.dynamic.union(names) if is_dynamic else self.dynamic.difference(names)
        return self._replace(known=self.known.union(names), dynamic=dynamic)


def decided(steps: Iterable[Step], scope: Scope, decides: bool) -> bool:
    """Return `decides` if a term is that, else the opposite. The first error counts only if no term decides."""
    error: CelError | None = None
    for step in steps:
        try:
            if values.truth(step(scope)) is decides:
                return decides
        except CelError as raised:
            error = error or raised
    if error is not None:
        raise error
    return not decides


def scopes(container: Any, variables: Sequence[str], scope: Scope) -> Iterator[Scope]:
    """The scope of each element: its index or key and its value, or with one variable an element or a key."""
    given = values.elements(container)
    if len(variables) == 1:
        (variable,) = variables
        for item in given:
            yield {**scope, variable: item}
        return
    for key, item in given.items() if given.__class__ is dict else enumerate(given):
        yield {**scope, variables[0]: key, variables[1]: item}


def quantified(target: Step, variables: Sequence[str], predicate: Step, *, decides: bool) -> Step:
    """`all` (decided by a false) or `exists` (by a true)."""

    def step(scope: Scope) -> bool:
        error: CelError | None = None
        is_decided = False
        for one in scopes(target(scope), variables, scope):
            if is_decided:
                scope[METER].spend(DECIDED[decides])
                break
            try:
                is_decided = values.truth(predicate(one)) is decides
            except CelError as raised:
                error = error or raised
        if error is not None and not is_decided:
            raise error
        return decides if is_decided else not decides

    return step


def exactly_one(target: Step, variables: Sequence[str], predicate: Step) -> Step:
    """`exists_one`."""

    def step(scope: Scope) -> bool:
        number = sum([values.truth(predicate(one)) for one in scopes(target(scope), variables, scope)])
        scope[METER].spend(COUNTED * number)
        return number == 1

    return step


def selected(target: Step, variable: str, predicate: Step) -> Step:
    """`filter`."""

    def step(scope: Scope) -> list[Any]:
        meter = scope[METER]
        items = []
        for one in scopes(target(scope), (variable,), scope):
            if values.truth(predicate(one)):
                meter.spend(APPENDED + 1)
                items.append(one[variable])
        return items

    return step


def mapped(target: Step, variables: Sequence[str], condition: Step | None, result: Step) -> Step:
    """`map` and `transformList`."""

    def step(scope: Scope) -> list[Any]:
        return [
            result(one) for one in scopes(target(scope), variables, scope) if condition is None or values.truth(condition(one))
        ]

    return step
