"""Marks with places -> SVG: text that is cut where it would not fit, boxes, dots, and many equal squares as one path."""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.tools.report.markup import escape

_SIGN = 7.3
"""Width of a sign of the fixed-width type in 12 pixels, as the widest of those that are named has it."""
_LETTER = 6.6
"""Width of most letters of the other type; wide ones make up for narrow ones."""


_SHORT = {"mono": "m", "soft": "s", "small": "x", "head": "h", "end": "e", "caption": "c"}
"""Classes of text as picture.css names them: a page has thousands of them."""


class Canvas:
    """A drawing that grows downwards."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.y = 0.0
        """Where the next thing goes."""
        self._marks: list[str] = []

    def text(self, x: float, words: str, classes: str = "", *, max_width: float | None = None, tail: bool = False) -> None:
        """A line of text at the current height; cut to `max_width` pixels, with all of it as a title. `tail` keeps the end."""
        if not words:
            return
        width = _SIGN if "mono" in classes else _LETTER
        if "small" in classes:
            width *= 11 / 12
        most = int((self.width - x if max_width is None else max_width) / width)
        cut = words if len(words) <= most else "…" + words[-most + 1 :] if tail else words[: most - 1] + "…"
        title = f"<title>{escape(words)}</title>" if cut != words else ""
        named = f' class="{" ".join(_SHORT.get(word, word) for word in classes.split())}"' if classes else ""
        self._marks.append(f'<text x="{_n(x)}" y="{_n(self.y)}"{named}>{escape(cut)}{title}</text>')

    def box(self, x: float, y: float, width: float, height: float, name: str, *, radius: int = 4) -> None:
        """A rectangle with round corners."""
        place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
        self._marks.append(f'<rect {place} rx="{radius}" class="{name}"/>')

    def squares(self, places: Iterable[tuple[float, float]], width: float, height: float, name: str) -> None:
        """Equal rectangles."""
        drawn = "".join(f"M{_n(x)} {_n(y)}h{_n(width)}v{_n(height)}h-{_n(width)}z" for x, y in places)
        if drawn:
            self._marks.append(f'<path d="{drawn}" class="{name}"/>')

    def use(self, name: str, x: float, y: float) -> None:
        """A definition outside of the picture."""
        self._marks.append(f'<use href="#{name}" x="{_n(x)}" y="{_n(y)}"/>')

    def stroke(self, x: float, y: float, to_x: float, to_y: float) -> None:
        """A straight line."""
        self._marks.append(f'<path d="M{_n(x)} {_n(y)}L{_n(to_x)} {_n(to_y)}" class="line"/>')

    def rule(self, x: float, y: float, to_x: float) -> None:
        """The horizontal line of a bound."""
        self._marks.append(f'<path d="M{_n(x)} {_n(y)}H{_n(to_x)}" class="rule"/>')

    def dot(self, x: float, y: float) -> None:
        """A small circle."""
        self._marks.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="4" class="dot"/>')

    @property
    def drawn(self) -> int:
        """The current number of marks: a mark that is inserted there is drawn below all later ones."""
        return len(self._marks)

    def insert(self, at: int, other: Canvas) -> None:
        """Put the marks of another canvas under those that were drawn since `drawn` was `at`."""
        self._marks[at:at] = other._marks

    @property
    def marks(self) -> str:
        """All that was drawn."""
        return "".join(self._marks)


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
