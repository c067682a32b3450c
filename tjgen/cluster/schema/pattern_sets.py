"""Sets of characters in patterns: ranges, classes by name and Unicode categories, each with or without regard to case.

Mirrors Go 1.26 `regexp/syntax`: perl_groups.go, and unicodeTable and appendFoldedRange of parse.go. Scripts such as Greek are not
available, and Python's version of Unicode may differ from that of the server.
"""

from __future__ import annotations

from tjgen.trees.typing import NamedTuple, lru_cache

Ranges = tuple[tuple[int, int], ...]

_LAST = 0x10FFFF
_DIGIT, _LOWER, _UPPER = (0x30, 0x39), (0x61, 0x7A), (0x41, 0x5A)
NAMED: dict[str, Ranges] = {
    "alnum": (_DIGIT, _UPPER, _LOWER),
    "alpha": (_UPPER, _LOWER),
    "ascii": ((0, 0x7F),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "digit": (_DIGIT,),
    "graph": ((0x21, 0x7E),),
    "lower": (_LOWER,),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((9, 13), (32, 32)),
    "upper": (_UPPER,),
    "word": (_DIGIT, _UPPER, (0x5F, 0x5F), _LOWER),
    "xdigit": (_DIGIT, (0x41, 0x46), (0x61, 0x66)),
}
PERL: dict[str, Ranges] = {"d": NAMED["digit"], "s": ((9, 10), (12, 13), (32, 32)), "w": NAMED["word"]}
_MINOR = {"C": "cfos", "L": "lmotu", "M": "cen", "N": "dlo", "P": "cdefios", "S": "ckmo", "Z": "lps"}
_CATEGORIES = {f"{major}{minor}" for major, minors in _MINOR.items() for minor in ("", *minors)}
_ANY = "Any"
_UNASSIGNED = "Cn"


class ClassPart(NamedTuple):
    """Some characters of a set."""

    ranges: Ranges = ()
    category: str = ""
    """A Unicode category, which contains characters beyond the ranges."""
    is_folded: bool = False
    is_negated: bool = False

    def has(self, code: int) -> bool:
        """Whether the character is one of the part."""
        if not self.is_folded:
            return self._holds(code) is not self.is_negated
        return any(map(self._holds, orbit(code))) is not self.is_negated

    def _holds(self, code: int) -> bool:
        for low, high in self.ranges:
            if low <= code <= high:
                return True
        return bool(self.category) and _category(code).startswith(self.category) and _category(code) != _UNASSIGNED


class CharacterSet(NamedTuple):
    """The characters that one position of a text can have."""

    parts: tuple[ClassPart, ...]
    is_negated: bool = False

    def has(self, character: str) -> bool:
        """Whether the character is one of the set."""
        code = ord(character)
        for part in self.parts:
            if part.has(code):
                return not self.is_negated
        return self.is_negated


EVERY = CharacterSet((), is_negated=True)
NO_NEWLINE = CharacterSet((ClassPart(((10, 10),)),), is_negated=True)


def single(character: str, *, is_folded: bool) -> CharacterSet:
    """The set of one character, and with regard to case of those that differ only in case."""
    code = ord(character)
    return CharacterSet((ClassPart(((code, code),), is_folded=is_folded),))


def unicode_part(name: str, *, is_folded: bool, is_negated: bool) -> ClassPart | None:
    """The part of a Unicode category; None for a name that is not one."""
    if name == _ANY:
        return ClassPart(((0, _LAST),), is_negated=is_negated)
    return ClassPart((), name, is_folded, is_negated) if name in _CATEGORIES else None


def orbit(code: int) -> tuple[int, ...]:
    """The characters that differ only in case from one, itself among them (`unicode.SimpleFold`)."""
    if code < 128:
        return _ASCII_ORBITS[code]
    return _orbits().get(code, (code,))


def _ascii_orbit(code: int) -> tuple[int, ...]:
    text = chr(code)
    if not text.isalpha():
        return (code,)
    return (ord(text.upper()), ord(text.lower()), *{"k": (0x212A,), "s": (0x17F,)}.get(text.lower(), ()))


_ASCII_ORBITS = tuple(map(_ascii_orbit, range(128)))


@lru_cache(maxsize=None)
def _orbits() -> dict[int, tuple[int, ...]]:
    """By character: those with the same simple folding. Only patterns and texts with letters beyond ASCII need it."""
    by_folding: dict[str, list[int]] = {}
    for code in range(128, _LAST + 1):
        text = chr(code)
        folded = _folding(text)
        if folded != text or text.upper() != text:
            by_folding.setdefault(folded, []).append(code)
    orbits: dict[int, tuple[int, ...]] = {}
    for folded, codes in by_folding.items():
        first = ord(folded)
        whole = tuple(sorted({first, *(_ascii_orbit(first) if first < 128 else ()), *codes}))
        orbits |= dict.fromkeys(codes, whole)
        if first >= 128:
            orbits[first] = whole
    return orbits


def _folding(text: str) -> str:
    folded = text.casefold()
    if len(folded) > 1:  # only the simple folding counts
        folded = text.lower()
    return folded if len(folded) == 1 else text


@lru_cache(maxsize=None)
def _category(code: int) -> str:
    from unicodedata import category  # few patterns name one

    return category(chr(code))
