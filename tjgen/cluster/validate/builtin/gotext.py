"""Texts that Go's own packages read -> their values, or what those packages have against them.

Mirrors Go 1.26 `strconv.Atoi` and `time.ParseDuration`.
"""

from __future__ import annotations

from tjgen.cluster.validate.wording import quote

_LARGEST = 2**63 - 1
_NANOSECONDS = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}


def atoi(text: str) -> int:
    """`strconv.Atoi`; the ValueError has its message."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"strconv.Atoi: parsing {quote(text)}: invalid syntax")
    value = int(text)
    if not -_LARGEST - 1 <= value <= _LARGEST:
        raise ValueError(f"strconv.Atoi: parsing {quote(text)}: value out of range")
    return value


def parse_duration(text: str) -> int:
    """`time.ParseDuration`: nanoseconds. The ValueError has its message."""
    is_negative, rest = text.startswith("-"), text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return 0
    total = 0
    while rest or not total:
        whole, rest = _digits(rest)
        fraction = ""
        if rest[:1] == ".":
            fraction, rest = _digits(rest[1:])
        if not whole and not fraction:
            raise ValueError(f"time: invalid duration {quote(text)}")
        unit = ""
        while rest and rest[0] not in ".0123456789":
            unit, rest = unit + rest[0], rest[1:]
        if not unit:
            raise ValueError(f"time: missing unit in duration {quote(text)}")
        if unit not in _NANOSECONDS:
            raise ValueError(f"time: unknown unit {quote(unit)} in duration {quote(text)}")
        total += int(f"{whole}{fraction}" or "0") * _NANOSECONDS[unit] // 10 ** len(fraction)
        if total > _LARGEST + is_negative:
            raise ValueError(f"time: invalid duration {quote(text)}")
        if not rest:
            break
    return -total if is_negative else total


def _digits(text: str) -> tuple[str, str]:
    rest = text.lstrip("0123456789")
    return text[: len(text) - len(rest)], rest
