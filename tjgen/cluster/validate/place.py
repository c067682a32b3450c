"""A field of a manifest as the server spells it and as the tree has it, and the faults that can be found there.

Mirrors k8s.io/apimachinery 0.36 `util/validation/field` (Path, Error). The two spellings part where upstream names another
field than the one that is wrong: a missing index, a map's key, a name that the API does not have.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.validate.fault import (
    DUPLICATE,
    FORBIDDEN,
    INVALID,
    NOT_FOUND,
    NOT_SUPPORTED,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    Fault,
)
from tjgen.cluster.validate.wording import field, quote, shown
from tjgen.trees.fields.path import FieldPath, Tree


def at(path: FieldPath) -> Place:
    """The place that upstream spells as the tree does."""
    return Place(field(path), path)


class Place:
    """The location of a value: `field` for the server, `path` in the tree."""

    __slots__ = ("field", "path")

    def __init__(self, field: str = "", path: FieldPath = ()) -> None:
        self.field = field
        self.path = path

    def child(self, *names: str) -> Place:
        """A field below this one."""
        return Place(".".join((self.field, *names) if self.field else names), self.path + names)

    def item(self, position: int) -> Place:
        """An element of this list."""
        return Place(f"{self.field}[{position}]", (*self.path, position))

    def key(self, name: str) -> Place:
        """A value of this map."""
        return Place(f"{self.field}[{name}]", (*self.path, name))

    def spelt(self, field: str) -> Place:
        """This place under the child's name that upstream gives it."""
        return Place(f"{self.field}.{field}", self.path)

    def seen_at(self, *steps: str | int) -> Place:
        """The same field to the server, which points no deeper; the tree has it at `steps` below."""
        return Place(self.field, self.path + steps)

    def required(self, detail: str = "") -> Fault:
        """`field.Required`."""
        return Fault(REQUIRED, self.field, f"Required value: {detail}" if detail else "Required value", self.path)

    def invalid(self, value: Tree, detail: str) -> Fault:
        """`field.Invalid`."""
        return Fault(INVALID, self.field, f"Invalid value: {shown(value)}{': ' if detail else ''}{detail}", self.path)

    def wrong(self, detail: str) -> Fault:
        """`field.Invalid` that shows no value."""
        return Fault(INVALID, self.field, f"Invalid value: {detail}", self.path)

    def not_supported(self, value: Tree, supported: Sequence[str]) -> Fault:
        """`field.NotSupported`; the caller decides on the order of the supported values."""
        values = ", ".join(map(quote, supported))
        detail = f"Unsupported value: {shown(value)}: supported values: {values}"
        return Fault(NOT_SUPPORTED, self.field, detail, self.path, known=tuple(supported))

    def forbidden(self, detail: str) -> Fault:
        """`field.Forbidden`."""
        return Fault(FORBIDDEN, self.field, f"Forbidden: {detail}", self.path)

    def duplicate(self, value: Tree) -> Fault:
        """`field.Duplicate`."""
        return Fault(DUPLICATE, self.field, f"Duplicate value: {shown(value)}", self.path)

    def not_found(self, value: Tree, detail: str = "") -> Fault:
        """`field.NotFound`."""
        return Fault(NOT_FOUND, self.field, f"Not found: {shown(value)}{': ' if detail else ''}{detail}", self.path)

    def too_long(self, most: int) -> Fault:
        """`field.TooLong`."""
        return Fault(TOO_LONG, self.field, f"Too long: may not be more than {most} bytes", self.path)

    def too_many(self, count: int, most: int) -> Fault:
        """`field.TooMany`."""
        return Fault(TOO_MANY, self.field, f"Too many: {count}: must have at most {most} items", self.path)
