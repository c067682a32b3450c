"""What an API server has against an object: one error, in the server's words and ours."""

from __future__ import annotations

from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

BAD_REQUEST = "BadRequest"
CONFLICT = "Conflict"
REQUIRED = "FieldValueRequired"
INVALID = "FieldValueInvalid"
TYPE_INVALID = "FieldValueTypeInvalid"
NOT_SUPPORTED = "FieldValueNotSupported"
FORBIDDEN = "FieldValueForbidden"
DUPLICATE = "FieldValueDuplicate"
NOT_FOUND = "FieldValueNotFound"
TOO_LONG = "FieldValueTooLong"
TOO_MANY = "FieldValueTooMany"
INTERNAL_ERROR = "InternalError"

WHOLE = "<nil>"
"""The field of an error that the server does not give a place."""


class Fault(NamedTuple):
    """One error: `type`, `field` and `detail` as the server answers them, `path` as its path in the manifest.

    `summary` holds our message for people if the server's is unclear. An `echo` repeats another fault of the
    same verdict: it is part of the server's answer, but not worth a diagnostic.
    """

    type: str
    field: str
    detail: str
    path: FieldPath
    summary: str = ""
    hint: str | None = None
    known: tuple[str, ...] = ()
    """The names that would be right in this place."""
    echo: bool = False
