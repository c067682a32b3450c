"""The text of a CEL rule -> a function of its variables that returns whether the rule holds.

Every node of the syntax tree becomes a closure over the scope (variables by name). `&&`, `||`, `all` and `exists` absorb
an error where another operand decides alone, as github.com/google/cel-go `interpreter` does; the first error wins.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.validate.cel import comprehensions, values
from tjgen.cluster.validate.cel.comprehensions import READS, Names, Scope, Step
from tjgen.cluster.validate.cel.parser import Node, parse
from tjgen.cluster.validate.cel.values import selected
from tjgen.trees.typing import Any

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": values.equal,
    "!=": lambda left, right: not values.equal(left, right),
    "<": values.less,
    "<=": values.at_most,
    ">": lambda left, right: values.less(right, left),
    ">=": lambda left, right: values.at_most(right, left),
    "in": values.contains,
    "+": values.add,
    "-": values.subtract,
    "*": values.multiply,
    "/": values.divide,
    "%": values.remainder,
}
_FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("size", 1): values.size,
    ("matches", 2): values.matches,
    ("startsWith", 2): values.starts_with,
    ("endsWith", 2): values.ends_with,
    ("contains", 2): values.holds,
}
_WITHOUT_TARGET = ("size", "matches")
_ESCAPES = {"__dot__": ".", "__dash__": "-", "__slash__": "/", "__underscores__": "__"}

_programs: dict[str, CelProgram] = {}


class CelProgram:
    """A compiled expression about a value. `is_transition` is true if it reads the old value."""

    __slots__ = ("_step", "is_transition")

    def __init__(self, text: str) -> None:
        tree = parse(text)
        self._step = _compiled(tree, _OF_RULES)
        self.is_transition = "oldSelf" in names_in(tree)

    def holds(self, value: Any, old: Any = None) -> bool:
        """Return whether the rule holds for `value`; raise CelError if it cannot be evaluated."""
        return values.truth(self.run(value, old))

    def run(self, value: Any, old: Any = None) -> Any:
        """What the expression gives; raises CelError where it gives nothing."""
        return self._step({"self": value, "oldSelf": old})


_OF_RULES = Names(frozenset(("self", "oldSelf")))


def program(text: str) -> CelProgram:
    """Return the program of a rule, compiled once; raise SyntaxError for unsupported CEL."""
    known = _programs.get(text)
    if known is None:
        known = _programs[text] = CelProgram(text)
    return known


def names_in(node: Any) -> set[str]:
    """All names in a syntax tree, those that its functions bring among them."""
    if isinstance(node, tuple) and node and node[0] == "name":
        return {node[1]}
    if isinstance(node, (tuple, list)):
        return set().union(*map(names_in, node))
    return set()


def compiled(tree: Node, names: Names) -> Step:
    """A function of the variables; raises SyntaxError for an unknown name or function."""
    return _compiled(tree, names)


def _compiled(node: Node, names: Names) -> Step:
    return _COMPILERS[node[0]](node, names)


def _literal(node: Node, names: Names) -> Step:
    value = node[1]
    return lambda scope: value


def _name(node: Node, names: Names) -> Step:
    name = node[1]
    if name not in names.known:
        from tjgen.cluster.validate.cel.conversions import TYPE_NAMES  # few expressions name a type

        if name not in TYPE_NAMES:
            raise SyntaxError(f"undeclared: {name}")
        return lambda scope: TYPE_NAMES[name]
    return lambda scope: values.sound(scope[name])


def _variable(node: Node, names: Names) -> Step:
    """A variable of a policy, which is evaluated when it is read."""
    name = node[1]
    if f"variables.{name}" not in names.known:
        raise SyntaxError(f"undefined field: {name} of variables")
    return lambda scope: values.sound(scope["variables"](name))


def _field(node: Node, names: Names) -> Step:
    value, name = _compiled(node[1], names), _property(node[2])
    if names.is_recorded:
        return _recorded(value, lambda scope: name, values.field)
    return lambda scope: values.field(value(scope), name)


def _recorded(value: Step, key: Step, read: Callable[[Any, Any], Any]) -> Step:
    """The step that adds what it reads to the reads of the scope."""

    def step(scope: Scope) -> Any:
        container, name = value(scope), key(scope)
        plain = container.item if isinstance(container, values.Optional) else container
        scope[READS].append((plain, name))
        return read(container, name)

    return step


def _property(name: str) -> str:
    """Return the property of an escaped name (k8s.io/apiserver `pkg/cel/escaping.go`)."""
    for escaped, text in _ESCAPES.items():
        name = name.replace(escaped, text)
    return name[2:-2] if name.startswith("__") and name.endswith("__") and len(name) > 4 else name


def _index(node: Node, names: Names) -> Step:
    value, key = _compiled(node[1], names), _compiled(node[2], names)
    if names.is_recorded:
        return _recorded(value, key, values.index)
    return lambda scope: values.index(value(scope), key(scope))


def _optional(node: Node, names: Names) -> Step:
    value, key = _compiled(node[1], names), _compiled(node[2], names)
    if names.is_recorded:
        return _recorded(value, key, selected)
    return lambda scope: selected(value(scope), key(scope))


def _list(node: Node, names: Names) -> Step:
    if any(item[0] == "maybe" for item in node[1]):
        maybe = [(item[0] == "maybe", _compiled(item[1] if item[0] == "maybe" else item, names)) for item in node[1]]
        return lambda scope: [
            entry.item for is_maybe, item in maybe if (entry := _optional_entry(item(scope), is_maybe)).is_present
        ]
    items = [_compiled(item, names) for item in node[1]]
    return lambda scope: [item(scope) for item in items]


def _optional_entry(value: Any, is_maybe: bool, entry: str = "list element") -> values.Optional:
    """The value of an entry that may be absent."""
    if not is_maybe:
        return values.of(value)
    if not isinstance(value, values.Optional):
        raise values.CelError(f"cannot initialize optional {entry} from non-optional value {value}")
    return value


def _map(node: Node, names: Names) -> Step:
    pairs = [
        (_compiled(key, names), value[0] == "maybe", _compiled(value[1] if value[0] == "maybe" else value, names))
        for key, value in node[1]
    ]

    def step(scope: Scope) -> Any:
        result = {}
        for key, is_maybe, value in pairs:
            name = key(scope)
            entry = _optional_entry(value(scope), is_maybe, f"entry '{name}'")
            if entry.is_present:
                result[name] = entry.item
        return result

    return step


def _not(node: Node, names: Names) -> Step:
    value = _compiled(node[1], names)
    return lambda scope: not values.truth(value(scope))


def _minus(node: Node, names: Names) -> Step:
    value = _compiled(node[1], names)
    return lambda scope: values.negate(value(scope))


def _if(node: Node, names: Names) -> Step:
    condition, yes, no = (_compiled(part, names) for part in node[1:])
    return lambda scope: yes(scope) if values.truth(condition(scope)) else no(scope)


def _binary(node: Node, names: Names) -> Step:
    _, operator, left, right = node
    first, second = _compiled(left, names), _compiled(right, names)
    if operator in ("&&", "||"):
        decides = operator == "||"
        return lambda scope: comprehensions.decided(((first, scope), (second, scope)), decides)
    function = _OPERATORS[operator]
    return lambda scope: function(first(scope), second(scope))


def _call(node: Node, names: Names) -> Step:
    _, name, target, arguments = node
    if name == "has" and target is None and len(arguments) == 1 and arguments[0][0] == "field":
        value, field = _compiled(arguments[0][1], names), _property(arguments[0][2])
        if names.is_recorded:
            return _recorded(value, lambda scope: field, values.has)
        return lambda scope: values.has(value(scope), field)
    if target is not None and name in comprehensions.MACROS and len(arguments) == 2 and arguments[0][0] == "name":
        variable = arguments[0][1]
        return comprehensions.MACROS[name](_compiled(target, names), variable, _compiled(arguments[1], names.extended(variable)))
    if target is not None and (name, len(arguments)) in _RARE_MACROS and arguments[0][0] == "name":
        from tjgen.cluster.validate.cel import macros

        return macros.compiled(name, _compiled(target, names), arguments, names, compile_node=_compiled)
    if target is not None and target[0] == "name" and target[1] not in names.known:
        from tjgen.cluster.validate.cel import library

        name, target = f"{target[1]}.{name}", None
        function = library.namespaced(name, len(arguments))
    else:
        function = _function(name, len(arguments) + (target is not None), has_target=target is not None)
    steps = [_compiled(argument, names) for argument in ([target, *arguments] if target is not None else arguments)]
    if function is None:
        raise SyntaxError(f"unknown function: {name} with {len(arguments)} arguments")
    return lambda scope: function(*[step(scope) for step in steps])


def _function(name: str, arguments: int, *, has_target: bool) -> Callable[..., Any] | None:
    known = _FUNCTIONS.get((name, arguments))
    if known is not None and (has_target or name in _WITHOUT_TARGET):
        return known
    from tjgen.cluster.validate.cel import library  # no rule of a schema that tjgen brings needs it

    return library.find(name, arguments, has_target=has_target)


_RARE_MACROS = frozenset(
    (
        *(("all", 3), ("exists", 3), ("existsOne", 2), ("existsOne", 3), ("exists_one", 3), ("map", 3)),
        *(("optFlatMap", 2), ("optMap", 2), ("sortBy", 2)),
        *(("transformList", 3), ("transformList", 4), ("transformMap", 3), ("transformMap", 4)),
        *(("transformMapEntry", 3), ("transformMapEntry", 4)),
    )
)
"""Names and numbers of arguments."""
_COMPILERS: dict[str, Callable[[Node, Names], Step]] = {
    "literal": _literal,
    "name": _name,
    "field": _field,
    "index": _index,
    "optional": _optional,
    "list": _list,
    "map": _map,
    "variable": _variable,
    "not": _not,
    "minus": _minus,
    "if": _if,
    "binary": _binary,
    "call": _call,
}
