"""A number and s, m, h or d, as fields of the language have it -> seconds."""

from __future__ import annotations

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 24 * 3600}


def seconds(text: str) -> int:
    """The seconds of a duration such as `90m`, which the schema has checked."""
    return int(text[:-1]) * SECONDS[text[-1]]
