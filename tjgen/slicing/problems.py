"""What can be wrong with items and slices, by code: TJ307 to TJ319."""

from __future__ import annotations

from tjgen.diagnostics.model import ERROR, WARNING, Diagnostic, Note, Span
from tjgen.fields.path import FieldPath

REFUSED = ("TJ307", "slices-refused")
LEFT_OUT = ("TJ308", "items-left-out")
MANY = ("TJ309", "too-many-slices")
UNREADABLE = ("TJ310", "items-unreadable")
ITEM = ("TJ311", "bad-item")
DUPLICATE = ("TJ312", "duplicate-item")
SIZE = ("TJ313", "bad-size")
UNSIZED = ("TJ314", "missing-size")
NONE = ("TJ315", "no-items")
STRATEGY = ("TJ316", "unknown-strategy")
BROKEN = ("TJ317", "broken-slices")
EMPTY = ("TJ318", "empty-slice")
LARGE = ("TJ319", "slices-too-large")


def error(
    rule: tuple[str, str],
    message: str,
    *,
    path: FieldPath | None = None,
    span: Span | None = None,
    related: tuple[Note, ...] = (),
    hint: str | None = None,
) -> Diagnostic:
    """An error of a rule of this table."""
    code, name = rule
    return Diagnostic(code, ERROR, message, path=path, span=span, related=related, hint=hint, name=name)


def warning(rule: tuple[str, str], message: str, *, path: FieldPath | None = None, hint: str | None = None) -> Diagnostic:
    """A warning of a rule of this table."""
    code, name = rule
    return Diagnostic(code, WARNING, message, path=path, hint=hint, name=name)
