"""A path with numbers or words in braces -> the matching paths: `train-{0000..1023}.tar`, `{train,val}/{0..9}`.

Of several braces the last one turns fastest. A number with a leading zero keeps the width that it is
written with. There is no brace within another, and no way to write one that means itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise, product

from tjgen.trees.typing import NamedTuple

_COMPARED = 100_000
"""The number of paths that are expanded for a comparison."""
_LISTED = 2_000_000
"""The number of values of one brace that are expanded in advance."""
_BRACE = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"([0-9]{1,18})\.\.([0-9]{1,18})")


class Numbers(NamedTuple):
    """The values of one brace with two numbers."""

    values: range
    width: int

    def text(self, position: int) -> str:
        return str(self.values[position]).zfill(self.width)


class Pattern(NamedTuple):
    """A path with braces that are not expanded: also one for a billion paths is small."""

    texts: tuple[str, ...]
    """The text around the braces: one more part than braces."""
    choices: tuple[Numbers | Sequence[str], ...]

    @property
    def total(self) -> int:
        """The number of matching paths."""
        product = 1
        for choice in self.choices:
            product *= _length(choice)
        return product

    def paths(self) -> Iterator[str]:
        """All paths, in order."""
        if any(_length(choice) > _LISTED for choice in self.choices):
            return map(self.path, range(self.total))
        pools: list[Iterable[str]] = [self.texts[:1]]
        for choice, text in zip(self.choices, self.texts[1:], strict=True):
            pools += [_texts(choice), (text,)]
        return map("".join, product(*pools))

    def path(self, number: int) -> str:
        """The path of one number, from 0 on."""
        parts = [self.texts[-1]]
        for text, choice in zip(reversed(self.texts[:-1]), reversed(self.choices), strict=True):
            number, position = divmod(number, _length(choice))
            parts += [choice.text(position) if isinstance(choice, Numbers) else choice[position], text]
        return "".join(reversed(parts))


def parse(text: str) -> Pattern:
    """The pattern; raises ValueError with words that go on after "the pattern ..."."""
    pieces = _BRACE.split(text)
    if any(brace in piece for piece in pieces[::2] for brace in "{}"):
        raise ValueError("has an unclosed or a nested brace")
    return Pattern(tuple(pieces[::2]), tuple([_choice(inner) for inner in pieces[1::2]]))


def repeated(patterns: Sequence[Pattern]) -> str | None:
    """What may make one path of two numbers of several patterns together, in words; None where each path has one.

    Few paths are compared; for many, only their braces are compared.
    """
    if sum(pattern.total for pattern in patterns) <= _COMPARED:
        seen: set[str] = set()
        for path in chain.from_iterable(pattern.paths() for pattern in patterns):
            if path in seen:
                return f"expands to {path!r} twice"
            seen.add(path)
        return None
    for pattern in patterns:
        for choice, behind, last in zip(pattern.choices, pattern.texts[1:], _last(len(pattern.choices)), strict=True):
            if not last and not _ends(choice, behind):
                return (
                    "has braces that can expand different numbers to the same path: write numbers of the same "
                    "width, or a / between them"
                )
    heads = sorted(pattern.texts[0] for pattern in patterns)
    for one, other in pairwise(heads):
        if other.startswith(one):
            return f"begins with {one!r} as another one does, so both can expand to the same path"
    return None


def expanded(text: str) -> list[str]:
    """The paths of a pattern; raises ValueError as `parse` does."""
    return list(parse(text).paths())


def _last(count: int) -> list[bool]:
    return [place == count - 1 for place in range(count)]


def _ends(choice: Numbers | Sequence[str], behind: str) -> bool:
    """Return whether the end of a brace's value is unique: all have one length, or the text after it is in none of them."""
    if isinstance(choice, Numbers):
        fixed = len(choice.text(0)) == len(choice.text(len(choice.values) - 1))
        return fixed or (behind != "" and not behind[0].isdigit())
    return len({len(word) for word in choice}) == 1 or (behind != "" and not any(behind[0] in word for word in choice))


def _texts(choice: Numbers | Sequence[str]) -> Sequence[str]:
    return [str(value).zfill(choice.width) for value in choice.values] if isinstance(choice, Numbers) else choice


def _length(choice: Numbers | Sequence[str]) -> int:
    return len(choice.values) if isinstance(choice, Numbers) else len(choice)


def _choice(inner: str) -> Numbers | Sequence[str]:
    numbers = _RANGE.fullmatch(inner)
    if numbers is None:
        words = inner.split(",")
        if len(words) < 2 or len(set(words)) < len(words):
            raise ValueError(f"has {{{inner}}}, which is neither a range of numbers (0..9) nor a list of words (a,b)")
        return tuple(words)
    first, last = numbers[1], numbers[2]
    if int(first) > int(last):
        raise ValueError(f"has {{{inner}}}, which counts down")
    padded = any(len(number) > 1 and number[0] == "0" for number in (first, last))
    return Numbers(range(int(first), int(last) + 1), max(len(first), len(last)) if padded else 0)
