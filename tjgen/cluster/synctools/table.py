"""The GitOps tools, and what is true of all of them."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.synctools import argocd, flux, none
from tjgen.cluster.synctools.protocol import Annotations, SyncTool

ARGOCD = argocd.TOOL.name
FLUX = flux.TOOL.name
NO_TOOL = none.TOOL.name
TOOLS: tuple[SyncTool, ...] = (argocd.TOOL, flux.TOOL)
"""The tools that sync."""
BY_NAME: Mapping[str, SyncTool] = {tool.name: tool for tool in (*TOOLS, none.TOOL)}
"""`spec.gitops.tool` of a project -> the tool."""
NAMES = tuple(BY_NAME)

# Each tool ignores what is for the other.
KEPT: Annotations = {key: value for tool in TOOLS for key, value in tool.kept.items()}
"""On an object that no tool prunes."""
LEFT_ALONE: Annotations = {key: value for tool in TOOLS for key, value in tool.left_alone.items()}
"""On an object that every tool leaves alone."""
WITHOUT_EFFECT: Annotations = {key: value for tool in reversed(TOOLS) for key, value in tool.without_effect.items()}
"""On a Job that has no effect on any sync, in the order of the first release of tjgen."""

TRACKING_ANNOTATIONS = ("kubectl.kubernetes.io/last-applied-configuration", *(key for tool in TOOLS for key in tool.tracking))
"""Annotations with which programs identify the objects that they applied."""
TRACKING_LABELS = tuple([key for tool in TOOLS for key in tool.tracking_labels])
"""The same for labels."""


def tools_of(keys: set[str]) -> set[str]:
    """The names of the tools that read one of some annotations and labels."""
    return {tool.name for tool in TOOLS if any(key.startswith(f"{tool.domain}/") for key in keys)}


def units_of(environment: str, stage: str, application: str | None = None) -> dict[str, str]:
    """Tool -> the unit of a sync that an object is in: its stage, or all of its environment or `application` at once."""
    whole = environment if application is None else application
    return {tool.name: f"{environment}/{stage}" if tool.waits_for_units else whole for tool in TOOLS}
