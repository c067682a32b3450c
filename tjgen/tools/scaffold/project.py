"""Options -> `tjgen.yaml` of a new repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.cluster.synctools.table import NO_TOOL
from tjgen.tools.scaffold.branch import DEFAULT
from tjgen.tools.scaffold.options import OUTPUT, Options
from tjgen.trees.source.quoting import double_quoted


def text(options: Options) -> str:
    """The project file: where things are, and what they are built for."""
    return "\n".join(_lines(options)) + "\n"


def _lines(options: Options) -> Iterator[str]:
    yield "# The folders and environments of this repository. `tjgen build` without a path builds all of them."
    yield "apiVersion: tjgen.dev/v1alpha1"
    yield "kind: Project"
    yield f"metadata: {{name: {options.name}}}"
    yield "spec:"
    yield "  experiments: [experiments]"
    if options.environments:
        yield "  overlays: [overlays]"
    yield "  catalogs: [catalog]"
    if options.has_platform:
        yield "  platforms: [platform/platform.yaml]"
    if options.environments:
        yield from environment_lines(options, lambda name: f"namespace: {options.namespace(name)}")
    if options.release:
        yield "  # The release of Kubeflow Trainer that the manifests were written for."
        yield f'  trainer: "{options.release}"'
    yield f"  output: {{directory: {OUTPUT}}}"
    yield from gitops_line(options)


def environment_lines(options: Options, setting: Callable[[str], str]) -> Iterator[str]:
    """The environments, each with its own `setting`, its label, and whether it has only promoted runs."""
    last = options.environments[-1]
    if options.promotes(last):
        yield f"  # Only `tjgen promote` starts runs in {last}. In the other environments, a merge starts them."
    yield "  environments:"
    for name in options.environments:
        promoted = ", runs: promoted" if options.promotes(name) else ""
        yield f"    {name}: {{{setting(name)}, labels: {{stage: {name}}}{promoted}}}"


def gitops_line(options: Options) -> Iterator[str]:
    """The line of the tool that applies the output, if there is one."""
    if options.tool != NO_TOOL:
        path = f", path: {double_quoted(options.output)}" if options.folder else ""
        revision = f", revision: {double_quoted(options.branch)}" if options.branch != DEFAULT else ""
        yield f"  gitops: {{tool: {options.tool}, repository: {double_quoted(options.repository)}{revision}{path}}}"
