"""Comprehensions that few expressions use -> steps: those over two variables, those of optional values, and `sortBy`.

Mirrors github.com/google/cel-go `ext/comprehensions.go`, `ext/lists.go` and the macros of its optionals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tjgen.cluster.validate.cel import values
from tjgen.cluster.validate.cel.comprehensions import Names, Scope, Step, count_iteration, decided
from tjgen.cluster.validate.cel.lists import ordered
from tjgen.cluster.validate.cel.parser import Node
from tjgen.cluster.validate.cel.values import NONE, Optional, of
from tjgen.trees.typing import Any

_WITH_TWO = ("all", "exists", "existsOne", "exists_one", "transformList", "transformMap", "transformMapEntry")


def compiled(
    name: str,
    target: Step,
    arguments: Sequence[Node],
    names: Names,
    *,
    compile_node: Callable[[Node, Names], Step],
) -> Step:
    """The step of a macro that is called on `target`; raises SyntaxError for an expression that is not understood."""
    variables = [str(arguments[0][1])]
    if name in _WITH_TWO and len(arguments) > 2:
        if arguments[1][0] != "name":
            raise SyntaxError(f"{name} requires two names")
        variables.append(str(arguments[1][1]))
    inner = names.extended(*variables)
    steps = [compile_node(argument, inner) for argument in arguments[len(variables) :]]
    if name in ("optMap", "optFlatMap"):
        return _of_optional(target, variables[0], steps[0], is_flat=name == "optFlatMap")
    if name == "sortBy":
        return lambda scope: _sorted(target(scope), [steps[0](one) for one in _scopes(target(scope), variables, scope)])
    if name in ("transformMap", "transformList", "map"):
        condition = steps[0] if len(steps) > 1 else None
        return _transformed(target, variables, condition, steps[-1], into_map=name == "transformMap")
    if name == "transformMapEntry":
        condition = steps[0] if len(steps) > 1 else None
        return lambda scope: _merged(_transformed(target, variables, condition, steps[-1], into_map=False)(scope))
    if name in ("existsOne", "exists_one"):
        predicate = steps[0]
        return lambda scope: sum(values.truth(predicate(one)) for one in _scopes(target(scope), variables, scope)) == 1
    return _quantified(target, variables, steps[0], decides=name == "exists")


def _scopes(container: Any, variables: Sequence[str], scope: Scope) -> Iterator[Scope]:
    """The scope of each element: its index or key and its value, or with one variable an element or a key."""
    given = values.elements(container)
    if len(variables) == 1:
        for item in given:
            count_iteration(scope)
            yield {**scope, variables[0]: item}
        return
    for key, item in given.items() if given.__class__ is dict else enumerate(given):
        count_iteration(scope)
        yield {**scope, variables[0]: key, variables[1]: item}


def _of_optional(target: Step, variable: str, result: Step, *, is_flat: bool) -> Step:
    def step(scope: Scope) -> Any:
        given = target(scope)
        if not isinstance(given, Optional):
            raise values.overload()
        if not given.is_present:
            return NONE
        value = result({**scope, variable: given.item})
        return value if is_flat else of(value)

    return step


def _sorted(items: Any, keys: list[Any]) -> list[Any]:
    return ordered(items, keys)


def _transformed(target: Step, variables: Sequence[str], condition: Step | None, result: Step, *, into_map: bool) -> Step:
    def step(scope: Scope) -> Any:
        entries = []
        for one in _scopes(target(scope), variables, scope):
            if condition is None or values.truth(condition(one)):
                entries.append((one[variables[0]], result(one)))
        return dict(entries) if into_map else [value for _, value in entries]

    return step


def _merged(maps: Any) -> dict[Any, Any]:
    merged: dict[Any, Any] = {}
    for one in maps:
        for key, value in one.items():
            if key in merged:
                raise values.CelError(f"insert failed: key {key} already exists")
            merged[key] = value
    return merged


def _quantified(target: Step, variables: Sequence[str], predicate: Step, *, decides: bool) -> Step:
    return lambda scope: decided(((predicate, one) for one in _scopes(target(scope), variables, scope)), decides)
