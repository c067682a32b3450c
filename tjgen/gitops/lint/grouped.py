"""Findings of lint -> the same for people: equal findings become one, which names the other places."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.trees.diagnostics.model import Diagnostic

_MOST = 3
"""Other places that are named."""


def grouped(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """One diagnostic for each rule and cause, where the first was; what is not about an object stays as it is."""
    groups: dict[object, list[Diagnostic]] = {}
    for one in diagnostics:
        cause = one.message.partition(": ")[2] if one.subject is not None else ""
        groups.setdefault((one.code, one.severity, cause, one.hint) if cause else one, []).append(one)
    return [_one(group) for group in groups.values()]


def _one(group: Sequence[Diagnostic]) -> Diagnostic:
    first, *others = group
    if not others:
        return first
    objects = dict.fromkeys(str(one.subject) for one in group)
    names = [_place(one) for one in others[:_MOST]]
    more = len(others) - len(names)
    among = f" of {len(objects)} objects" if len(objects) > 1 else ""
    where = f"{len(group)} places{among}, also {', '.join(names)}{f' and {more} more' if more else ''}"
    return first._replace(message=f"{first.message} ({where})")


def _place(one: Diagnostic) -> str:
    return f"{one.span.file}:{one.span.line}" if one.span is not None else str(one.subject)
