"""What can be wrong with a catalog, by code: TJ251 to TJ258."""

from __future__ import annotations

from tjgen.diagnostics.model import ERROR, WARNING, Diagnostic, Note, Span
from tjgen.fields.path import FieldPath

UNKNOWN = ("TJ251", "unknown-runtime")
AMBIGUOUS = ("TJ252", "ambiguous-runtime")
DUPLICATE = ("TJ253", "duplicate-runtime")
STRANGER = ("TJ254", "not-a-runtime")
SHAPE = ("TJ255", "invalid-runtime")
NO_PLACE = ("TJ256", "catalog-not-found")
CLASH = ("TJ257", "import-would-overwrite")
NOTHING = ("TJ258", "nothing-to-import")


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


def warning(rule: tuple[str, str], message: str, *, span: Span | None = None, hint: str | None = None) -> Diagnostic:
    """A warning of a rule of this table."""
    code, name = rule
    return Diagnostic(code, WARNING, message, span=span, hint=hint, name=name)
