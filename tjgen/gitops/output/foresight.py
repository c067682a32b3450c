"""A plan and a directory -> what a build would write there (`--dry-run`). Nothing is written."""

from __future__ import annotations

from tjgen.compiler.building.plan import Plan
from tjgen.gitops.emit import problems
from tjgen.gitops.emit.comparison import Comparison
from tjgen.gitops.emit.plan import EDITED, EXTRA, FOREIGN, MISSING
from tjgen.gitops.emit.unedited import stale
from tjgen.gitops.output.apply import Directory
from tjgen.gitops.output.options import BuildOptions, of_project
from tjgen.gitops.output.write import WriteResult, apart_from_runs, build_into
from tjgen.trees.diagnostics.model import has_errors

_WORDS = {MISSING: "new", EXTRA: "removed"}


def foresee(plan: Plan, directory: str, *, options: BuildOptions) -> tuple[WriteResult, list[str]]:
    """The result of a build into `directory`, and a line for each file that it would change."""
    tree = Comparison(directory, records=plan.locks.folder)
    one = Directory(directory, tree, None, plan.locks, of_project(plan, options))
    diagnostics = build_into(one, plan, [], None, None, None, options)
    diagnostics += apart_from_runs(plan, tree, one, options, diagnostics)
    differences = tree.differences() if not has_errors(diagnostics) else []
    diagnostics += [problems.foreign(one.place) for one in differences if one.kind == FOREIGN]
    diagnostics += stale(one for one in differences if one.kind == EDITED) if not options.force else []
    return WriteResult(diagnostics, one.counts), [f"{_WORDS.get(one.kind, 'changed')}: {one.place}" for one in differences]
