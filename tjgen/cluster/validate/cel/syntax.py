"""Syntax trees of expressions: their nodes, and calls that follow the deepest of them.

A tree is as deep as its expression is nested; the API server accepts 250 levels. A chain of `||` or `&&` is one node, because
cel-go balances such chains (`parser/helper.go:logicManager`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

from tjgen.trees.typing import Any, TypeAlias

Node: TypeAlias = tuple[Any, ...]
"""("literal", value), ("name", name), ("field", node, name), ("index", node, node), ("optional", node, node),
("call", name, target or None, nodes), ("list", nodes), ("map", pairs), ("not", node), ("minus", node), ("maybe", node),
("logic", operator, nodes), ("binary", operator, node, node) or ("if", node, node, node).
"""
_DEEP = 20
"""Levels that calls can follow anyway: nearly all expressions have fewer."""
_CALLS = 20
"""More calls than any function makes for one level of a tree."""


def below(node: Node) -> Sequence[Node]:
    """The nodes directly below one."""
    kind = node[0]
    if kind in ("literal", "name"):
        return ()
    if kind == "field":
        return (node[1],)
    if kind == "list":
        return list(node[1])
    if kind == "map":
        return [part for pair in node[1] for part in pair]
    if kind == "call":
        return [*((node[2],) if node[2] is not None else ()), *node[3]]
    return list(node[2]) if kind == "logic" else node[2:] if kind == "binary" else node[1:]


def walk(tree: Node) -> Iterator[Node]:
    """All nodes of a tree, in the order of the expression, those around others first."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(below(node))


def depth(tree: Node, counted: Callable[[Node], bool] = lambda node: True) -> int:
    """The most nodes around each other, of those that count."""
    deepest, stack = 0, [(tree, 0)]
    while stack:
        node, around = stack.pop()
        around += counted(node)
        deepest = max(deepest, around)
        stack += [(one, around) for one in below(node)]
    return deepest


def call_nested(levels: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function that calls itself for so many levels of a tree. Python limits calls in each other to 1,000."""
    if levels <= _DEEP:
        return function(*arguments)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + levels * _CALLS)
    try:
        return function(*arguments)
    finally:
        sys.setrecursionlimit(before)
