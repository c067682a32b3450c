"""Overlay: a partial experiment, merged under or over those that it matches."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.experiment import ExperimentSpec
from tjgen.language.spec.models.metadata import Named, OverlaidMetadata
from tjgen.language.spec.models.shape import ApiVersion, Shape, Texts


class PartialExperiment(ExperimentSpec):
    """Any part of an experiment's spec and metadata. A null removes a field."""

    partial: ClassVar[bool] = True

    metadata: OverlaidMetadata = OverlaidMetadata()
    """Namespace, labels and annotations."""


class Match(Shape):
    """Experiments to which an overlay applies. All conditions must hold for the experiment as it is written."""

    environments: Texts = []
    """Environments of the project."""
    clusters: Texts = []
    """Clusters, as environments name them."""
    labels: dict[str, str] = {}
    """Labels that the experiment has."""
    names: Texts = []
    """Names of experiments. `*` and `?` match as in a shell."""
    runtimes: Texts = []
    """Runtimes of the experiment. `*` and `?` match as in a shell."""


class OverlaySpec(Shape):
    """The layer of an overlay, the experiments that it matches, and its fields."""

    layer: Literal["default", "environment"] = "environment"
    """Under the experiment (`default`: the experiment wins), or over it (`environment`)."""
    match: Match = Match()
    """Experiments to which it applies. The default is all."""
    experiment: PartialExperiment
    """Fields of the experiment to set."""


class Overlay(Shape):
    """A partial experiment."""

    api_version: ApiVersion
    """Version of the language."""
    kind: Literal["Overlay"]
    """Kind of the document."""
    metadata: Named
    """Identifies the overlay."""
    spec: OverlaySpec
    """The layer of the overlay, the experiments that it matches, and its fields."""
