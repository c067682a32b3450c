"""A text -> fixed segments, and the texts of openings between them.

Documents often differ only in a few texts. One with the same segments need not be parsed if YAML reads each text between them as
it is written there. Build and check use the same segments: `compiler/building/templates.py` for experiments, and
`cluster/validate/recognition.py` for manifests. Each has its own rules on what an opening accepts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tjgen.trees.typing import Any, NamedTuple, Self

SEVERAL = ("&", "*", "<<")
"""Signs of aliases and merge keys, with which one text may be the value of several fields."""


class Segments(NamedTuple):
    """The segments of a text."""

    fixed: tuple[str, ...]
    """One more than there are openings."""
    openings: tuple[Any, ...]
    """What can be between two segments."""

    @classmethod
    def split(cls, text: str, places: Sequence[tuple[int, int, Any]]) -> Self | None:
        """The segments of a text with openings at `places` (start, end, opening), in order; None if two of them touch."""
        ends = [0, *[end for _, end, _ in places]]
        starts = [*[start for start, _, _ in places], len(text)]
        fixed = tuple([text[end:start] for end, start in zip(ends, starts, strict=True)])
        return cls(fixed, tuple([opening for _, _, opening in places])) if all(fixed[:-1]) else None

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

    def filled(self, texts: Sequence[str]) -> str:
        """The text with these texts between the segments."""
        parts = [self.fixed[0]]
        for one, segment in zip(texts, self.fixed[1:], strict=True):
            parts += (one, segment)
        return "".join(parts)

    def start(self, number: int, texts: Sequence[str]) -> int:
        """Where the text of an opening begins, if these texts are at the openings."""
        return sum(map(len, self.fixed[: number + 1])) + sum(map(len, texts[:number]))

    def without(self, numbers: Collection[int], texts: Sequence[str]) -> Self:
        """The same without these openings: their texts, of `texts`, become part of the segments."""
        fixed, openings = [self.fixed[0]], []
        for number, opening in enumerate(self.openings):
            if number in numbers:
                fixed[-1] += texts[number] + self.fixed[number + 1]
            else:
                openings.append(opening)
                fixed.append(self.fixed[number + 1])
        return type(self)(tuple(fixed), tuple(openings))
