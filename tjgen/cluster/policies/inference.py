"""The syntax tree of an expression -> its type, or why the API server refuses the expression when a policy is created.

Mirrors the checker of github.com/google/cel-go 0.26 with the declarations of k8s.io/apiserver 0.36 `pkg/admission/plugin/cel`:
objects and parameters are dynamic. UNKNOWN is a type that is not worked out here; it fits everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.cluster.policies.declarations import (
    BOOL,
    DECLARED,
    DYN,
    INT,
    LIBRARIES,
    LIST,
    LITERALS,
    MAP,
    NUMBERS,
    OF_STRINGS,
    ORDERED,
    PLAIN,
    PREDICATES,
    RESULTS,
    STRING,
    SUMS,
    UNKNOWN,
)
from tjgen.cluster.schema.pattern_escapes import PatternError, UnavailableError
from tjgen.cluster.schema.patterns import search
from tjgen.cluster.validate.cel.compilation import VARIABLES
from tjgen.cluster.validate.cel.syntax import Node
from tjgen.cluster.validate.cel.times import duration, timestamp
from tjgen.cluster.validate.cel.values import CelError
from tjgen.trees.typing import Any

_MIXED = " elements of several types"
"""A key of a scope in which literals can have elements of several types. No variable has this name."""
_READERS = {"duration": (duration, "invalid duration argument"), "timestamp": (timestamp, "invalid timestamp argument")}


def result_of(tree: Node, variables: Mapping[str, Any]) -> str:
    """The name of the type of an expression; raises SyntaxError. `variables` are the types of those of the policy."""
    return _name(_type(tree, {**DECLARED, **{f"variables.{name}": of for name, of in variables.items()}}))


def misfit(result: str, expected: Sequence[str]) -> str:
    """Why a result has a type that the server refuses; empty if it accepts the type."""
    if result == UNKNOWN or result in expected:
        return ""
    return f"must evaluate to {' or '.join(expected)} but got {result}"


def _type(node: Node, scope: Mapping[str, Any]) -> Any:
    kind = node[0]
    if kind == "literal":
        return LITERALS.get(node[1].__class__, UNKNOWN)
    if kind == "name":
        return scope.get(node[1], UNKNOWN)
    if kind == "field":
        if node[1] == ("name", VARIABLES):
            return scope.get(f"{VARIABLES}.{node[2]}", UNKNOWN)
        return _field(_type(node[1], scope), node[2])
    if kind in ("index", "optional"):
        container = _type(node[1], scope)
        _type(node[2], scope)
        return DYN if kind == "index" and container == DYN else UNKNOWN
    if kind == "list":
        return _elements([_type(one, scope) for one in node[1]], LIST, scope)
    if kind == "map":
        _elements([_type(key, scope) for key, _ in node[1]], MAP, scope)
        return _elements([_type(value, scope) for _, value in node[1]], MAP, scope)
    if kind == "not":
        return _fits("!_", [_type(node[1], scope)], (BOOL,), BOOL)
    if kind == "minus":
        return _signed(_type(node[1], scope))
    if kind == "maybe":
        _type(node[1], scope)
        return UNKNOWN
    if kind == "logic":
        types = [_type(term, scope) for term in node[2]]
        return _fits(f"_{node[1]}_", types, (BOOL,) * len(types), BOOL)
    if kind == "binary":
        return _binary(node[1], _type(node[2], scope), _type(node[3], scope))
    if kind == "if":
        return _chosen([_type(one, scope) for one in node[1:]])
    return _call(node, scope) if kind == "call" else UNKNOWN


def _field(container: Any, name: str) -> Any:
    if container.__class__ is dict:
        if name not in container:
            raise SyntaxError(f"undefined field '{name}'")
        return container[name]
    return DYN if container == DYN else UNKNOWN


def _elements(types: Sequence[Any], container: str, scope: Mapping[str, Any]) -> str:
    """The elements of a literal have one type, except arguments of `format` and dynamic ones."""
    if _MIXED in scope:
        return container
    known = [_name(one) for one in types if _name(one) in PLAIN]
    other = next((one for one in known if one != known[0]), None)
    if other is not None:
        raise SyntaxError(f"expected type '{known[0]}' but found '{other}'")
    return container


def _signed(operand: Any) -> Any:
    if _is_open(operand) or operand in (INT, "double"):
        return operand
    raise _overload("-_", [operand])


def _binary(operator: str, left: Any, right: Any) -> Any:
    name = f"_{operator}_" if operator != "in" else "@in"
    if operator in ("==", "!="):
        return BOOL if _is_comparable(left, right) else _refuse(name, left, right)
    if operator == "in":
        return BOOL if _is_open(right) or right in (LIST, MAP) else _refuse(name, left, right)
    if operator in ("<", "<=", ">", ">="):
        is_numeric = all(_is_open(one) or one in NUMBERS for one in (left, right))
        is_one = any(all(_is_open(one) or one == each for one in (left, right)) for each in ORDERED)
        return BOOL if is_numeric or is_one else _refuse(name, left, right)
    if UNKNOWN in (_name(left), _name(right)):
        return UNKNOWN
    results = {
        result for one, other, result in SUMS[operator] if (_is_open(left) or left == one) and (_is_open(right) or right == other)
    }
    if not results:
        return _refuse(name, left, right)
    return results.pop() if len(results) == 1 else DYN


def _is_comparable(left: Any, right: Any) -> bool:
    one, other = _name(left), _name(right)
    if "null" in (one, other):
        return not {one, other} & {BOOL, *NUMBERS, STRING, "bytes"}
    return one == other or not (one in PLAIN and other in PLAIN)


def _chosen(types: Sequence[Any]) -> Any:
    condition, yes, no = types
    if _name(condition) not in (BOOL, DYN, UNKNOWN) or not _is_comparable(yes, no):
        raise _overload("_?_:_", types)
    if UNKNOWN in (_name(yes), _name(no)):
        return UNKNOWN
    return yes if yes == no else DYN


def _call(node: Node, scope: Mapping[str, Any]) -> Any:
    _, name, target, arguments = node
    if name in PREDICATES or (target is not None and name in ("map", "filter")):
        return _comprehended(node, scope)
    if target is not None and target[0] == "name" and target[1] in LIBRARIES:
        return UNKNOWN
    if target is not None and name not in OF_STRINGS and name not in ("reverse", "format", "size", "join"):
        return RESULTS.get(name, UNKNOWN)  # a macro, or a function of another library
    if name == "has":
        return BOOL
    if name == "format":
        scope = {**scope, _MIXED: BOOL}
    types = [_type(one, scope) for one in arguments]
    if target is None:
        if name in _READERS and arguments and arguments[0][0] == "literal" and arguments[0][1].__class__ is str:
            reader, words = _READERS[name]
            try:
                reader(arguments[0][1])
            except CelError:
                raise SyntaxError(words) from None
        return RESULTS.get(name, UNKNOWN)
    return _method(name, _type(target, scope), target, arguments, types)


def _method(name: str, receiver: Any, target: Node, arguments: Sequence[Node], types: Sequence[Any]) -> Any:
    if name in OF_STRINGS:
        result, expected = OF_STRINGS[name]
        fitting = all(_is_open(one) or one == wanted for one, wanted in zip(types, expected, strict=False))
        if not fitting or not (_is_open(receiver) or receiver == STRING):
            raise _method_overload(name, receiver, types)
        if name == "matches" and arguments[0][0] == "literal":
            _check_pattern(str(arguments[0][1]))
        return result
    if name == "reverse" and not (_is_open(receiver) or receiver == LIST):
        raise _method_overload(name, receiver, types)
    if name == "format" and target[0] == "literal" and arguments[0][0] == "list":
        _check_format(str(target[1]), arguments[0][1])
    return {"reverse": LIST, "format": STRING}.get(name) or RESULTS.get(name, UNKNOWN)


def _comprehended(node: Node, scope: Mapping[str, Any]) -> Any:
    """The type of a comprehension over one variable; those over two are not worked out."""
    _, name, target, arguments = node
    container = _type(target, scope)
    if not (_is_open(container) or container in (LIST, MAP)):
        raise SyntaxError(
            f"expression of type '{_name(container)}' cannot be range of a comprehension (must be list, map, or dynamic)"
        )
    if len(arguments) == 2 and arguments[0][0] == "name":
        body = _type(arguments[1], {**scope, arguments[0][1]: DYN if container == DYN else UNKNOWN})
        if name != "map" and _name(body) not in (BOOL, DYN, UNKNOWN):
            raise SyntaxError(f"expected type 'bool' but found '{_name(body)}'")
    return LIST if name in ("map", "filter") else BOOL


def _check_pattern(pattern: str) -> None:
    try:
        search(pattern)
    except UnavailableError:
        return
    except PatternError:
        raise SyntaxError("invalid matches argument") from None


def _check_format(text: str, items: Sequence[Node]) -> None:
    clauses = [text[at + 1 :].lstrip("0123456789.")[:1] for at in _clauses(text)]
    if len(items) > len(clauses):
        raise SyntaxError(f"too many arguments supplied to string.format (expected {len(clauses)}, got {len(items)})")
    if len(items) < len(clauses):
        raise SyntaxError(f"error during formatting: index {len(items)} out of range")
    for clause, item in zip(clauses, items, strict=True):
        if clause == "d" and item[0] == "literal" and item[1].__class__ is str:
            raise SyntaxError("error during formatting: decimal clause can only be used on integers, was given string")


def _clauses(text: str) -> Iterable[int]:
    position = text.find("%")
    while position >= 0:
        if text[position + 1 : position + 2] != "%":
            yield position
            position += 1
        else:
            position += 2
        position = text.find("%", position)


def _fits(name: str, types: Sequence[Any], expected: Sequence[str], result: str) -> str:
    if all(_is_open(one) or one == wanted for one, wanted in zip(types, expected, strict=True)):
        return result
    raise _overload(name, types)


def _is_open(one: Any) -> bool:
    return one.__class__ is str and one in (DYN, UNKNOWN)


def _name(one: Any) -> str:
    return one if one.__class__ is str else "object"


def _refuse(name: str, *types: Any) -> str:
    raise _overload(name, types)


def _overload(name: str, types: Sequence[Any]) -> SyntaxError:
    return SyntaxError(f"found no matching overload for '{name}' applied to '({', '.join(map(_name, types))})'")


def _method_overload(name: str, receiver: Any, types: Sequence[Any]) -> SyntaxError:
    words = f"{_name(receiver)}.({', '.join(map(_name, types))})"
    return SyntaxError(f"found no matching overload for '{name}' applied to '{words}'")
