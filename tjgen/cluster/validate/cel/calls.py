"""A call in an expression -> its step: a comprehension, or a function with its arguments and what they cost."""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.schema.pattern_escapes import PatternError
from tjgen.cluster.schema.patterns import search
from tjgen.cluster.validate.cel import comprehensions, costs
from tjgen.cluster.validate.cel.comprehensions import Names, Scope, Step
from tjgen.cluster.validate.cel.meter import METER
from tjgen.cluster.validate.cel.syntax import Node
from tjgen.cluster.validate.cel.values import CelError, Optional, overload
from tjgen.trees.typing import Any, NamedTuple

_WITHOUT_TARGET = ("size", "matches")
_OVER_TWO = ("all", "exists", "existsOne", "exists_one", "transformList", "transformMap", "transformMapEntry")
_MACROS = frozenset(
    (
        *((name, count) for name in ("all", "exists", "existsOne", "exists_one") for count in (2, 3)),
        *(("filter", 2), ("map", 2), ("map", 3), ("optFlatMap", 2), ("optMap", 2), ("sortBy", 2)),
        *((name, count) for name in ("transformList", "transformMap", "transformMapEntry") for count in (3, 4)),
    )
)
"""Names and numbers of arguments."""


_ALTERNATIVES = ("or", "orValue")


class Compiler(NamedTuple):
    """What compiles the nodes of a call."""

    node: Callable[[Node, Names], Step]
    part: Callable[..., Step]
    """Compiles a node that is not always evaluated, with what it costs in addition."""
    is_dynamic: Callable[[Node, Names], bool]


def compiled(node: Node, names: Names, compiler: Compiler) -> Step:
    """The step of a call; raises SyntaxError for an unknown function."""
    _, name, target, arguments = node
    if target is not None and (name, len(arguments)) in _MACROS and arguments[0][0] == "name":
        return _comprehension(node, names, compiler)
    if target is not None and name in _ALTERNATIVES and len(arguments) == 1:
        return _alternative(compiler.node(target, names), compiler.part(arguments[0], names), is_value=name == "orValue")
    if target is not None and target[0] == "name" and target[1] not in names.known:
        from tjgen.cluster.validate.cel import library

        name, target = f"{target[1]}.{name}", None
        function = library.namespaced(name, len(arguments))
    else:
        function = _function(name, len(arguments) + (target is not None), has_target=target is not None)
    nodes = [target, *arguments] if target is not None else arguments
    steps = [compiler.node(argument, names) for argument in nodes]
    if function is None:
        raise SyntaxError(f"unknown function: {name} with {len(arguments)} arguments")
    cost = _cost(name, nodes, names, compiler, is_method=target is not None)
    if cost.__class__ is int:
        names.bill.cost += cost
        if not costs.compares(name):
            return lambda scope: function(*[step(scope) for step in steps])

    def step(scope: Scope) -> Any:
        given = [step(scope) for step in steps]
        if cost.__class__ is not int:
            scope[METER].spend(cost(*given))
        if costs.compares(name):
            costs.compare(name, scope[METER], given)
        return function(*given)

    return step


def _alternative(target: Step, other: Step, *, is_value: bool) -> Step:
    """`or` and `orValue`, which evaluate their argument only if the value is absent."""

    def step(scope: Scope) -> Any:
        given = target(scope)
        if not isinstance(given, Optional):
            raise overload()
        if given.is_present:
            return given.item if is_value else given
        result = other(scope)
        if not is_value and not isinstance(result, Optional):
            raise overload()
        return result

    return step


def _cost(name: str, nodes: list[Node], names: Names, compiler: Compiler, *, is_method: bool) -> Any:
    """The cost of a call of a function: a number, or a function of the arguments."""
    if not is_method and name in costs.CONVERSIONS and len(nodes) == 1:
        if costs.is_constant(nodes[0]):
            return 0
        return costs.of_bytes if name in ("bytes", "string") and not compiler.is_dynamic(nodes[0], names) else 1
    if name == "sort" and compiler.is_dynamic(nodes[0], names):
        return 1
    return costs.of_call(name, is_method=is_method)


