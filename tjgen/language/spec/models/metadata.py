"""`metadata`: identifies an experiment, overlay, platform or project."""

from __future__ import annotations

from tjgen.language.spec.models.identity import Excluded, Setting
from tjgen.language.spec.models.shape import Label, RunName, Shape, Text


class Metadata(Shape):
    """Identifies the experiment."""

    name: Excluded[RunName]
    """Name of the experiment. The names of its runs start with it."""
    namespace: Excluded[Label | None] = None
    """Namespace of all generated objects."""
    labels: Setting[dict[str, str]] = {}
    """Labels of all generated objects."""
    annotations: Setting[dict[str, str]] = {}
    """Annotations of all generated objects."""


class OverlaidMetadata(Shape):
    """Fields of the metadata that an overlay can set."""

    namespace: Label | None = None
    """Namespace of all generated objects."""
    labels: dict[str, str] = {}
    """Labels of all generated objects."""
    annotations: dict[str, str] = {}
    """Annotations of all generated objects."""


class Named(Shape):
    """Identifies a document of the project."""

    name: Text
    """Name of the document, as diagnostics and `explain` print it."""
    labels: dict[str, str] = {}
    """Labels, for people and tools."""
    annotations: dict[str, str] = {}
    """Annotations, for people and tools."""
