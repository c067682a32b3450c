"""A plan and a directory -> what a build would write there (`--dry-run`). Nothing is written."""

from __future__ import annotations

from tjgen.compiler.building.plan import Plan
from tjgen.gitops.emit import problems
from tjgen.gitops.emit.comparison import Comparison, FileDifference
from tjgen.gitops.emit.plan import EDITED, EXTRA, FOREIGN, MISSING
from tjgen.gitops.output.apply import Directory
from tjgen.gitops.output.options import BuildOptions, of_project
from tjgen.gitops.output.write import WriteResult, apart_from_runs, build_into
from tjgen.trees.diagnostics.model import Diagnostic, has_errors

_WORDS = {MISSING: "new", EXTRA: "removed"}


def foresee(plan: Plan, directory: str, *, options: BuildOptions) -> tuple[WriteResult, list[str]]:
    """The result of a build into `directory`, and a line for each file that it would change."""
    tree = Comparison(directory, records=plan.locks.folder)
    one = Directory(directory, tree, None, plan.locks, of_project(plan, options))
    diagnostics = build_into(one, plan, [], None, None, None, options)
    diagnostics += apart_from_runs(plan, tree, one, options, diagnostics)
    differences = tree.differences() if not has_errors(diagnostics) else []
    diagnostics += [problem for file in differences if (problem := _refused(file, options)) is not None]
    return WriteResult(diagnostics, one.counts), [f"{_WORDS.get(one.kind, 'changed')}: {one.place}" for one in differences]


def _refused(file: FileDifference, options: BuildOptions) -> Diagnostic | None:
    """Why a build would not write over the file, if it would not."""
    if file.kind == FOREIGN:
        return problems.foreign(file.place)
    return problems.stale(file.place, file.kind) if file.kind == EDITED and not options.force else None
