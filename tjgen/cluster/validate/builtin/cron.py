"""A CronJob -> what the API server has against it.

Mirrors kubernetes 1.36 `pkg/apis/batch/validation` (ValidateCronJobCreate) and github.com/robfig/cron v3 (ParseStandard).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.schema import store
from tjgen.cluster.validate.builtin.gotext import atoi, parse_duration
from tjgen.cluster.validate.builtin.jobs import job_spec
from tjgen.cluster.validate.builtin.selectors import shown_selector
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import Any

_LONGEST_NAME = 52
_POLICIES = ("Allow", "Forbid", "Replace")
_COUNTS = ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
_NOT_NEGATIVE = "must be greater than or equal to 0"
_IN_ZONE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_+")
_LONGEST_ZONE_PART = 14
_EXPLICIT = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
_DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_MONTHS = ("", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: tuple[tuple[int, int, tuple[str, ...]], ...] = ((0, 59, ()), (0, 23, ()), (1, 31, ()), (1, 12, _MONTHS), (0, 6, _DAYS))
"""Least and greatest number and the names of minutes, hours, days, months and days of the week."""


def faults(cron: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateCronJobCreate` without metadata except the length of the name."""
    spec, at, name = cron.get("spec", {}), Place("spec", ("spec",)), generated(cron.get("metadata", {}))
    yield from _schedule(spec.get("schedule", ""), at.child("schedule"))
    for field in _COUNTS:
        if spec.get(field, 0) < 0:
            yield at.child(field).invalid(spec[field], _NOT_NEGATIVE)
    if "timeZone" in spec:
        yield from _time_zone(spec["timeZone"], at.child("timeZone"))
    policy = spec.get("concurrencyPolicy") or "Allow"
    if policy not in _POLICIES:
        yield at.child("concurrencyPolicy").not_supported(policy, _POLICIES)
    field_at = at.child("jobTemplate", "spec")
    job = spec.get("jobTemplate", {}).get("spec", {})
    yield from job_spec(job, field_at)
    if "selector" in job:
        yield field_at.child("selector").invalid(shown_selector(job["selector"]), "`selector` will be auto-generated")
    if job.get("manualSelector"):
        yield field_at.child("manualSelector").not_supported(True, ("nil", "false"))
    if len(name.encode()) > _LONGEST_NAME:
        field_at = Place("metadata.name", ("metadata", "name"))
        yield field_at.invalid(name, f"must be no more than {_LONGEST_NAME} characters")


def _time_zone(zone: str, at: Place) -> Iterator[Fault]:
    if not zone:
        yield at.invalid(zone, "timeZone must be nil or non-empty string")
    elif not all(map(_is_zone_part, zone.split("/"))):
        yield at.invalid(zone, f"unknown time zone {zone}")
    else:
        if zone.lower() == "local":
            yield at.invalid(zone, _EXPLICIT)
        problem = _location_problem(zone)
        if problem:
            yield at.invalid(zone, problem)


def _is_zone_part(part: str) -> bool:
    if part in (".", "..") or part.startswith("-"):
        return False
    return 0 < len(part) <= _LONGEST_ZONE_PART and _IN_ZONE.issuperset(part)


def _location_problem(name: str) -> str:
    """What `time.LoadLocation` has against a name."""
    if name in ("", "UTC", "Local"):
        return ""
    if ".." in name or name[0] in "/\\":
        return "time: invalid location name"
    return "" if name in store.listed("kubernetes", "timezones") else f"unknown time zone {name}"


def _schedule(schedule: str, at: Place) -> Iterator[Fault]:
    if not schedule:
        yield at.required()
        return
    try:
        _parse(schedule)
    except ValueError as problem:
        yield at.invalid(schedule, str(problem))
    if "TZ" in schedule:
        yield at.invalid(schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")


def _parse(schedule: str) -> None:
    """`cron.ParseStandard`; the ValueError has its message."""
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        zone, space, rest = schedule.partition("=")[2].partition(" ")
        if not space:
            raise ValueError("invalid schedule format: runtime error: slice bounds out of range [:-1]")
        problem = _location_problem(zone)
        if problem:
            raise ValueError(f"provided bad location {zone}: {problem}")
        schedule = rest.strip()
    if schedule.startswith("@"):
        _check_descriptor(schedule)
        return
    fields = schedule.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"expected exactly {len(_FIELDS)} fields, found {len(fields)}: [{' '.join(fields)}]")
    for text, (least, most, names) in zip(fields, _FIELDS, strict=True):
        for part in text.split(","):
            if part:
                _check_range(part, least, most, names)


def _check_descriptor(text: str) -> None:
    if text.startswith("@every "):
        try:
            parse_duration(text.removeprefix("@every "))
        except ValueError as problem:
            raise ValueError(f"failed to parse duration {text}: {problem}") from None
    elif text not in _DESCRIPTORS:
        raise ValueError(f"unrecognized descriptor: {text}")


def _check_range(text: str, least: int, most: int, names: tuple[str, ...]) -> None:
    bounds, *steps = text.split("/")
    first, *ends = bounds.split("-")
    if first in ("*", "?"):
        start, end = least, most
    else:
        start = end = _number(first, names)
        if len(ends) > 1:
            raise ValueError(f"too many hyphens: {text}")
        if ends:
            end = _number(ends[0], names)
    step = 1
    if len(steps) > 1:
        raise ValueError(f"too many slashes: {text}")
    if steps:
        step = _number(steps[0], ())
        end = end if ends else most
    if start < least:
        raise ValueError(f"beginning of range ({start}) below minimum ({least}): {text}")
    if end > most:
        raise ValueError(f"end of range ({end}) above maximum ({most}): {text}")
    if start > end:
        raise ValueError(f"beginning of range ({start}) beyond end of range ({end}): {text}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {text}")


def _number(text: str, names: tuple[str, ...]) -> int:
    if text and text.lower() in names:
        return names.index(text.lower())
    try:
        number = atoi(text)
    except ValueError as problem:
        raise ValueError(f"failed to parse int from {text}: {problem}") from None
    if number < 0:
        raise ValueError(f"negative number ({number}) not allowed: {text}")
    return number
