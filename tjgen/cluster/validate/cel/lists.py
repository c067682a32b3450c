"""Functions of lists in rules, and of semantic versions.

Mirrors github.com/google/cel-go `ext/lists.go` (version 3), and k8s.io/apiserver 0.36 `pkg/cel/library/semverlib.go`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cmp_to_key

from tjgen.cluster.validate.cel import values
from tjgen.cluster.validate.cel.values import NONE, CelError, Optional, of, overload, typed
from tjgen.trees.typing import Any, NamedTuple

_LONGEST_RANGE = 1_000_000


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
    for key in items if keys is None else keys:
        if key.__class__ in (list, dict):
            raise CelError("list elements must be comparable")
        if key.__class__ is not (items if keys is None else keys)[0].__class__:
            raise CelError("list elements must have the same type")
    pairs: list[tuple[Any, Any]] = list(zip(items if keys is None else keys, items, strict=True))

    def compare(left: tuple[Any, Any], right: tuple[Any, Any]) -> int:
        return _compare(left[0], right[0])

    return [item for _, item in sorted(pairs, key=cmp_to_key(compare))]


def _flatten(items: Any, depth: Any = 1) -> list[Any]:
    if depth < 0:
        raise CelError("level must be non-negative")
    result: list[Any] = []
    for item in items:
        result += _flatten(item, depth - 1) if item.__class__ is list and depth else [item]
        values.bounded(result, len(result))
    return result


def _slice(items: Any, start: Any, end: Any) -> list[Any]:
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


_NOT_NUMBER, _NOT_WORD = re.compile(r"[^0-9]"), re.compile(r"[^0-9A-Za-z-]")


def _semver(text: Any, normalize: Any = False) -> SemanticVersion:
    if text.__class__ is not str:
        raise overload()
    if normalize:
        text = _normalized(text)
    if not text:
        raise CelError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) < 3:
        raise CelError("No Major.Minor.Patch elements found")
    rest, plus, build = parts[2].partition("+")
    patch, hyphen, before = rest.partition("-")
    major, minor = _version_number(parts[0], "major"), _version_number(parts[1], "minor")
    patch_number = _version_number(patch, "patch")
    labels = tuple(before.split(".")) if hyphen else ()
    for label in labels:
        if not label:
            raise CelError("Prerelease is empty")
        if not _NOT_NUMBER.search(label) and label[0] == "0" and label != "0":
            raise CelError(f'Numeric PreRelease version must not contain leading zeroes "{label}"')
        if _NOT_WORD.search(label):
            raise CelError(f'Invalid character(s) found in prerelease "{label}"')
    for label in build.split(".") if plus else ():
        if not label:
            raise CelError("Build meta data is empty")
        if _NOT_WORD.search(label):
            raise CelError(f'Invalid character(s) found in build meta data "{label}"')
    return SemanticVersion(major, minor, patch_number, labels)


def _version_number(text: str, name: str) -> int:
    if _NOT_NUMBER.search(text):
        raise CelError(f'Invalid character(s) found in {name} number "{text}"')
    if len(text) > 1 and text[0] == "0":
        raise CelError(f'{name.capitalize()} number must not contain leading zeroes "{text}"')
    if not text:
        raise CelError('strconv.ParseUint: parsing "": invalid syntax')
    return int(text)


def _normalized(text: str) -> str:
    """The version without a "v" and zeros in front, and with three numbers."""
    parts = text.removeprefix("v").split(".", 2)
    for position, part in enumerate(parts):
        stripped = part.lstrip("0")
        if len(part) > 1:
            parts[position] = stripped if stripped[:1].isdigit() else f"0{stripped}"
    if len(parts) < 3 and set(parts[-1]) & {"+", "-"}:
        raise CelError("short version cannot contain PreRelease/Build meta data")
    return ".".join((*parts, *["0"] * (3 - len(parts))))


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
    ("flatten", 1): typed(_flatten, list),
    ("flatten", 2): typed(_flatten, list, int),
    ("last", 1): _end(-1),
    ("major", 1): _number("major"),
    ("minor", 1): _number("minor"),
    ("patch", 1): _number("patch"),
    ("reverse", 1): _reverse,
    ("slice", 3): typed(_slice, list, int, int),
    ("sort", 1): ordered,
}


def _range(count: Any) -> list[int]:
    """`lists.range`. Releases of cel-go before 0.29 have no limit; the servers with them use the memory of any list."""
    if count > _LONGEST_RANGE:
        raise CelError(f"lists.range: size {count} exceeds maximum allowed ({_LONGEST_RANGE})")
    return list(range(count))


NAMESPACED: dict[tuple[str, int], Callable[..., Any]] = {("lists.range", 1): typed(_range, int)}
