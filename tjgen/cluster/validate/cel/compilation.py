"""The syntax tree of an expression -> a step: a function of the variables that returns the value and charges its cost.

Every node becomes a closure over the scope (variables by name). `&&`, `||`, `all` and `exists` absorb an error where another
operand decides alone, as github.com/google/cel-go `interpreter` does; the first error wins. The cost of each node is that of
cel-go 0.26 `interpreter/runtimecost.go`. What a part costs for all values is charged once, before the part is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.validate.cel import calls, comprehensions, costs, values
from tjgen.cluster.validate.cel.comprehensions import READS, Bill, Names, Scope, Step
from tjgen.cluster.validate.cel.meter import METER
from tjgen.cluster.validate.cel.syntax import Node
from tjgen.cluster.validate.cel.values import selected
from tjgen.trees.typing import Any

VARIABLES = "variables"
"""The name of the variables of a policy, each of which is evaluated when it is read."""
_OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], int] | None]] = {
    "==": (values.equal, costs.of_equality),
    "!=": (lambda left, right: not values.equal(left, right), costs.of_equality),
    "<": (values.less, costs.of_order),
    "<=": (values.at_most, costs.of_order),
    ">": (lambda left, right: values.less(right, left), costs.of_order),
    ">=": (lambda left, right: values.at_most(right, left), costs.of_order),
    "in": (values.contains, costs.of_membership),
    "+": (values.add, costs.of_sum),
    "-": (values.subtract, None),
    "*": (values.multiply, None),
    "/": (values.divide, None),
    "%": (values.remainder, None),
}
"""Operator -> what it does, and its cost; without a function, 1."""
_ESCAPES = {"__dot__": ".", "__dash__": "-", "__slash__": "/", "__underscores__": "__"}
_ATTRIBUTES = ("name", "field", "index", "optional", "if")
_NESTED = (list, dict, values.Optional)
_PRIMITIVES = (bool, int, float, str)


def compiled(tree: Node, names: Names) -> Step:
    """A function of the variables; raises SyntaxError for an unknown name or function."""
    return part(tree, names)


def part(node: Node, names: Names, extra: int = 0) -> Step:
    """The step of a node that is not always evaluated: it charges its own cost, and `extra`, each time."""
    own = names._replace(bill=Bill())
    step = _compiled(node, own)
    cost = own.bill.cost + extra
    if not cost:
        return step

    def charged(scope: Scope) -> Any:
        scope[METER].spend(cost)
        return step(scope)

    return charged


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
    names.bill.cost += 1
    return lambda scope: values.sound(scope[name])


def _is_variable(node: Node, names: Names) -> bool:
    """Whether a field is a variable of the policy."""
    return node[0] == "field" and node[1] == ("name", VARIABLES) and VARIABLES in names.known


def _declared(name: str, names: Names) -> None:
    if f"{VARIABLES}.{name}" not in names.known:
        raise SyntaxError(f"undefined field: {name} of variables")


def _field(node: Node, names: Names) -> Step:
    if _is_variable(node, names):
        variable = node[2]
        _declared(variable, names)
        names.bill.cost += 2
        return lambda scope: values.sound(scope[VARIABLES](variable))
    value, name = _container(node[1], names), _property(node[2])
    if names.is_recorded:
        return _recorded(value, lambda scope: name, values.field)
    return lambda scope: values.field(value(scope), name)


def _container(node: Node, names: Names) -> Step:
    """The step of what a field or an element is selected from."""
    names.bill.cost += 1 if node[0] in _ATTRIBUTES else 2
    return _compiled(node, names)


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
    return _selected(node, names, values.index)


def _optional(node: Node, names: Names) -> Step:
    return _selected(node, names, selected)


def _selected(node: Node, names: Names, read: Callable[[Any, Any], Any]) -> Step:
    value, key = _container(node[1], names), _compiled(node[2], names)
    names.bill.cost -= _is_read(node[2], names)
    if names.is_recorded:
        return _recorded(value, key, read)
    return lambda scope: read(value(scope), key(scope))


def _is_read(node: Node, names: Names) -> bool:
    """Whether a node only reads: as a key or as a branch of a condition, its name costs nothing."""
    return node[0] in _ATTRIBUTES and node[0] != "if" and not (node[0] == "name" and node[1] not in names.known)


def _list(node: Node, names: Names) -> Step:
    names.bill.cost += 0 if costs.is_constant(node) else costs.LIST
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
    names.bill.cost += 0 if costs.is_constant(node) else costs.MAP
    pairs = [
        (_compiled(key, names), value[0] == "maybe", _compiled(value[1] if value[0] == "maybe" else value, names))
        for key, value in node[1]
    ]

    def step(scope: Scope) -> Any:
        result = {}
        for key, is_maybe, value in pairs:
            name = values.map_key(key(scope))
            entry = _optional_entry(value(scope), is_maybe, f"entry '{name}'")
            if entry.is_present:
                result[name] = entry.item
        return result

    return step


def _not(node: Node, names: Names) -> Step:
    names.bill.cost += 1
    value = _compiled(node[1], names)
    return lambda scope: not values.truth(value(scope))


def _minus(node: Node, names: Names) -> Step:
    names.bill.cost += 1
    value = _compiled(node[1], names)
    return lambda scope: values.negate(value(scope))


def _if(node: Node, names: Names) -> Step:
    condition = _compiled(node[1], names)
    yes, no = (part(branch, names, -int(_is_read(branch, names))) for branch in node[2:])
    return lambda scope: yes(scope) if values.truth(condition(scope)) else no(scope)


def _logic(node: Node, names: Names) -> Step:
    _, operator, (first, *others) = node
    terms = [_compiled(first, names), *[part(term, names) for term in others]]
    decides = operator == "||"
    return lambda scope: comprehensions.decided(terms, scope, decides)


def _binary(node: Node, names: Names) -> Step:
    _, operator, left, right = node
    first, second = _compiled(left, names), _compiled(right, names)
    function, cost = _OPERATORS[operator]
    is_open = is_dynamic(right, names) and (operator == "in" or is_dynamic(left, names))
    if operator == "in" and right[0] == "list" and costs.is_constant(right) and all(_is_primitive(item) for item in right[1]):
        return lambda scope: function(first(scope), second(scope))
    if cost is None or (is_open and operator not in ("==", "!=")):
        # The server selects the function when it evaluates the expression, so that it does not charge sizes.
        names.bill.cost += 1
        cost = None
    is_deep = operator in ("==", "!=", "in")

    def step(scope: Scope) -> Any:
        one, other = first(scope), second(scope)
        if cost is not None:
            scope[METER].spend(cost(one, other))
        if is_deep and one.__class__ in _NESTED:
            scope[METER].compare(other)
        return function(one, other)

    return step


def _is_primitive(node: Node) -> bool:
    return node[0] == "literal" and node[1].__class__ in _PRIMITIVES


def is_dynamic(node: Node, names: Names) -> bool:
    """Whether the server learns the type of a node only when it evaluates the expression."""
    while node[0] in ("field", "index", "optional"):
        if _is_variable(node, names):
            return f"{VARIABLES}.{node[2]}" in names.dynamic
        node = node[1]
    if node[0] == "name":
        return node[1] in names.dynamic
    return node[0] == "call" and node[1:3] == ("dyn", None)


def _call(node: Node, names: Names) -> Step:
    _, name, target, arguments = node
    if name == "has" and target is None and len(arguments) == 1 and arguments[0][0] == "field":
        return _presence(arguments[0], names)
    return calls.compiled(node, names, calls.Compiler(_compiled, part, is_dynamic))


def _presence(node: Node, names: Names) -> Step:
    if _is_variable(node, names):
        _declared(node[2], names)
        names.bill.cost += 1
        return lambda scope: True
    value, field = _container(node[1], names), _property(node[2])
    names.bill.cost -= 1
    if names.is_recorded:
        return _recorded(value, lambda scope: field, values.has)
    return lambda scope: values.has(value(scope), field)


_COMPILERS: dict[str, Callable[[Node, Names], Step]] = {
    "literal": _literal,
    "name": _name,
    "field": _field,
    "index": _index,
    "optional": _optional,
    "list": _list,
    "map": _map,
    "not": _not,
    "minus": _minus,
    "if": _if,
    "logic": _logic,
    "binary": _binary,
    "call": _call,
}
