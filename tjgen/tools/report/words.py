"""Numbers and amounts -> the words that people read."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 run`, `3 runs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
