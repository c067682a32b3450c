"""Rows of boxes and arrows, described in TOML -> pictures as SVG, in the light or dark colors that the reader's system prefers.

A file in docs/pictures has a `title`, `[[row]]` tables with a `label` and `boxes`, and `[[arrow]]` tables. A box has a
`name`, which arrows refer to, and lines of text. An arrow goes `from` one box `to` another, and may have a
`text`. Sizes are in pixels.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from tests.checkout import list_entries

PICTURES = Path(__file__).parent.parent / "pictures"

WIDTH = 900
_MARGIN, _GAP, _NARROW, _PADDING = 12, 14, 8, 10
_LABEL, _LINE, _BETWEEN = 20, 17, 44
_LETTER = 7.3
_STYLE = """<style>
.row { fill: #f3f6fa; stroke: #c3ccd6 } .box { fill: #ffffff; stroke: #5b6b7c } text { fill: #1b2733 }
.label, .note { fill: #51606f } .arrow { stroke: #33658a; fill: none } .head { fill: #33658a }
@media (prefers-color-scheme: dark) {
.row { fill: #1d242c; stroke: #3a4652 } .box { fill: #11161b; stroke: #8796a8 } text { fill: #e6edf3 }
.label, .note { fill: #a9b6c3 } .arrow { stroke: #79b8e0 } .head { fill: #79b8e0 }
}
</style>"""


class Box(NamedTuple):
    """A box: its first line is its heading, further lines are notes."""

    name: str
    lines: Sequence[str]


class Row(NamedTuple):
    """Boxes side by side, with a label above them."""

    label: str
    boxes: Sequence[Box]


class Arrow(NamedTuple):
    """An arrow from the bottom of one box to the top of another; between boxes of one row from side to side."""

    start: str
    end: str
    text: str = ""


class _Place(NamedTuple):
    left: float
    top: float
    width: float
    height: float


def pictures() -> dict[Path, str]:
    """Path of each SVG in docs/pictures -> its text, made from the TOML file of the same name."""
    return {path.with_suffix(".svg"): described(path) for path in list_entries(PICTURES, "*.toml")}


def described(path: Path) -> str:
    """The SVG that a TOML file describes. Raises KeyError where an arrow names no box."""
    picture: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = [Row(row["label"], [Box(box["name"], box["lines"]) for box in row["boxes"]]) for row in picture["row"]]
    arrows = [Arrow(arrow["from"], arrow["to"], arrow.get("text", "")) for arrow in picture.get("arrow", [])]
    return svg(picture["title"], rows, arrows)


def svg(title: str, rows: Sequence[Row], arrows: Sequence[Arrow] = ()) -> str:
    """A picture of `rows` from top to bottom, with `arrows` between their boxes."""
    parts: list[str] = []
    places: dict[str, _Place] = {}
    between = _BETWEEN if arrows else _GAP
    top = float(_MARGIN)
    for row in (part for whole in rows for part in _parts(whole)):
        lines = max((len(box.lines) for box in row.boxes), default=0)
        height = _LABEL + (lines * _LINE + 2 * _PADDING if lines else 0) + _PADDING
        parts.append(_rect("row", _Place(_MARGIN, top, WIDTH - 2 * _MARGIN, height)))
        parts.append(
            f'<text class="label" x="{_MARGIN + _PADDING}" y="{top + 15:.0f}" font-weight="bold">{escape(row.label)}</text>'
        )
        parts += _boxes(row.boxes, top + _LABEL, lines, places)
        top += height + between
    for arrow in arrows:
        parts += _arrow(places[arrow.start], places[arrow.end], arrow.text)
    bottom = top - between + _MARGIN
    head = (
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path class="head" d="M0 0L8 4L0 8z"/></marker>'
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom:.0f}" font-family="monospace" font-size="12">',
            f"<title>{escape(title)}</title>",
            _STYLE,
            f"<defs>{head}</defs>",
            *parts,
            "</svg>\n",
        ]
    )


def _parts(row: Row) -> Iterator[Row]:
    """A row of boxes with one line each, in as many rows as its boxes need; other rows stay as they are."""
    boxes: list[Box] = []
    label, width = row.label, 0.0
    for box in row.boxes:
        width += len(box.lines[0]) * _LETTER + 2 * _PADDING + _NARROW
        if len(box.lines) == 1 and boxes and width > WIDTH - 2 * (_MARGIN + _PADDING):
            yield Row(label, boxes)
            boxes, label, width = [], f"{row.label} (continued)", len(box.lines[0]) * _LETTER + 2 * _PADDING + _NARROW
        boxes.append(box)
    yield Row(label, boxes)


def _boxes(boxes: Sequence[Box], top: float, lines: int, places: dict[str, _Place]) -> Iterator[str]:
    widths = [max(len(line) for line in box.lines) * _LETTER + 2 * _PADDING for box in boxes]
    free = WIDTH - 2 * (_MARGIN + _PADDING) - sum(widths)
    gap = min(free / max(len(boxes), 1), 120) if lines > 1 else _NARROW
    left = _MARGIN + _PADDING + (max(0, (free - gap * (len(boxes) - 1)) / 2) if lines > 1 else 0)
    for box, width in zip(boxes, widths, strict=True):
        place = _Place(left, top, width, lines * _LINE + 2 * _PADDING - 4)
        places[box.name] = place
        yield _rect("box", place)
        for number, line in enumerate(box.lines):
            style = ' font-weight="bold"' if number == 0 and lines > 1 else ' class="note"' if number else ""
            yield f'<text{style} x="{left + _PADDING:.0f}" y="{top + _PADDING + 11 + number * _LINE:.0f}">{escape(line)}</text>'
        left += width + gap


def _arrow(start: _Place, end: _Place, text: str) -> Iterator[str]:
    if start.top == end.top:
        y = start.top + start.height / 2
        points = (start.left + start.width, y, end.left, y) if start.left < end.left else (start.left, y, end.left + end.width, y)
        if start.left > end.left:  # back: below the line of the way there
            points = (points[0], y + 14, points[2], y + 14)
    else:
        points = (start.left + start.width / 2, start.top + start.height, end.left + end.width / 2, end.top)
    x1, y1, x2, y2 = points
    yield f'<path class="arrow" marker-end="url(#head)" d="M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}"/>'
    if text:
        is_flat = y1 == y2
        below = -6 if x1 < x2 else 12  # the free space to the right of a sloping line is above or below its middle
        x, y = ((x1 + x2) / 2, y1 - 6) if is_flat else ((x1 + x2) / 2 + 10, (y1 + y2) / 2 + below)
        anchor = ' text-anchor="middle"' if is_flat else ""
        yield f'<text class="note" x="{x:.0f}" y="{y:.0f}"{anchor}>{escape(text)}</text>'


def _rect(kind: str, place: _Place) -> str:
    return (
        f'<rect class="{kind}" x="{place.left:.0f}" y="{place.top:.0f}" width="{place.width:.0f}" '
        f'height="{place.height:.0f}" rx="5"/>'
    )
