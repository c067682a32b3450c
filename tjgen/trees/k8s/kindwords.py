"""A kind as people write it on a command line, such as `jobsets`, `js` or `jobs.batch` -> the kind."""

from __future__ import annotations

from collections.abc import Iterable

_SHORT = {"po": "Pod", "svc": "Service", "vcjob": "Job", "vj": "Job"}
"""Short names of resources that are not the initials of their kind."""


def kind_of(word: str, kinds: Iterable[str]) -> str | None:
    """The kind of `kinds` that `word` means: in any case, as a plural, as a short name, or with its API group; else None."""
    name = word.partition(".")[0].lower()
    known = sorted({*kinds})
    by_name = {one.lower(): one for one in known}
    if name in by_name:
        return by_name[name]
    for one in known:
        if name in _plurals(one.lower()):
            return one
    short = [one for one in known if _SHORT.get(name) == one or _initials(one) == name]
    return short[0] if len(short) == 1 else None


def _plurals(kind: str) -> tuple[str, ...]:
    return f"{kind}s", f"{kind}es", f"{kind[:-1]}ies"


def _initials(kind: str) -> str:
    initials = "".join(letter for letter in kind if letter.isupper()).lower()
    return initials if len(initials) > 1 else ""
