"""Runs to train again -> their successors under new names, written into the output tree."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.gitops.output.history import archived_by_experiment, not_requested, refuse, sources
from tjgen.gitops.output.inventory import RunEntry
from tjgen.gitops.output.options import BuildOptions
from tjgen.gitops.output.write import WriteResult, write
from tjgen.language.runs.lock import ARCHIVED
from tjgen.trees.session import Session


def rerun(chosen: Sequence[RunEntry], directory: str, project: str, *, force: bool = False) -> WriteResult:
    """Build the files of the experiments with these runs renewed; `project` is the folder of the project.

    Raises CompileError (TJ081, TJ084, TJ085) where a run cannot run again.
    """
    refuse(archived_by_experiment(entry) for entry in chosen if entry.run.state == ARCHIVED)
    paths = sources(chosen, directory, project)
    environments = sorted({entry.place.environment for entry in chosen if entry.place.environment})
    missing = [path for path in paths if not os.path.isfile(path)]
    present = [path for path in paths if path not in missing]
    request = Request(present, environments=environments, project=project or ".")
    names = _names(make_plan(request)) if present else set()
    refuse(not_requested(entry) for entry in chosen if entry.run.name not in names)
    options = BuildOptions(force=force, again=True)
    return write(make_plan(request), directory, None, options=options, renew=[entry.run.name for entry in chosen])


def _names(plan: Plan) -> set[str]:
    """Return the current names of the runs of the experiments."""
    return {run.name for built in build(plan, Session()) for run in built.runs}
