"""`sweep`: one run for each point; keys are field paths into `spec`, such as `env.LR` or `gpu`."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import Field

from tjgen.language.spec.models.identity import Excluded
from tjgen.language.spec.models.shape import Count, Shape

Values: TypeAlias = Annotated[list[Any], Field(min_length=1)]


class Sweep(Shape):
    """The points of a sweep."""

    verbatim: ClassVar[tuple[str, ...]] = ("include", "exclude")

    matrix: Excluded[dict[str, Values]] = {}
    """Field path -> values. Every combination is a point."""
    zipped: Excluded[dict[str, Values]] = Field({}, alias="zip")
    """Field path -> values. The n-th values of all paths form a point."""
    include: Excluded[list[dict[str, Any]]] = []
    """Points to add, or fields to add to the points that they match."""
    exclude: Excluded[list[dict[str, Any]]] = []
    """Points to exclude: those with all of these values."""
    limit: Excluded[Count] = Field(64, alias="max")
    """Maximum number of points."""
    max_parallel: Excluded[Count | None] = None
    """Maximum number of points that train at once. The queue enforces it, and the build compares its capability."""
