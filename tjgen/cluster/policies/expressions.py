"""The text of an expression of a policy -> a program that evaluates it, and can record which field decides.

Mirrors k8s.io/apiserver 0.36 `pkg/admission/plugin/cel`: the variables of a policy are evaluated when they are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from tjgen.cluster.policies.inference import result_of
from tjgen.cluster.validate.cel.comprehensions import ITERATIONS, READS, CostLimitError, Iterations, Names, Scope, Step
from tjgen.cluster.validate.cel.parser import Node, parse
from tjgen.cluster.validate.cel.program import compiled, names_in
from tjgen.cluster.validate.cel.values import CelError
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import Any

VARIABLES = "variables"
_KNOWN = frozenset(("object", "oldObject", "request", "namespaceObject", VARIABLES))
_CANCELLED = "operation cancelled: actual cost limit exceeded"
_OF_CALLER = ("options", "userInfo")
"""Fields of the request that depend on who sends it."""

Variables = Mapping[str, "Expression"]


class Expression:
    """A compiled expression. `unknown` names the inputs that exist only in the cluster; empty if it can be evaluated offline."""

    __slots__ = ("_fast", "_names", "_recorded", "_tree", "text", "type", "unknown")
    unknown: str
    type: str
    """The name of the type of its value, as `inference` works it out."""

    def __init__(self, text: str, *, has_params: bool, variables: Variables) -> None:
        self.text = text
        self._tree = _with_variables(parse(text))
        known = _KNOWN.union(("params",) if has_params else (), (f"{VARIABLES}.{name}" for name in variables))
        read = [variables[name].unknown for name in _variables_in(self._tree) if name in variables]
        self.unknown = (
            "authorizer" if "authorizer" in names_in(self._tree) else _unknown(self._tree) or next(filter(None, read), "")
        )
        self.type = result_of(self._tree, {name: one.type for name, one in variables.items()})
        self._names = Names(known)
        self._fast = None if self.unknown else compiled(self._tree, self._names)
        self._recorded: Any = None

    def evaluate(self, scope: Scope) -> Any:
        """The value; raises CelError."""
        assert self._fast is not None, "the caller skips what is unknown"
        return _limited(self._fast, scope)

    def record(self, scope: Scope) -> Any:
        """The value as `evaluate` returns it; `scope[READS]` gets what is read. Raises CelError."""
        if self._recorded is None:
            self._recorded = compiled(self._tree, self._names._replace(is_recorded=True))
        return _limited(self._recorded, scope)


def _limited(step: Step, scope: Scope) -> Any:
    """The value of an expression whose iterations are counted. Those of a policy, if its scope counts them, are added up."""
    own = Iterations()
    try:
        return step({**scope, ITERATIONS: own})
    except CostLimitError:
        raise CelError(_CANCELLED) from None
    finally:
        total = scope.get(ITERATIONS)
        if total is not None:
            total.number += own.number


class Lazy:
    """The variables of a policy for one evaluation: a call with a name returns the value."""

    __slots__ = ("_are_named", "_expressions", "_known", "scope")

    def __init__(self, expressions: Variables, scope: Scope, *, are_named: bool = True) -> None:
        """`are_named`: whether the error of a variable names it."""
        self._are_named = are_named
        self._expressions = expressions
        self._known: dict[str, Any] = {}
        self.scope = scope

    def __call__(self, name: str) -> Any:
        if name not in self._known:
            expression = self._expressions[name]
            try:
                value = expression.record(self.scope) if READS in self.scope else expression.evaluate(self.scope)
                self._known[name] = (value, None)
            except CelError as error:
                words = f'composited variable "{name}" fails to evaluate: {error}' if self._are_named else str(error)
                self._known[name] = (None, words)
        value, problem = self._known[name]
        if problem is not None:
            raise CelError(problem)
        return value


def deciding(expression: Expression, scope: Scope, expressions: Variables, tree: Tree) -> FieldPath:
    """The field of `tree`, which is `object`, that an expression reads last: the one that makes it fail."""
    reads: list[tuple[Any, Any]] = []
    recorded: Scope = {**scope, READS: reads}
    recorded[VARIABLES] = Lazy(expressions, recorded)
    with suppress(CelError):  # the last read is the field that the error is about
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


def _with_variables(node: Any) -> Any:
    """The tree with a node for each variable of the policy, instead of the field of `variables`."""
    if node.__class__ is list:
        return [_with_variables(one) for one in node]
    if node.__class__ is not tuple or not node or node[0] == "literal":
        return node
    if node[0] == "field" and node[1] == ("name", VARIABLES):
        return ("variable", node[2])
    return tuple(_with_variables(one) for one in node)


def _variables_in(node: Any) -> set[str]:
    if node.__class__ is tuple and node and node[0] == "variable":
        return {node[1]}
    if node.__class__ in (tuple, list) and not (node and node[0] == "literal"):
        return set().union(*map(_variables_in, node))
    return set()


def _unknown(node: Node | Any) -> str:
    """The first field of the request that only the sender can provide."""
    if node.__class__ not in (tuple, list) or not node or node[0] == "literal":
        return ""
    if node[0] == "field" and node[1] == ("name", "request") and node[2] in _OF_CALLER:
        return f"request.{node[2]}"
    return next(filter(None, map(_unknown, node)), "")
