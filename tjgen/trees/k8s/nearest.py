"""A word that is not known -> the known word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 100
"""Characters of a word that may be a slip: comparing two words takes the product of their lengths."""
_MOST = 1000
"""Known words that are compared."""
_SHORTEST = 3
"""Characters of a word that may be the beginning of another."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is fewest edits away, if that is near enough to be a slip.

    Of several, it is one with the same first letter, and of these the first by name. If none is near enough, it is the only
    known word that begins with `word`.
    """
    if len(word) > _LONGEST:
        return None
    limit = max(1, len(word) // 3)
    best: str | None = None
    lowest = limit + 1
    candidates = sorted(known, key=lambda one: (one[:1].lower() != word[:1].lower(), one))[:_MOST]
    for candidate in candidates:
        if abs(len(candidate) - len(word)) < lowest:
            edits = distance(word.lower(), candidate.lower())
            if edits < lowest:
                best, lowest = candidate, edits
    if best is None and len(word) >= _SHORTEST:
        longer = [candidate for candidate in candidates if candidate.lower().startswith(word.lower())]
        best = longer[0] if len(longer) == 1 else None
    return best


def distance(a: str, b: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        earlier, before = before, row
        row = [i]
        for j, y in enumerate(b, 1):
            edits = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                edits = min(edits, earlier[j - 2] + 1)
            row.append(edits)
    return row[-1]
