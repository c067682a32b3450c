"""Overlay: a partial experiment, put under or over those that it matches."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.experiment import ExperimentSpec
from tjgen.language.spec.models.metadata import Named, OverlaidMetadata
from tjgen.language.spec.models.shape import ApiVersion, Shape, Text


class PartialExperiment(ExperimentSpec):
    """Any part of an experiment's spec, and of its metadata; null removes."""

    partial: ClassVar[bool] = True

    metadata: OverlaidMetadata = OverlaidMetadata()
    """Namespace, labels and annotations."""


class Match(Shape):
    """Which experiments an overlay is for, judged on the experiment as it is written: all that is said must hold."""

    environments: list[Text] = []
    """Environments of the project."""
    clusters: list[Text] = []
    """Clusters, as environments name them."""
    labels: dict[str, str] = {}
    """Labels that the experiment has."""
    names: list[Text] = []
    """Names of experiments; `*` and `?` match as in a shell."""
    runtimes: list[Text] = []
    """Runtimes that the experiment asks for; `*` and `?` match as in a shell."""


class OverlaySpec(Shape):
    """Where an overlay stands, whom it is for, what it says."""

    layer: Literal["default", "environment"] = "environment"
    """Under the experiment (`default`: the experiment wins), or over it (`environment`)."""
    match: Match = Match()
    """Which experiments it is for; all where it is left out."""
    experiment: PartialExperiment
    """What it says."""


class Overlay(Shape):
    """A partial experiment."""

    api_version: ApiVersion
    """Version of the language."""
    kind: Literal["Overlay"]
    """Kind of the document."""
    metadata: Named
    """Who the overlay is."""
    spec: OverlaySpec
    """Where it stands, whom it is for, what it says."""