def _function(name: str, arguments: int, *, has_target: bool) -> Callable[..., Any] | None:
    known = _FUNCTIONS.get((name, arguments))
    if known is not None and (has_target or name in _WITHOUT_TARGET):
        return known
    from tjgen.cluster.validate.cel import library  # no rule of a schema that tjgen brings needs it

    return library.find(name, arguments, has_target=has_target)


def _comprehension(node: Node, names: Names, compiler: Compiler) -> Step:
    _, name, container, arguments = node
    variables = [str(arguments[0][1])]
    if name in _OVER_TWO and len(arguments) > 2:
        if arguments[1][0] != "name":
            raise SyntaxError(f"{name} requires two names")
        variables.append(str(arguments[1][1]))
    *conditions, body = arguments[len(variables) :]
    inner = names.extended(*variables, is_dynamic=compiler.is_dynamic(container, names))
    target = compiler.node(container, names)
    names.bill.cost += comprehensions.RESULT
    if name == "all":
        return comprehensions.quantified(target, variables, compiler.part(body, inner, comprehensions.OF_ALL), decides=False)
    if name == "exists":
        return comprehensions.quantified(target, variables, compiler.part(body, inner, comprehensions.OF_EXISTS), decides=True)
    if name in ("existsOne", "exists_one"):
        names.bill.cost += 1
        return comprehensions.exactly_one(target, variables, compiler.part(body, inner))
    if name == "filter":
        return comprehensions.selected(target, variables[0], compiler.part(body, inner))
    condition = compiler.part(conditions[0], inner) if conditions else None
    if name in ("map", "transformList"):
        appended = comprehensions.APPENDED_CONSTANT if costs.is_constant(body) else comprehensions.APPENDED
        return comprehensions.mapped(target, variables, condition, compiler.part(body, inner, appended))
    from tjgen.cluster.validate.cel import macros  # few expressions use one

    if name == "sortBy":
        names.bill.cost += 2
        return macros.sorted_by(target, variables[0], compiler.part(body, inner, comprehensions.APPENDED))
    if name in ("transformMap", "transformMapEntry"):
        is_entry = name == "transformMapEntry"
        result = compiler.part(body, inner, comprehensions.INSERTED + (not is_entry))
        return macros.into_map(target, variables, condition, result, is_entry=is_entry)
    # The macro reads the optional value twice: whether it is present, and what it is.
    is_flat = name == "optFlatMap"
    result = compiler.part(body, inner, 1 + (not is_flat))
    return macros.of_optional(target, compiler.part(container, names), variables[0], result, is_flat=is_flat)


# What CEL's own functions do with texts.
#
# Mirrors github.com/google/cel-go `common/types/string.go`, with patterns in Go's syntax.


def _size(value: Any) -> int:
    """`size(value)`: characters of a string, elements of a list or map."""
    if value.__class__ not in (str, list, dict, bytes):
        raise overload()
    return len(value)


def _matches(text: Any, pattern: Any) -> bool:
    """`text.matches(pattern)`: found anywhere in the text."""
    _texts(text, pattern)
    try:
        return search(pattern)(text)
    except PatternError as problem:
        raise CelError(f"error parsing regexp: {problem}") from None


def _starts_with(text: Any, prefix: Any) -> bool:
    """`text.startsWith(prefix)`."""
    _texts(text, prefix)
    return bool(text.startswith(prefix))


def _ends_with(text: Any, suffix: Any) -> bool:
    """`text.endsWith(suffix)`."""
    _texts(text, suffix)
    return bool(text.endswith(suffix))


def _holds(text: Any, part: Any) -> bool:
    """`text.contains(part)`."""
    _texts(text, part)
    return part in text


def _texts(left: Any, right: Any) -> None:
    if left.__class__ is not str or right.__class__ is not str:
        raise overload()


_FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("size", 1): _size,
    ("matches", 2): _matches,
    ("startsWith", 2): _starts_with,
    ("endsWith", 2): _ends_with,
    ("contains", 2): _holds,
}
