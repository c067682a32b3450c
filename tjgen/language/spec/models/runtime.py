"""`runtime`: the TrainingRuntime of the catalog that the experiment uses."""

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
    """Kind of the runtime. The default comes from the catalog."""
    version: Counts[Text | None] = None
    """Version of the runtime, if the catalog has several."""
