"""Runs -> the texts of the objects that `tjgen build` prints."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cli.command import Arguments
from tjgen.compiler.building.run import Run
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import STAGES, Manifest


def collect(
    runs: Sequence[Run], arguments: Arguments, chosen: dict[ObjectRef, Tree], staged: dict[str, list[str]]
) -> list[Diagnostic]:
    """The texts of all objects, each object once, by stage; an error for each that two runs make differently."""
    from tjgen.trees.source.writer import dump

    expanded = arguments["expanded"] is not None
    diagnostics = []
    for one in runs:
        for manifest, note in _previews(one, arguments) if expanded else [(one, "") for one in one.compiled.manifests]:
            # The API server completes a generated name, so each object with it is one of its own.
            tree = chosen.get(manifest.ref) if "name" in manifest.tree["metadata"] else None
            if tree is None:
                tree = chosen[manifest.ref] = manifest.tree
                staged[STAGES[-1] if expanded else manifest.stage].append(note + dump(tree))
            elif tree is not manifest.tree and tree != manifest.tree:
                from tjgen.gitops.output.problems import differing_file

                diagnostics.append(differing_file(str(manifest.ref), one))
    return diagnostics


def _previews(run: Run, arguments: Arguments) -> list[tuple[Manifest, str]]:
    """The objects that controllers will create, each with its comment."""
    from tjgen.cluster.controllers.previews import note_of  # few builds show them

    return [(one, note_of(one)) for one in run.compiled.down_to_pods(every=arguments["all_pods"])]
