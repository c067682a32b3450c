"""Samples -> figures with what they are compared with, and a table of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, log, nan
from typing import NamedTuple


class Figure(NamedTuple):
    """One line of the table. `goal` is the most that `value` may be, None where it is only shown."""

    name: str
    value: float
    """Not a number if a command failed."""
    unit: str
    note: str = ""
    goal: float | None = None
    failure: str = ""
    """The command that failed, with its messages."""

    @property
    def verdict(self) -> str:
        if isnan(self.value):
            return "failed"
        if self.goal is None:
            return ""
        return "met" if self.value <= self.goal else "missed"


class Part(NamedTuple):
    """A table under a title."""

    title: str
    figures: Sequence[Figure]


def failed_part(title: str, failure: str) -> Part:
    """The table of a part whose input could not be prepared."""
    return Part(title, [Figure("preparation", nan, "", failure=failure)])


def exponent(costs: Mapping[int, float]) -> float:
    """The k for which cost grows as size to the k: the slope of the least squares line through the logarithms."""
    points = [(log(size), log(cost)) for size, cost in costs.items()]
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / sum((x - middle_x) ** 2 for x, _ in points)


def render(parts: Sequence[Part]) -> str:
    """The tables as text, columns aligned."""
    rows = [row for part in parts for row in map(_cells, part.figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines: list[str] = []
    for part in parts:
        lines += ["", part.title]
        for figure in part.figures:
            name, value, unit, goal, verdict, note = _cells(figure)
            cells = [name.ljust(widths[0]), value.rjust(widths[1]), unit.ljust(widths[2])]
            cells += [goal.ljust(widths[3]), verdict.ljust(widths[4]), note]
            lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines[1:]) + "\n"


def _cells(figure: Figure) -> tuple[str, ...]:
    goal = "" if figure.goal is None else f"<= {_number(figure.goal)}"
    return figure.name, _number(figure.value), figure.unit, goal, figure.verdict, figure.note


def _number(value: float) -> str:
    if isnan(value):
        return "-"
    return (
        f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"
    )
