"""The text of an experiment -> fixed segments, and the opaque texts between them.

A text with the same fixed segments is the same experiment with other opaque texts. It need not be parsed as YAML if YAML reads
each text between the segments as it is written there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tjgen.compiler.building.shapes import NAME, UNIT, Constants, is_opaque, longest_name, opaque_pieces, opaque_scalars
from tjgen.language.spec.forms import text
from tjgen.language.spec.opaque import SIZE
from tjgen.trees import regex
from tjgen.trees.source import core
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

_UNQUOTED = regex.compile(r"-?[A-Za-z0-9_.][A-Za-z0-9_./+-]*")
"""Scalars that need no quotes in any place. YAML may read one as a number, a boolean or null."""
_QUOTES = ("'", '"')
_SEVERAL = ("&", "*", "<<")
"""Signs of aliases and merge keys, with which one text may be the value of several fields."""


class Opening(NamedTuple):
    """The place of an opaque text between two segments."""

    form: str
    """How the text may look, as in `OPAQUE`."""
    quote: str
    """The quotes around the scalar, if it has some."""
    is_whole: bool
    """Whether it is a whole scalar."""
    is_integer: bool
    """Whether the scalar is an integer, not a string."""

    def accepts(self, piece: str, constants: Constants) -> bool:
        """Whether the text can be here."""
        if not is_opaque(piece, self.form, constants):
            return False
        if self.quote:
            return self.quote not in piece and "\\" not in piece
        if not self.is_whole:
            return True
        value = core.DIALECT.plain[piece]
        if self.is_integer:
            return value.__class__ is int and str(value) == piece
        return value.__class__ is str and _UNQUOTED.fullmatch(piece) is not None

    def mark(self, number: int, like: str) -> str:
        """A text for this opening that no file has. A mark of a name is as long as any name of the shape of `like`."""
        if self.form == NAME:
            return f"mq{number:04}".ljust(longest_name(like) - 1, "q") + "z"
        return f"mq{number:04}z" if self.is_whole and not self.quote and not self.is_integer else f"7{number:04}8"


class Segments(NamedTuple):
    """The segments of a text."""

    fixed: tuple[str, ...]
    """One more than there are openings."""
    openings: tuple[Opening, ...]

    @staticmethod
    def of(document: Document) -> Segments | None:
        """The segments of a file with one experiment; None for a file with aliases."""
        whole = document.text
        if any(sign in whole for sign in _SEVERAL):
            return None
        places: list[tuple[int, int, Opening]] = []
        for path, form, value in opaque_scalars(document.value):
            bounds = document.bounds(path)
            if bounds is None or value.__class__ not in (str, int):
                continue
            start, end = bounds
            quote = whole[start] if whole[start] in _QUOTES else ""
            start, end = start + len(quote), end - len(quote)
            if whole[start:end] != text(value):
                continue
            pieces = opaque_pieces(whole[start:end], form)
            is_whole = pieces == ["", whole[start:end], ""]
            for place, piece in enumerate(pieces):
                if place % 2:
                    places.append((start, start + len(piece), Opening(form, quote, is_whole, value.__class__ is int)))
                start += len(piece)
        places.sort()
        ends = [0, *[end for _, end, _ in places]]
        starts = [*[start for start, _, _ in places], len(whole)]
        fixed = tuple([whole[end:start] for end, start in zip(ends, starts, strict=True)])
        return Segments(fixed, tuple([opening for _, _, opening in places])) if all(fixed[:-1]) else None

    def texts(self, content: str) -> list[str] | None:
        """The texts between the segments of `content`; None if it has other segments."""
        fixed = self.fixed
        last = len(content) - len(fixed[-1])
        start = len(fixed[0])
        if not content.startswith(fixed[0]) or not content.endswith(fixed[-1]):
            return None
        texts = []
        for segment in fixed[1:-1]:
            end = content.find(segment, start, last)
            if end <= start:
                return None
            texts.append(content[start:end])
            start = end + len(segment)
        texts.append(content[start:last])
        return texts if start < last else None

    def accepts(self, texts: Sequence[str], constants: Constants) -> bool:
        """Whether each text can be where it is."""
        return all(opening.accepts(one, constants) for opening, one in zip(self.openings, texts, strict=True))

    def filled(self, texts: Sequence[str]) -> str:
        """The text with these texts between the segments."""
        parts = [self.fixed[0]]
        for one, segment in zip(texts, self.fixed[1:], strict=True):
            parts += (one, segment)
        return "".join(parts)

    def bounds(self, number: int, texts: Sequence[str]) -> tuple[int, int]:
        """Where the scalar at an opening begins and ends, if these texts are at the openings."""
        start = sum(map(len, self.fixed[: number + 1])) + sum(map(len, texts[:number]))
        quote = len(self.openings[number].quote)
        return start - quote, start + len(texts[number]) + quote

    def unit(self, number: int) -> str:
        """The unit after an opening of a size; empty for another opening."""
        after = regex.match(UNIT, self.fixed[number + 1])
        return after.group() if after is not None and self.openings[number].form == SIZE else ""

    def without(self, numbers: Collection[int], texts: Sequence[str]) -> Segments:
        """The same without these openings: their texts, of `texts`, become part of the segments."""
        fixed, openings = [self.fixed[0]], []
        for number, opening in enumerate(self.openings):
            if number in numbers:
                fixed[-1] += texts[number] + self.fixed[number + 1]
            else:
                openings.append(opening)
                fixed.append(self.fixed[number + 1])
        return Segments(tuple(fixed), tuple(openings))
