"""The runs of a plan -> warnings about the fields that differ in the output tree, because a locked run stays as it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Run
from tjgen.gitops.emit import ondisk
from tjgen.gitops.output.carried import trees
from tjgen.gitops.output.layout import file_name, folder_of
from tjgen.language.runs.freeze import OURS
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.explain.report import shown
from tjgen.trees.fields.path import FieldPath, Tree, render
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.manifests.manifest import RUNS
from tjgen.trees.manifests.secrets import without_secrets
from tjgen.trees.typing import NamedTuple

_MOST_FIELDS = 3


class _Difference(NamedTuple):
    kind: str
    path: FieldPath
    kept: str
    """The value in the tree, as text."""
    built: str
    """The value that the sources give, as text."""

    def __str__(self) -> str:
        return f"{self.kind} {render(self.path)} is {self.kept} there, and {self.built} from the sources"


def warnings(plan: Plan, runs: Iterable[Run]) -> Iterator[Diagnostic]:
    """A warning (TJ166) for each locked run whose files have other values than the sources give now.

    Raises CompileError if a lock or a file of the tree cannot be read.
    """
    directory = plan.project.output
    if directory is None:
        return
    for run in runs:
        locked = plan.locks.of(run.unit).runs.get(run.name)
        if locked is None:
            continue
        folder = folder_of(run.unit, locked)
        differences = [*_differences(run, ondisk.bodies(directory, folder))]
        if differences:
            yield _warning(run, os.path.relpath(os.path.join(directory, folder)), differences)


def _differences(run: Run, bodies: dict[str, str]) -> Iterator[_Difference]:
    kept = trees(bodies)
    for manifest in run.compiled.manifests:
        old = kept.get(file_name(manifest)) if manifest.stage == RUNS else None
        if old is None:
            continue
        before, after = (_values(tree) for tree in (old, manifest.tree))
        for path in {**after, **before}:
            pair = before.get(path, "absent"), after.get(path, "absent")
            if pair[0] != pair[1]:
                yield _Difference(manifest.kind, path, *pair)


def _values(tree: Tree) -> dict[FieldPath, str]:
    """Path -> the value of each leaf as text, without the labels and annotations with which tjgen describes a build."""
    return {path: shown(without_secrets(value, path)) for path, value in leaves(tree) if not str(path[-1]).startswith(OURS)}


def _warning(run: Run, folder: str, differences: list[_Difference]) -> Diagnostic:
    rest = len(differences) - _MOST_FIELDS
    fields = "; ".join(map(str, differences[:_MOST_FIELDS])) + (f"; {rest} more fields differ" if rest > 0 else "")
    message = f'run "{run.name}" is locked, and its files in {folder} keep earlier values: {fields}'
    hint = (
        "to see which line set a value of the files, check out the commit that "
        f"git log --diff-filter=A -- {folder} shows, and repeat the command there"
    )
    return Diagnostic("TJ166", message, hint=hint)
