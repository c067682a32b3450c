"""The text of an expression of a policy -> a program that evaluates it, and can record which field decides.

Mirrors k8s.io/apiserver 0.36 `pkg/admission/plugin/cel`: the variables of a policy are evaluated when they are read.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress

from tjgen.cluster.policies.declarations import DYN, UNKNOWN
from tjgen.cluster.policies.inference import result_of
from tjgen.cluster.validate.cel.compilation import VARIABLES, compiled
from tjgen.cluster.validate.cel.comprehensions import READS, Names, Scope, Step
from tjgen.cluster.validate.cel.meter import CANCELLED, METER, Budget, BudgetError, Meter
from tjgen.cluster.validate.cel.parser import parse
from tjgen.cluster.validate.cel.program import names_in, unavailable_in
from tjgen.cluster.validate.cel.syntax import Node, call_nested, depth, walk
from tjgen.cluster.validate.cel.values import CelError, CostLimitError
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import Any

BUDGET = "$"
"""The key of a scope whose value is what the expressions of a policy may cost together. No variable has this name."""
_LONGEST_CHAIN = 10
"""Variables that read each other and are evaluated within each other."""
_DYNAMIC = frozenset(("object", "oldObject", "params"))
_KNOWN = frozenset(("object", "oldObject", "request", "namespaceObject", VARIABLES))
_OF_CALLER = ("options", "userInfo")
"""Fields of the request that depend on who sends it."""

Variables = Mapping[str, "Expression"]


class Expression:
    """A compiled expression. `unknown` names the inputs that exist only in the cluster; empty if it can be evaluated offline."""

    __slots__ = ("_fast", "_levels", "_names", "_recorded", "_tree", "chain", "reads", "text", "type", "unknown")
    reads: set[str]
    """The variables that it reads."""
    chain: int
    """The most expressions that read each other, this one among them."""
    unknown: str
    type: str
    """The name of the type of its value, as `inference` works it out."""

    def __init__(self, text: str, *, has_params: bool, variables: Variables) -> None:
        self.text = text
        self._tree = parse(text)
        self._levels = depth(self._tree)
        self.reads = {name for name in _variables_in(self._tree) if name in variables}
        known = _KNOWN.union(("params",) if has_params else (), (f"{VARIABLES}.{name}" for name in self.reads))
        types = {name: variables[name].type for name in self.reads}
        self.chain = 1 + max((variables[name].chain for name in self.reads), default=0)
        read = [variables[name].unknown for name in sorted(self.reads)]
        self.unknown = (
            "authorizer" if "authorizer" in names_in(self._tree) else _unknown(self._tree) or next(filter(None, read), "")
        )
        self.type = call_nested(self._levels, result_of, self._tree, types)
        open_ones = (f"{VARIABLES}.{name}" for name, type_name in types.items() if type_name in (DYN, UNKNOWN))
        self._names = Names(known, dynamic=_DYNAMIC.union(open_ones))
        self._fast = None if self.unknown else call_nested(self._levels, compiled, self._tree, self._names)
        self._recorded: Any = None

    def evaluate(self, scope: Scope) -> Any:
        """The value; raises CelError, and BudgetError if `scope[BUDGET]` does not suffice."""
        assert self._fast is not None, "the caller skips what is unknown"
        return self._limited(self._fast, scope)

    def record(self, scope: Scope) -> Any:
        """The value as `evaluate` returns it; `scope[READS]` gets what is read. Raises as `evaluate` does."""
        if self._recorded is None:
            self._recorded = call_nested(self._levels, compiled, self._tree, self._names._replace(is_recorded=True))
        return self._limited(self._recorded, scope)

    def _limited(self, step: Step, scope: Scope) -> Any:
        meter = Meter()
        try:
            value, problem = call_nested(self._levels, step, {**scope, METER: meter}), None
        except CostLimitError:
            value, problem = None, CelError(CANCELLED)
        except CelError as error:
            value, problem = None, error
        scope[BUDGET].take(meter.cost)
        if problem is not None:
            raise problem
        return value


class Lazy:
    """The variables of a policy for one evaluation: a call with a name returns the value."""

    __slots__ = ("_are_named", "_expressions", "_known", "scope")

    def __init__(self, expressions: Variables, scope: Scope, *, are_named: bool = True) -> None:
        """`are_named`: whether the error of a variable names it."""
        self._are_named = are_named
        self._expressions = expressions
        self._known: dict[str, tuple[Any, str | None, int]] = {}
        """The value, or the words of its error, and the cost that has not been counted."""
        self.scope = scope

    def __call__(self, name: str) -> Any:
        if name not in self._known and self._expressions[name].chain > _LONGEST_CHAIN:
            for each in self._read_by(name):
                self._evaluate(each)
        self._evaluate(name)
        value, problem, cost = self._known[name]
        if cost:
            self._known[name] = (value, problem, 0)
            self.scope[BUDGET].take(cost)
        if problem is not None:
            raise CelError(problem)
        return value

    def _read_by(self, name: str) -> list[str]:
        """The variables that a variable reads, and those that they read, in their order: each reads those before it."""
        names: set[str] = set()
        stack = [name]
        while stack:
            for each in self._expressions[stack.pop()].reads - names:
                names.add(each)
                stack.append(each)
        return [each for each in self._expressions if each in names]

    def _evaluate(self, name: str) -> None:
        if name in self._known:
            return
        expression = self._expressions[name]
        budget = Budget(sys.maxsize)
        scope = {**self.scope, BUDGET: budget}
        try:
            value = expression.record(scope) if READS in scope else expression.evaluate(scope)
            self._known[name] = (value, None, budget.cost)
        except CelError as error:
            words = f'composited variable "{name}" fails to evaluate: {error}' if self._are_named else str(error)
            self._known[name] = (None, words, budget.cost)


def deciding(expression: Expression, scope: Scope, expressions: Variables, tree: Tree) -> FieldPath:
    """The field of `tree`, which is `object`, that an expression reads last: the one that makes it fail."""
    reads: list[tuple[Any, Any]] = []
    recorded: Scope = {**scope, READS: reads, BUDGET: Budget()}
    recorded[VARIABLES] = Lazy(expressions, recorded)
    with suppress(CelError, BudgetError):  # the last read is the field that the error is about
        expression.record(recorded)
    paths = dict(_paths(tree, ()))
    for container, key in reversed(reads):
        at = paths.get(id(container))
        if at is not None:
            is_present = (
                key in container if container.__class__ is dict else container.__class__ is list and key in range(len(container))
            )
            return (*at, key) if is_present else at
    return ()


def _paths(tree: Tree, path: FieldPath) -> Any:
    if tree.__class__ in (dict, list):
        yield id(tree), path
        for key, value in tree.items() if tree.__class__ is dict else enumerate(tree):
            yield from _paths(value, (*path, key))


def _variables_in(tree: Node) -> set[str]:
    return {node[2] for node in walk(tree) if node[0] == "field" and node[1] == ("name", VARIABLES)}


def _unknown(tree: Node) -> str:
    """The first field of the request that only the sender has, or a class of a pattern that only the server has."""
    fields = (node[2] for node in walk(tree) if node[0] == "field" and node[1] == ("name", "request"))
    return next((f"request.{field}" for field in fields if field in _OF_CALLER), "") or unavailable_in(tree)
