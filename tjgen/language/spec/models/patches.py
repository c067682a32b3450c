"""`patches`: changes to any field of any generated object, applied last."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Alternatives, Shape, Subtree, Text


class PatchTarget(Shape):
    """Which objects a patch changes."""

    short: ClassVar[tuple[str, ...]] = ("kind",)

    kind: Counts[Text]
    """Kind of the objects."""
    name: Counts[Text | None] = None
    """Name of the object. The default is all objects of the kind."""
    namespace: Counts[Text | None] = None
    """Namespace of the objects. The default is all namespaces."""


class Operation(Shape):
    """One operation of a JSON patch (RFC 6902)."""

    op: Counts[Literal["add", "remove", "replace", "move", "copy", "test"]]
    """What to do."""
    path: Counts[str]
    """JSON Pointer to the place."""
    value: Counts[Any] = None
    """Value to add, to put in place or to compare with. A test without a value requires that the place is absent."""
    source: Counts[str | None] = Field(None, validation_alias="from", serialization_alias="from")
    """JSON Pointer to the value to move or copy."""


class Patch(Shape):
    """A change to generated objects."""

    alternatives: ClassVar[Alternatives] = (("merge",), ("json",))
    needed: ClassVar[bool] = True
    verbatim: ClassVar[tuple[str, ...]] = ("merge", "json")

    target: Counts[PatchTarget | Text]
    """Which objects it changes."""
    merge: Counts[Subtree | None] = None
    """Tree to merge over the object. A null removes a field. Lists without keys of their elements are replaced."""
    force: Counts[bool] = True
    """Whether the patch may change values that fields of the document set. With `false`, such a conflict is an error."""
    operations: Counts[list[Operation]] = Field([], alias="json")
    """JSON patch."""
