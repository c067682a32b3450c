"""Wishes -> `tjgen.yaml` of a new repository."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.scaffold.wishes import OUTPUT, Wishes
from tjgen.trees.source.quoting import double_quoted


def text(wishes: Wishes) -> str:
    """The project file: where things are, and what they are built for."""
    return "\n".join(_lines(wishes)) + "\n"


def _lines(wishes: Wishes) -> Iterator[str]:
    yield "# Where things are, and what they are built for. `tjgen build` without a path builds all of it."
    yield "apiVersion: tjgen.dev/v1alpha1"
    yield "kind: Project"
    yield f"metadata: {{name: {wishes.name}}}"
    yield "spec:"
    yield "  experiments: [experiments]"
    if wishes.environments:
        yield "  overlays: [overlays]"
    yield "  catalogs: [catalog]"
    if wishes.environments:
        if wishes.promotes(wishes.environments[-1]):
            yield f"  # Runs come to {wishes.environments[-1]} by `tjgen promote` alone; a merge starts runs everywhere else."
        yield "  environments:"
        for name in wishes.environments:
            promoted = ", runs: promoted" if wishes.promotes(name) else ""
            yield f"    {name}: {{namespace: {wishes.namespace(name)}, labels: {{stage: {name}}}{promoted}}}"
    if wishes.release:
        yield "  # The release of Kubeflow Trainer that the manifests were written for."
        yield f'  trainer: "{wishes.release}"'
    yield f"  output: {{directory: {OUTPUT}}}"
    if wishes.tool != "none":
        path = f", path: {double_quoted(wishes.output)}" if wishes.folder else ""
        yield f"  gitops: {{tool: {wishes.tool}, repository: {double_quoted(wishes.repository)}{path}}}"
