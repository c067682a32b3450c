"""Macros that few expressions use -> steps: those that make maps, those of optional values, and `sortBy`.

Mirrors github.com/google/cel-go `ext/comprehensions.go`, `ext/lists.go` and the macros of its optionals.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.validate.cel import costs, values
from tjgen.cluster.validate.cel.comprehensions import Scope, Step, scopes
from tjgen.cluster.validate.cel.lists import ordered
from tjgen.cluster.validate.cel.meter import METER
from tjgen.cluster.validate.cel.values import NONE, Optional, of
from tjgen.trees.typing import Any


def of_optional(target: Step, again: Step, variable: str, result: Step, *, is_flat: bool) -> Step:
    """`optMap` and `optFlatMap`."""

    def step(scope: Scope) -> Any:
        given = target(scope)
        if not isinstance(given, Optional):
            raise values.overload()
        if not given.is_present:
            return NONE
        value = result({**scope, variable: again(scope).item})
        if not is_flat:
            return of(value)
        if not isinstance(value, Optional):
            raise values.overload()
        return value

    return step


def sorted_by(target: Step, variable: str, key: Step) -> Step:
    """`sortBy`."""

    def step(scope: Scope) -> list[Any]:
        items = target(scope)
        keys = [key(one) for one in scopes(items, (variable,), scope)]
        scope[METER].spend(costs.of_comparisons(keys))
        return ordered(items, keys)

    return step


def into_map(target: Step, variables: Sequence[str], condition: Step | None, result: Step, *, is_entry: bool) -> Step:
    """`transformMap`, and `transformMapEntry`, whose result is a map with the entries."""

    def step(scope: Scope) -> dict[Any, Any]:
        into: dict[Any, Any] = {}
        for one in scopes(target(scope), variables, scope):
            if condition is not None and not values.truth(condition(one)):
                continue
            value = result(one)
            entries = value if is_entry else {one[variables[0]]: value}
            if entries.__class__ is not dict:
                raise values.overload()
            for key, item in entries.items():
                if key in into:
                    raise values.CelError(f"insert failed: key {key} already exists")
                into[key] = item
        return into

    return step
