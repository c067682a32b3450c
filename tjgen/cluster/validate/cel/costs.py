"""An operator or a function and its arguments -> what the API server charges for the call.

Mirrors github.com/google/cel-go 0.26 `interpreter/runtimecost.go:costCall`, `ext/lists.go` and `ext/sets.go`, and
k8s.io/apiserver 0.36 `pkg/cel/library/cost.go:CallCost`. A function without a row costs 1. Calls are charged before the
types of their arguments are looked at, so that arguments can be of any type.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.validate.cel.meter import Meter, weight
from tjgen.cluster.validate.cel.syntax import Node
from tjgen.cluster.validate.cel.values import MOST_CHARACTERS, Optional, bounded
from tjgen.trees.typing import Any

LIST = 10
"""A list that is not constant."""
MAP = 30
_TRAVERSAL, _PATTERN = 0.1, 0.25
_SIZED = (str, list, dict, bytes)

Cost = Callable[..., int]


def size(value: Any) -> int:
    """The characters of a text, the elements of a list or map, the bytes of an address; 1 for all else (`actualSize`)."""
    while value.__class__ is Optional:
        value = value.item
    if value.__class__ in _SIZED:
        return len(value)
    network = getattr(value, "network", None)
    return len(getattr(value, "packed", "1")) if network is None else (int(network.prefixlen) + 7) // 8


def _traversed(length: int, times: int = 1) -> int:
    return _up(length * times * _TRAVERSAL)


def _up(number: float) -> int:
    whole = int(number)
    return whole + (number > whole)


def of_sum(left: Any, right: Any) -> int:
    """`left + right`."""
    return _traversed(size(left) + size(right)) if left.__class__ in (str, bytes) else 1


def of_bytes(value: Any) -> int:
    """`bytes(text)` and `string(bytes)`."""
    return _traversed(len(value)) if value.__class__ in (str, bytes) else 1


def of_equality(left: Any, right: Any) -> int:
    """`left == right`."""
    if left.__class__ not in _SIZED and _is_of_library(left):
        return 1
    return _traversed(min(size(left), size(right)))


def of_order(left: Any, right: Any) -> int:
    """`left < right`."""
    return _traversed(min(size(left), size(right))) if left.__class__ in (str, bytes) else 1


def of_membership(left: Any, right: Any) -> int:
    """`left in right`."""
    return len(right) if right.__class__ is list else 1


def _is_of_library(value: Any) -> bool:
    """Whether a value is a quantity, an address, a URL or a version, whose comparison costs 1."""
    return isinstance(value, tuple) or hasattr(value, "packed") or hasattr(value, "is_whole")


def _one_traversal(text: Any, *_: Any) -> int:
    return _traversed(size(text))


def _two_traversals(text: Any, *_: Any) -> int:
    return _traversed(size(text), 2)


def _pattern(text: Any, pattern: Any, *_: Any) -> int:
    return _traversed(1 + size(text)) * _up(size(pattern) * _PATTERN)


def _part(text: Any, part: Any) -> int:
    return _traversed(size(text)) * _traversed(size(part))


def _whole(value: Any, *_: Any) -> int:
    """All texts and elements at all depths (`traversalCost`)."""
    cost, stack = 0, [value]
    while stack:
        one = stack.pop()
        kind = one.__class__
        if kind is str:
            cost += int(len(one.encode(errors="surrogatepass")) * _TRAVERSAL)
        elif kind is bytes:
            cost += int(len(one) * _TRAVERSAL)
        elif kind is list:
            stack += one
        elif kind is dict:
            stack += one
            stack += one.values()
        else:
            cost += 1
    return cost


def _joined(parts: Any, separator: Any = "") -> int:
    if parts.__class__ is not list:
        return 1
    return _traversed(sum(map(size, parts)) + size(separator) * max(len(parts) - 1, 0), 2)


def _within(network: Any, other: Any) -> int:
    return _traversed(2 * size(network)) + (_traversed(len(other)) if other.__class__ is str else 0)


def _networks(network: Any, other: Any) -> int:
    return _within(network, other) + _traversed(size(network)) + 1


def _allocated(length: int, factor: float = 1) -> int:
    return int(length * factor) + 1 + LIST


def _sliced(items: Any, start: Any, end: Any) -> int:
    return _allocated(max(end - start, 0) if start.__class__ is int and end.__class__ is int else 0)


def _counted(count: Any) -> int:
    return _allocated(max(count, 0) if count.__class__ is int else 0)


def _flat(items: Any, depth: Any = 1) -> int:
    return _allocated(size(items), max(depth, 0) if depth.__class__ is int else 1)


def of_comparisons(items: Any, *_: Any) -> int:
    """Each element with each other one: `distinct`, `sort`."""
    length = size(items)
    has_texts = items.__class__ is list and length > 0 and items[0].__class__ in (str, bytes)
    return _allocated(length * length, 2 + _TRAVERSAL * has_texts)


def _sets(factor: int) -> Cost:
    return lambda left, right: 1 + size(left) * size(right) * factor


_CALLS: dict[str, Cost] = {
    **dict.fromkeys(("startsWith", "endsWith", "format", "strings.quote"), _one_traversal),
    **dict.fromkeys(("url", "lowerAscii", "upperAscii", "substring", "trim"), _one_traversal),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"), _one_traversal),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), _two_traversals),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _whole),
    **dict.fromkeys(("matches", "find", "findAll"), _pattern),
    "contains": _part,
    "containsCIDR": _networks,
    "containsIP": _within,
    "distinct": of_comparisons,
    "flatten": _flat,
    "join": _joined,
    "lists.range": _counted,
    "reverse": lambda items: _allocated(size(items)),
    "sets.contains": _sets(1),
    "sets.equivalent": _sets(2),
    "sets.intersects": _sets(1),
    "slice": _sliced,
    "sort": of_comparisons,
}
_OF_METHOD = {"ip": 1}
"""Methods with the name of a function that costs more."""
CONVERSIONS = frozenset(("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"))
"""Functions that the server calls once, when it compiles them with a constant."""
_COMPARED = ("distinct", "sets.contains", "sets.equivalent", "sets.intersects", "indexOf", "lastIndexOf", "flatten", "format")
_PAIRWISE = ("distinct", "sets.contains", "sets.equivalent", "sets.intersects")


def of_call(name: str, *, is_method: bool) -> Cost | int:
    """The cost of a call: a number, or a function of the arguments."""
    return _OF_METHOD[name] if is_method and name in _OF_METHOD else _CALLS.get(name, 1)


def compares(name: str) -> bool:
    """Whether a function goes through its arguments at all depths."""
    return name in _COMPARED


def compare(name: str, meter: Meter, arguments: list[Any]) -> None:
    """Count what such a function goes through: in some, each element of one argument is compared with each of the other."""
    first, *others = arguments
    other = first if name == "distinct" else others[0] if others else None
    meter.compare(first, times=size(other) if name in _PAIRWISE else 1)
    if name == "format":
        bounded("", weight(other, MOST_CHARACTERS, characters=1))


def is_constant(node: Node) -> bool:
    """Whether the server computes a value when it compiles an expression (`interpreter/decorators.go:decOptimize`)."""
    stack = [node]
    while stack:
        one = stack.pop()
        if one[0] == "list":
            stack += one[1]
        elif one[0] == "map":
            stack += [item for pair in one[1] for item in pair]
        elif one[0] == "call" and one[2] is None and one[1] in CONVERSIONS and len(one[3]) == 1:
            stack += one[3]
        elif one[0] != "literal":
            return False
    return True
