"""Durations and timestamps in rules.

Mirrors github.com/google/cel-go `common/types` (duration.go, timestamp.go) with UTC as the time zone of methods.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from tjgen.cluster.validate.cel.types import Duration, Timestamp
from tjgen.cluster.validate.cel.values import CelError, overload
from tjgen.trees.typing import Any

_SECOND = 10**9
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": _SECOND, "m": 60 * _SECOND, "h": 3600 * _SECOND}
_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_LONGEST = 315_576_000_000 * _SECOND
_WRITTEN = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|([+-])(\d\d):(\d\d))")
_FIRST, _LAST = -62_135_596_800 * _SECOND, 253_402_300_800 * _SECOND - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _unconverted(kind: str) -> CelError:
    return CelError(f"type conversion error from 'string' to 'google.protobuf.{kind}'")


def duration(text: Any) -> Duration:
    """`duration(text)`, as Go's time.ParseDuration reads it."""
    if text.__class__ is Duration:
        return Duration(text)
    if text.__class__ is not str:
        raise overload()
    body = text[1:] if text[:1] in ("+", "-") else text
    if body == "0":
        return Duration(0)
    total, position = 0, 0
    while position < len(body):
        part = _PART.match(body, position)
        if part is None or not (part[1] or part[2]):
            raise _unconverted("Duration")
        unit = _UNITS[part[3]]
        fraction = part[2] or ""
        total += int(part[1] or 0) * unit + (int(fraction) * unit // 10 ** len(fraction) if fraction else 0)
        position = part.end()
    if not body or total > _LONGEST:
        raise _unconverted("Duration")
    return Duration(-total if text[0] == "-" else total)


def timestamp(value: Any) -> Timestamp:
    """`timestamp(value)`: RFC 3339, or seconds since 1970."""
    if value.__class__ is Timestamp:
        return Timestamp.at(value, value.offset)
    if value.__class__ is int:
        return _bounded(value * _SECOND)
    if value.__class__ is not str:
        raise overload()
    match = _WRITTEN.fullmatch(value)
    if match is None:
        raise _unconverted("Timestamp")
    try:
        moment = datetime(*(int(match[group]) for group in range(1, 7)), tzinfo=UTC)  # type: ignore[misc, arg-type]  # six numbers
    except ValueError:
        raise _unconverted("Timestamp") from None
    offset = 0 if match[8] == "Z" else (int(match[10]) * 60 + int(match[11])) * (-60 if match[9] == "-" else 60)
    since = moment - _EPOCH
    return _bounded((since.days * 86400 + since.seconds - offset) * _SECOND + int(f"{match[7] or 0:0<9}"[:9]), offset)


def _bounded(value: int, offset: int = 0) -> Timestamp:
    if not _FIRST <= value <= _LAST:
        raise CelError("timestamp overflow")
    return Timestamp.at(value, offset)


def _moment(value: int, offset: int = 0) -> datetime:
    return _EPOCH + timedelta(seconds=int(value) // _SECOND + offset)


def written(value: Any) -> str:
    """The text of a duration or timestamp, as `string(value)` gives it."""
    if value.__class__ is Duration:
        return f"{_decimal(value)}s"
    rest = int(value) % _SECOND
    fraction = f".{rest:09}".rstrip("0") if rest else ""
    sign, minutes = "-" if value.offset < 0 else "+", abs(value.offset) // 60
    zone = f"{sign}{minutes // 60:02}:{minutes % 60:02}" if minutes else "Z"
    return f"{_moment(value, value.offset).replace(tzinfo=None).isoformat(timespec='seconds')}{fraction}{zone}"


def _decimal(value: int) -> str:
    whole, rest = divmod(abs(value), _SECOND)
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}" + (f".{rest:09}".rstrip("0") if rest else "")


def _getter(of_time: Callable[[datetime], int] | None, unit: int) -> Callable[[Any], int]:
    """A method of timestamps, and of durations as a number of units."""

    def get(value: Any) -> int:
        if value.__class__ is Timestamp and of_time is not None:
            return of_time(_moment(value))
        if value.__class__ is Duration and unit:
            return abs(int(value)) // unit * (-1 if value < 0 else 1)
        raise overload()

    return get


def _milliseconds(value: Any) -> int:
    if value.__class__ is Timestamp:
        return int(value) % _SECOND // 10**6
    if value.__class__ is Duration:
        return abs(int(value)) // 10**6 * (-1 if value < 0 else 1)
    raise overload()


METHODS: dict[tuple[str, int], Callable[..., Any]] = {
    ("getDate", 1): _getter(lambda time: time.day, 0),
    ("getDayOfMonth", 1): _getter(lambda time: time.day - 1, 0),
    ("getDayOfWeek", 1): _getter(lambda time: time.isoweekday() % 7, 0),
    ("getDayOfYear", 1): _getter(lambda time: time.timetuple().tm_yday - 1, 0),
    ("getFullYear", 1): _getter(lambda time: time.year, 0),
    ("getHours", 1): _getter(lambda time: time.hour, _UNITS["h"]),
    ("getMilliseconds", 1): _milliseconds,
    ("getMinutes", 1): _getter(lambda time: time.minute, _UNITS["m"]),
    ("getMonth", 1): _getter(lambda time: time.month - 1, 0),
    ("getSeconds", 1): _getter(lambda time: time.second, _SECOND),
}
