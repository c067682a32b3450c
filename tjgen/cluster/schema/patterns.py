"""A pattern in Go's syntax and a text -> whether and where the pattern occurs, in time that grows with the text alone.

The API server matches with Go's `regexp`, which never backtracks. A pull request can bring any pattern and any text, so nothing
here backtracks either.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.schema.pattern_escapes import PatternError
from tjgen.cluster.schema.pattern_machine import Machine, Match
from tjgen.trees.typing import lru_cache

_MOST_PATTERNS = 500
"""Patterns that are kept: an expression can compute any number of them."""


@lru_cache(maxsize=_MOST_PATTERNS)
def search(pattern: str) -> Callable[[str], bool]:
    """A function that returns whether `pattern` occurs in a text.

    Raises PatternError for a text that is not a pattern, as the function does for one that takes too long.
    """
    return Machine(pattern).matches


def mismatch(text: str, pattern: str) -> str:
    """Why a text is not valid for a schema with the pattern; empty if it is."""
    try:
        return "" if search(pattern)(text) else f"should match '{pattern}'"
    except PatternError as problem:
        return str(problem)


@lru_cache(maxsize=_MOST_PATTERNS)
def _finder(pattern: str) -> Machine:
    return Machine(pattern, is_ordered=True)


def find_all(pattern: str, text: str, most: int = -1) -> list[Match]:
    """The matches one after the other, at most `most` of them if it is not negative (`regexp.allMatches`)."""
    machine = _finder(pattern)
    matches: list[Match] = []
    position, last_end = 0, -1
    while position <= len(text) and len(matches) != most:
        match = machine.find(text, position)
        if match is None:
            break
        start, end = match
        # An empty match directly after another match does not count.
        if end != position or start != last_end:
            matches.append(match)
        position = end if end > position else position + 1
        last_end = end
    return matches
