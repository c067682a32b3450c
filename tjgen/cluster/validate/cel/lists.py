"""Functions of lists in rules, and of semantic versions.

Mirrors github.com/google/cel-go `ext/lists.go` (version 3), and k8s.io/apiserver 0.36 `pkg/cel/library/semverlib.go`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cmp_to_key

from tjgen.cluster.validate.cel import values
from tjgen.cluster.validate.cel.values import NONE, CelError, Optional, of, overload
from tjgen.trees.typing import Any, NamedTuple


def _distinct(items: Any) -> list[Any]:
    distinct: list[Any] = []
    for item in values.elements(items):
        if not any(values.equal(item, other) for other in distinct):
            distinct.append(item)
    return distinct


def _compare(left: Any, right: Any) -> int:
    return -1 if values.less(left, right) else int(values.less(right, left))


def ordered(items: Any, keys: Any = None) -> list[Any]:
    """`items.sort()`, or by the `keys` of the items."""
    if items.__class__ is not list:
        raise overload()
    pairs: list[tuple[Any, Any]] = list(zip(items if keys is None else keys, items, strict=True))

    def compare(left: tuple[Any, Any], right: tuple[Any, Any]) -> int:
        return _compare(left[0], right[0])

    return [item for _, item in sorted(pairs, key=cmp_to_key(compare))]


def _flatten(items: Any, depth: Any = 1) -> list[Any]:
    if items.__class__ is not list:
        raise overload()
    if depth < 0:
        raise CelError("level must be non-negative")
    result: list[Any] = []
    for item in items:
        result += _flatten(item, depth - 1) if item.__class__ is list and depth else [item]
    return result


def _slice(items: Any, start: Any, end: Any) -> list[Any]:
    if items.__class__ is not list:
        raise overload()
    if start < 0 or end < 0:
        raise CelError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise CelError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if end > len(items):
        raise CelError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return list(items[start:end])


def _reverse(items: Any) -> list[Any]:
    if items.__class__ is not list:
        raise overload()
    return items[::-1]


def _end(position: int) -> Callable[[Any], Optional]:
    def end(items: Any) -> Optional:
        if items.__class__ is not list:
            raise overload()
        return of(items[position]) if items else NONE

    return end


class SemanticVersion(NamedTuple):
    """A semantic version."""

    major: int
    minor: int
    patch: int
    before: tuple[str, ...] = ()


_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")


def _semver(text: Any, normalize: Any = False) -> SemanticVersion:
    if text.__class__ is not str:
        raise overload()
    if normalize:
        text = _normalized(text)
    if len(text.split(".", 2)) < 3:
        raise CelError("No Major.Minor.Patch elements found")
    match = _VERSION.fullmatch(text)
    if match is None:
        raise CelError(f'Invalid character(s) found in "{text}"')
    return SemanticVersion(int(match[1]), int(match[2]), int(match[3]), tuple((match[4] or "").split(".")) if match[4] else ())


def _normalized(text: str) -> str:
    core, mark, rest = text.removeprefix("v"), "", ""
    for sign in "+-":
        if sign in core:
            core, mark, rest = core.partition(sign)
    parts = [part.lstrip("0") or "0" for part in core.split(".")]
    return ".".join((*parts, *["0"] * (3 - len(parts)))) + mark + rest


def _is_semver(text: Any, normalize: Any = False) -> bool:
    try:
        _semver(text, normalize)
    except CelError as error:
        if str(error) == values.NO_OVERLOAD:
            raise
        return False
    return True


def compare_versions(left: SemanticVersion, right: Any) -> int:
    """-1, 0 or 1. Raises CelError if the other value is not a version."""
    if right.__class__ is not SemanticVersion:
        raise overload()
    if left[:3] != right[:3]:
        return -1 if left[:3] < right[:3] else 1
    if not (left.before and right.before):
        return bool(right.before) - bool(left.before)
    one, other = (tuple(_part(part) for part in side.before) for side in (left, right))
    return (one > other) - (one < other)


def _part(part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if part.isdigit() else (1, 0, part)


def _number(field: str) -> Callable[[Any], int]:
    def number(version: Any) -> int:
        if version.__class__ is not SemanticVersion:
            raise overload()
        return int(getattr(version, field))

    return number


GLOBALS: dict[tuple[str, int], Callable[..., Any]] = {
    ("isSemver", 1): _is_semver,
    ("isSemver", 2): _is_semver,
    ("semver", 1): _semver,
    ("semver", 2): _semver,
}
METHODS: dict[tuple[str, int], Callable[..., Any]] = {
    ("distinct", 1): _distinct,
    ("first", 1): _end(0),
    ("flatten", 1): _flatten,
    ("flatten", 2): _flatten,
    ("last", 1): _end(-1),
    ("major", 1): _number("major"),
    ("minor", 1): _number("minor"),
    ("patch", 1): _number("patch"),
    ("reverse", 1): _reverse,
    ("slice", 3): _slice,
    ("sort", 1): ordered,
}
NAMESPACED: dict[tuple[str, int], Callable[..., Any]] = {("lists.range", 1): lambda count: list(range(count))}
