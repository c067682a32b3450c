"""A requirement on releases such as `~= 0.1` and a release -> whether it is met."""

from __future__ import annotations

import re

_CLAUSE = re.compile(r"\s*(~=|==|!=|>=|<=|>|<)\s*([0-9]+(?:\.[0-9]+)*)\s*\Z")
_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)*")


def is_met(requirement: str, release: str) -> bool | None:
    """Whether `release` meets every clause of `requirement`; None where that is not a requirement.

    Clauses are those of Python's version specifiers, on plain numbers; `~= 0.1` means 0.1 or later, but before 1.
    """
    found = _RELEASE.match(release)
    assert found is not None, "our own release begins with a number"
    ours = _numbers(found[0])
    met = True
    for clause in requirement.split(","):
        match = _CLAUSE.match(clause)
        if match is None or (match[1] == "~=" and "." not in match[2]):
            return None
        met = met and _meets(ours, match[1], _numbers(match[2]))
    return met


def _meets(ours: tuple[int, ...], sign: str, wanted: tuple[int, ...]) -> bool:
    width = max(len(ours), len(wanted))
    left, right = _wide(ours, width), _wide(wanted, width)
    match sign:
        case "~=":
            return left >= right and ours[: len(wanted) - 1] == wanted[:-1]
        case "==":
            return left == right
        case "!=":
            return left != right
        case ">=":
            return left >= right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case _:
            return left < right


def _numbers(text: str) -> tuple[int, ...]:
    return tuple([int(part) for part in text.split(".")])


def _wide(numbers: tuple[int, ...], width: int) -> tuple[int, ...]:
    return numbers + (0,) * (width - len(numbers))
