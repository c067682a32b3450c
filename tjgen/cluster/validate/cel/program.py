"""The text of a CEL rule -> a function of its variables that returns whether the rule holds."""

from __future__ import annotations

from tjgen.cluster.schema.pattern_escapes import PatternError, UnavailableError
from tjgen.cluster.schema.patterns import search
from tjgen.cluster.validate.cel import values
from tjgen.cluster.validate.cel.compilation import compiled
from tjgen.cluster.validate.cel.comprehensions import Names
from tjgen.cluster.validate.cel.meter import METER, Meter
from tjgen.cluster.validate.cel.parser import parse
from tjgen.cluster.validate.cel.syntax import Node, call_nested, depth, walk
from tjgen.trees.typing import Any

_programs: dict[str, CelProgram] = {}


class CelProgram:
    """A compiled expression about a value. `is_transition` is true if it reads the old value."""

    __slots__ = ("_levels", "_step", "is_transition")

    def __init__(self, text: str) -> None:
        tree = parse(text)
        self._levels = depth(tree)
        self._step = call_nested(self._levels, compiled, tree, _OF_RULES)
        self.is_transition = "oldSelf" in names_in(tree)

    def holds(self, value: Any, old: Any = None, meter: Meter | None = None) -> bool:
        """Return whether the rule holds for `value`. Raises as `run` does."""
        return values.truth(self.run(value, old, meter))

    def run(self, value: Any, old: Any = None, meter: Meter | None = None) -> Any:
        """What the expression gives; `meter` gets its cost.

        Raises CelError where it gives nothing, and CostLimitError where it costs more than the server evaluates.
        """
        return call_nested(self._levels, self._step, {"self": value, "oldSelf": old, METER: meter or Meter()})


_OF_RULES = Names(frozenset(("self", "oldSelf")))


def program(text: str) -> CelProgram:
    """Return the program of a rule, compiled once; raise SyntaxError for unsupported CEL."""
    known = _programs.get(text)
    if known is None:
        known = _programs[text] = CelProgram(text)
    return known


def unavailable_in(tree: Node) -> str:
    """The first Unicode class in a literal pattern that only the server has; empty if there is none."""
    for node in walk(tree):
        if node[0] != "call" or node[1] not in ("matches", "find", "findAll"):
            continue
        for pattern in [one[1] for one in node[3] if one[0] == "literal" and isinstance(one[1], str)]:
            try:
                search(pattern)
            except UnavailableError as problem:
                return str(problem)
            except PatternError:
                continue
    return ""


def names_in(tree: Node) -> set[str]:
    """All names in a syntax tree, those that its functions bring among them."""
    return {node[1] for node in walk(tree) if node[0] == "name"}
