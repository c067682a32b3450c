"""What CEL's operators and functions do with values: plain trees in, plain values out, CelError where CEL has an error.

Mirrors github.com/google/cel-go `common/types`: no conversions, booleans are not numbers, integers have 64 bits. Numbers
of both kinds compare with each other, as in Kubernetes' environment (cross-type numeric comparisons).
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.validate.cel.types import GO_TYPES, Duration, Timestamp, Unsigned
from tjgen.trees.typing import Any

NO_OVERLOAD = "no such overload"
_LOWEST, _HIGHEST, _HIGHEST_UNSIGNED = -(2**63), 2**63 - 1, 2**64 - 1
_MISSING = object()


MOST_CHARACTERS, MOST_ELEMENTS = 10_000_000, 1_000_000
"""The most of one text, and of one list. The server cancels an expression that joins longer texts."""


class CelError(Exception):
    """An evaluation ends in an error, in cel-go's words."""


class CostLimitError(Exception):
    """An expression costs more than the API server evaluates. Unlike a CelError, no operand absorbs it."""


class Wrong:
    """A value of another type than that of its schema: an error for every expression that reads it."""

    __slots__ = ("words",)

    def __init__(self, words: str) -> None:
        self.words = words


class Optional:
    """A value that may be absent."""

    __slots__ = ("is_present", "item")

    def __init__(self, item: Any = None, *, is_present: bool = False) -> None:
        self.item = item
        self.is_present = is_present

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Optional) and (self.is_present, self.item) == (other.is_present, other.item)

    __hash__ = None  # type: ignore[assignment]  # a value of a rule is not a key


NONE = Optional()


_ORDERED = (str, bool, bytes, Duration, Timestamp)
_NUMBERS = (int, float, Unsigned)
_NO_INDEX: dict[type, str] = {str: "string", bool: "bool", type(None): "null_type"}
_ADDED = (int, float, str, list, bytes, Unsigned, Duration)


def sound(value: Any) -> Any:
    """The value; raises CelError for one that is Wrong."""
    if value.__class__ is Wrong:
        raise CelError(value.words)
    return value


def overload() -> CelError:
    """Return the error of an operation on unsupported values."""
    return CelError(NO_OVERLOAD)


def typed(function: Callable[..., Any], *kinds: type) -> Callable[..., Any]:
    """The function, with an error for arguments of other types than its overload has."""

    def checked(*arguments: Any) -> Any:
        for argument, kind in zip(arguments, kinds, strict=False):
            if argument.__class__ is not kind:
                raise overload()
        return function(*arguments)

    return checked


def of(item: Any) -> Optional:
    """`optional.of(item)`."""
    return Optional(item, is_present=True)


def selected(value: Any, key: Any) -> Optional:
    """`value.?key` and `value[?key]`, also of an optional."""
    if isinstance(value, Optional):
        return selected(value.item, key) if value.is_present else NONE
    if value.__class__ is dict:
        return of(value[key]) if contains(key, value) else NONE
    if value.__class__ is list and key.__class__ is int:
        return of(value[key]) if 0 <= key < len(value) else NONE
    raise overload()


def field(value: Any, name: str) -> Any:
    """`value.name`."""
    if value.__class__ is not dict:
        if value.__class__ is Optional:
            return selected(value, name)
        if value.__class__ is list:
            raise CelError("unsupported index type 'string' in list")
        raise CelError(f"no such key: {name}")
    member = value.get(name, _MISSING) if _can_be_key(name) else _MISSING
    if member is _MISSING:
        raise CelError(f"no such key: {name}")
    return sound(member)


def has(value: Any, name: str) -> bool:
    """`has(value.name)`."""
    if value.__class__ is list:
        raise CelError("unsupported index type 'string' in list")
    if value.__class__ is not dict or name not in value:
        return False
    sound(value[name])
    return True


def index(value: Any, key: Any) -> Any:
    """`value[key]`."""
    if value.__class__ is list:
        if key.__class__ in _NO_INDEX:
            raise CelError(f"unsupported index type '{_NO_INDEX[key.__class__]}' in list")
        if key.__class__ is not int:
            if key.__class__ not in _NUMBERS:
                raise overload()
            is_whole = key.__class__ is not float or key.is_integer()
            raise CelError(f"unsupported index: {int(key)}" if is_whole else f"unsupported index value {key} in list")
        if not 0 <= key < len(value):
            raise CelError(f"index out of bounds: {key}")
        return sound(value[key])
    return field(value, key)


