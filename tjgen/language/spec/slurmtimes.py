"""A time as Slurm writes it (`1-00:00:00`, `12:30:00`) -> a duration of the language."""

from __future__ import annotations

import re

from tjgen.trees.fields.path import Tree

_TIME = re.compile(r"(?:([0-9]+)-)?([0-9]+)(?::([0-9]+))?(?::([0-9]+))?")


def duration_of(value: Tree) -> str | None:
    """The duration for a time as Slurm writes it, such as 1-00:00:00 or 12:30:00; None for other values."""
    matched = _TIME.fullmatch(value) if value.__class__ is str else None
    if matched is None or not (matched[1] or matched[3]):
        return None
    days, parts = int(matched[1] or 0), [int(part) for part in matched.groups()[1:] if part is not None]
    if matched[1] or len(parts) == 3:
        hours, minutes, seconds = (*parts, 0, 0)[:3]
    else:
        hours, (minutes, seconds) = 0, parts
    return _duration(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _duration(seconds: int) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
