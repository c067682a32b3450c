"""What a webhook answers: errors and warnings, and how its errors are worded."""

from __future__ import annotations

from tjgen.cluster.validate.fault import BAD_REQUEST, FORBIDDEN, INVALID, WHOLE, Fault
from tjgen.cluster.validate.wording import field
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

INTERNAL = "InternalError"


class WebhookAnswer(NamedTuple):
    """Errors in the webhook's order; none means that it lets the object pass."""

    errors: tuple[Fault, ...] = ()
    warnings: tuple[str, ...] = ()


def refused(detail: str, path: FieldPath = (), hint: str | None = None) -> Fault:
    """An error that is not a field error: only words."""
    return Fault(BAD_REQUEST, "", detail, path, hint=hint)


def internal(detail: str, path: FieldPath = (), hint: str | None = None) -> Fault:
    """`field.InternalError`, by which JobSet wraps errors that are not field errors."""
    return Fault(INTERNAL, WHOLE, f"Internal error: {detail}", path, summary=detail, hint=hint)


def invalid(path: FieldPath, value: str, detail: str, hint: str | None = None, place: str | None = None) -> Fault:
    """`field.Invalid` with a value that is already text; `place` where upstream writes another path."""
    return Fault(INVALID, place or field(path), f"Invalid value: {value}: {detail}", path, summary=detail, hint=hint)


def forbidden(path: FieldPath, detail: str, hint: str | None = None) -> Fault:
    """`field.Forbidden`."""
    return Fault(FORBIDDEN, field(path), f"Forbidden: {detail}", path, hint=hint)
