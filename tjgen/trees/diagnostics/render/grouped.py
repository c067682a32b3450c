"""Diagnostics -> the same for people: what repeats for one cause is shown once, with the other places in a note."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic, Note, Span

_SIMILAR = 3
"""Diagnostics of one cause that are shown if their messages differ in names."""
_PLACES = 3
"""Other places that a note lists."""
_NAME = r'"[^"]*"|(?<![^\s"])[^\s"]*[0-9/.-][^\s"]*'
"""What differs between messages of one cause: quoted values, names of runs, paths, and numbers."""


def grouped(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return one diagnostic for each cause, where the first one was; a note counts the others and lists some of their places.

    Diagnostics with one message and one hint have one cause. If messages differ only in names, they have one cause if they
    are at one place or in several files; three of them are shown. Different problems at two places of one file are both shown.
    """
    if len(diagnostics) < 2:
        return list(diagnostics)
    equal: dict[object, list[Diagnostic]] = {}
    for one in diagnostics:
        equal.setdefault((one.code, one.severity, _message(one), one.hint), []).append(one)
    causes: dict[object, list[list[Diagnostic]]] = {}
    places_of: dict[object, dict[Span | None, int]] = {}
    for group in equal.values():
        first = group[0]
        shape = (first.code, first.severity, regex.sub(_NAME, "", _message(first)), first.hint)
        places = places_of.setdefault((shape, first.span and first.span.file), {})
        causes.setdefault((shape, places.setdefault(first.span, len(places))), []).append(group)
    shown: dict[int, Diagnostic] = {}
    for groups in causes.values():
        *before, last = groups[:_SIMILAR]
        shown |= {id(group): _noted(group[0], group[1:]) for group in before}
        shown[id(last)] = _noted(last[0], [*last[1:], *(one for group in groups[_SIMILAR:] for one in group)])
    return [shown[id(group)] for group in equal.values() if id(group) in shown]


def _message(one: Diagnostic) -> str:
    return one.message if one.subject is None else one.message.removeprefix(f"{one.subject}: ")


def _noted(first: Diagnostic, others: Sequence[Diagnostic]) -> Diagnostic:
    if not others:
        return first
    places = list(dict.fromkeys(place for one in others if (place := _place(one, first))))
    listed = ", ".join(places[:_PLACES])
    more = len(others) - min(len(places), _PLACES)
    rest = f", and {more} other{'s' if more > 1 else ''}" if more else ""
    note = Note(f"{len(others)} more like it{f': {listed}{rest}' if listed else ''}")
    return first._replace(related=(*first.related, note))


def _place(one: Diagnostic, first: Diagnostic) -> str:
    """Where another one is: at the place of the first, what a note of it names."""
    if one.span is None:
        return str(one.subject or "")
    noted = next((note.span for note in one.related if note.span is not None), one.span) if one.span == first.span else one.span
    return str(noted)
