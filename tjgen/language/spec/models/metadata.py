"""Metadata -> who an experiment, overlay or platform is."""

from __future__ import annotations

from tjgen.language.spec.models.identity import Excluded, Setting
from tjgen.language.spec.models.shape import Label, RunName, Shape, Text


class Metadata(Shape):
    """Who the experiment is."""

    name: Excluded[RunName]
    """Name of the experiment; the names of its runs begin with it."""
    namespace: Excluded[Label | None] = None
    """Namespace of everything that is made."""
    labels: Setting[dict[str, str]] = {}
    """Labels of everything that is made."""
    annotations: Setting[dict[str, str]] = {}
    """Annotations of everything that is made."""


class OverlaidMetadata(Shape):
    """What an overlay may say about who an experiment is."""

    namespace: Label | None = None
    """Namespace of everything that is made."""
    labels: dict[str, str] = {}
    """Labels of everything that is made."""
    annotations: dict[str, str] = {}
    """Annotations of everything that is made."""


class Named(Shape):
    """Who a document of the project is."""

    name: Text
    """Name of the document, as diagnostics and `explain` print it."""
    labels: dict[str, str] = {}
    """Labels, for people and tools."""
    annotations: dict[str, str] = {}
    """Annotations, for people and tools."""
