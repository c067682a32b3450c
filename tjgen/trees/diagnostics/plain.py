"""A diagnostic -> nested tuples of plain values, for a cache or another process, and back."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Diagnostic, Note, ObjectRef, Span
from tjgen.trees.typing import Any


def plain(diagnostic: Diagnostic) -> tuple[Any, ...]:
    """The diagnostic as nested tuples of texts, numbers and None."""
    return (
        *diagnostic[:3],
        diagnostic.subject and tuple(diagnostic.subject),
        diagnostic.path,
        diagnostic.span and tuple(diagnostic.span),
        tuple([(note.message, note.span and tuple(note.span)) for note in diagnostic.related]),
        *diagnostic[7:],
    )


def diagnostic_of(plain: Any) -> Diagnostic:
    """The diagnostic that `plain` returned as tuples, which may be lists by now."""
    code, severity, message, subject, path, span, related, hint = plain
    notes = tuple([Note(text, Span(*place) if place else None) for text, place in related])
    about, place = ObjectRef(*subject) if subject else None, Span(*span) if span else None
    return Diagnostic(code, message, about, tuples(path), place, notes, hint, severity=severity)


def tuples(value: Any) -> Any:
    """The value with a tuple for each list and tuple in it."""
    return tuple([tuples(one) for one in value]) if isinstance(value, list | tuple) else value
