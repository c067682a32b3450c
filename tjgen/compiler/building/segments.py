"""The text of an experiment -> fixed segments, and the opaque texts between them.

A text with the same fixed segments is the same experiment with other opaque texts. It need not be parsed as YAML if YAML reads
each text between the segments as it is written there.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.building.shapes import NAME, UNIT, Constants, is_opaque, longest_name, opaque_pieces, opaque_scalars
from tjgen.language.spec.forms import text
from tjgen.language.spec.opaque import SIZE
from tjgen.trees import regex
from tjgen.trees.source import core, segments
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

_UNQUOTED = regex.compile(r"-?[A-Za-z0-9_.][A-Za-z0-9_./+-]*")
"""Scalars that need no quotes in any place. YAML may read one as a number, a boolean or null."""
_QUOTES = ("'", '"')


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


class ExperimentSegments(segments.Segments):
    """The segments of a text with one experiment."""

    __slots__ = ()

    @staticmethod
    def of(document: Document) -> ExperimentSegments | None:
        """The segments of a file with one experiment; None for a file with aliases."""
        whole = document.text
        if any(sign in whole for sign in segments.SEVERAL):
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
        return ExperimentSegments.split(whole, sorted(places))

    def accepts(self, texts: Sequence[str], constants: Constants) -> bool:
        """Whether each text can be where it is."""
        return all(opening.accepts(one, constants) for opening, one in zip(self.openings, texts, strict=True))

    def bounds(self, number: int, texts: Sequence[str]) -> tuple[int, int]:
        """Where the scalar at an opening begins and ends, if these texts are at the openings."""
        start = self.start(number, texts)
        quote = len(self.openings[number].quote)
        return start - quote, start + len(texts[number]) + quote

    def unit(self, number: int) -> str:
        """The unit after an opening of a size; empty for another opening."""
        after = regex.match(UNIT, self.fixed[number + 1])
        return after.group() if after is not None and self.openings[number].form == SIZE else ""
