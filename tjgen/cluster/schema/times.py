"""A text -> whether it is a date or a time, as the API server reads them.

Mirrors k8s.io/kube-openapi `validation/strfmt/time.go` and Go's `time.Parse` with RFC 3339.
"""

from __future__ import annotations

import re

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z")
_CLOCK = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})\Z")
_GO_TIME = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})T(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:[.,][0-9]+)?"
    r"(?:Z|[+-](?P<east>[0-9]{2}):(?P<down>[0-9]{2}))\Z"
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_date_time(text: str) -> bool:
    """An RFC 3339 time, read as loosely as k8s.io/kube-openapi does (`strfmt/time.go:IsDateTime`): any case, any offset."""
    parts = text.lower().split("t")
    if len(parts) < 2 or not is_date(parts[0]):
        return False
    clock = _CLOCK.match(parts[1])
    return clock is not None and clock[1] <= "23" and clock[2] <= "59" and clock[3] <= "59"


def is_go_time(text: str) -> bool:
    """A time that Go's time.Parse takes for RFC 3339: in upper case; an hour of one digit and a comma pass."""
    match = _GO_TIME.match(text)
    if match is None or not is_date(match["date"]):
        return False
    within = int(match["hour"]) <= 23 and int(match["minute"]) <= 59 and int(match["second"]) <= 59
    return within and int(match["east"] or 0) <= 24 and int(match["down"] or 0) <= 60


def is_date(text: str) -> bool:
    """A day that exists, as 2006-01-02."""
    match = _DATE.match(text)
    if match is None:
        return False
    year, month, day = (int(part) for part in match.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] + (leap and month == 2)
