"""`runtime`: which TrainingRuntime of the catalog the experiment runs on."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Shape, Text


class RuntimeRef(Shape):
    """A runtime of the catalog, by name."""

    short: ClassVar[tuple[str, ...]] = ("name",)

    name: Counts[Text]
    """Name of the runtime."""
    kind: Counts[Literal["ClusterTrainingRuntime", "TrainingRuntime"] | None] = None
    """Kind of the runtime; the catalog knows when it is left out."""
    version: Counts[Text | None] = None
    """Version of the runtime, where the catalog holds several."""