def equal(left: Any, right: Any) -> bool:
    """`left == right`: by value, at any depth; values of different types are just not equal."""
    kind = left.__class__
    if kind is Wrong or right.__class__ is Wrong:
        sound(left)
        sound(right)
    if kind is list:
        return right.__class__ is list and len(left) == len(right) and all(map(equal, left, right))
    if kind is dict:
        return (
            right.__class__ is dict and left.keys() == right.keys() and all(equal(item, right[key]) for key, item in left.items())
        )
    other = right.__class__
    if kind is bool or other is bool:
        return left is right
    if kind is not other and not (kind in _NUMBERS and other in _NUMBERS):
        return False
    return bool(left == right)


def contains(item: Any, container: Any) -> bool:
    """`item in container`: a list's element, a map's key."""
    if container.__class__ is dict:
        return _can_be_key(item) and item in container
    if container.__class__ is not list:
        raise overload()
    return any(equal(item, other) for other in container)


def less(left: Any, right: Any) -> bool:
    """`left < right`."""
    _comparable(left, right)
    return bool(left < right)


def at_most(left: Any, right: Any) -> bool:
    """`left <= right`."""
    _comparable(left, right)
    return bool(left <= right)


def _comparable(left: Any, right: Any) -> None:
    kind, other = left.__class__, right.__class__
    if not ((kind in _NUMBERS and other in _NUMBERS) or (kind is other and kind in _ORDERED)):
        raise overload()


def add(left: Any, right: Any) -> Any:
    """`left + right`: numbers, strings, lists."""
    kind, other = left.__class__, right.__class__
    if {kind, other} == {Timestamp, Duration}:
        return Timestamp.at(int(left) + int(right), (left if kind is Timestamp else right).offset)
    if kind is not other or kind not in _ADDED:
        raise overload()
    if kind in (str, bytes, list):
        bounded(left, len(left) + len(right))
    return _fits(left + right, kind)


def subtract(left: Any, right: Any) -> Any:
    """`left - right`."""
    kind, other = left.__class__, right.__class__
    if kind in (Timestamp, Duration):
        if kind is other:
            return Duration(int(left) - int(right))
        if other is Duration:
            return Timestamp.at(int(left) - int(right), left.offset)
        raise overload()
    _numbers(left, right)
    return _fits(left - right, kind)


def multiply(left: Any, right: Any) -> Any:
    """`left * right`."""
    _numbers(left, right)
    return _fits(left * right, left.__class__)


def divide(left: Any, right: Any) -> Any:
    """`left / right`: integers are cut towards zero."""
    _numbers(left, right)
    if left.__class__ is float:
        if right == 0:
            return float("nan") if left == 0 else float("inf") * (1 if (left > 0) == (str(right)[0] != "-") else -1)
        return left / right
    if right == 0:
        raise CelError("division by zero")
    quotient = abs(left) // abs(right)
    return _fits(quotient if (left < 0) == (right < 0) else -quotient, left.__class__)


def remainder(left: Any, right: Any) -> Any:
    """`left % right`: of integers, with the sign of the left one."""
    _numbers(left, right)
    if left.__class__ is float:
        raise overload()
    if right == 0:
        raise CelError("modulus by zero")
    rest = abs(left) % abs(right)
    return _fits(-rest if left < 0 else rest, left.__class__)


def negate(value: Any) -> Any:
    """`-value`."""
    if value.__class__ not in (int, float, Duration):
        raise overload()
    return _fits(-value, value.__class__)


def bounded(value: Any, length: int) -> None:
    """Raises CostLimitError for a length that a text or a list, as `value` is one, cannot have."""
    if length > (MOST_ELEMENTS if value.__class__ is list else MOST_CHARACTERS):
        raise CostLimitError


def _numbers(left: Any, right: Any) -> None:
    if left.__class__ is not right.__class__ or left.__class__ not in _NUMBERS:
        raise overload()


def _fits(value: Any, kind: type) -> Any:
    """The result as a value of the operands' type."""
    if kind is Unsigned:
        if not 0 <= value <= _HIGHEST_UNSIGNED:
            raise CelError("unsigned integer overflow")
        return Unsigned(value)
    if kind is Duration:
        return Duration(value)
    if value.__class__ is int and not _LOWEST <= value <= _HIGHEST:
        raise CelError("integer overflow")
    return value


def _can_be_key(value: Any) -> bool:
    return value.__class__ not in (list, dict, Optional)


def map_key(value: Any) -> Any:
    """A key of a map; raises CelError for a value that cannot be one."""
    if not _can_be_key(value):
        raise CelError("unsupported key type")
    return value


def truth(value: Any) -> bool:
    """A boolean where one is needed."""
    if value.__class__ is not bool:
        raise overload()
    return bool(value)


def elements(value: Any) -> Any:
    """What a comprehension goes over: a list's elements, a map's keys."""
    if value.__class__ not in (list, dict):
        raise CelError(f"got '{GO_TYPES.get(value.__class__, value.__class__.__name__)}', expected iterable type")
    return value
