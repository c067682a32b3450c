"""The plan of a workspace -> the plans of its projects, and what only all of them show."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.language.resolve.overlays import Surroundings
from tjgen.language.resolve.policy import judged
from tjgen.trees.diagnostics.model import Diagnostic


def is_of_all(plan: Plan) -> bool:
    """Whether a plan is of a whole workspace, so that a command works on all of its projects."""
    return plan.whole and plan.project.is_workspace


def folders(plan: Plan) -> tuple[str, ...]:
    """The folders of the projects of a workspace, from the working directory."""
    return plan.project.workspace.members if plan.project.workspace is not None else ()


def plan_of(plan: Plan, folder: str) -> Plan | None:
    """The plan of a project of a workspace for the same request; None if it has none of the requested environments.

    Raises CompileError if the project is wrong.
    """
    assert plan.project.workspace is not None, "only a workspace has projects"
    request = plan.request._replace(project=folder, workspace=plan.project.workspace.document.file, environments=())
    own = make_plan(request)
    if not plan.request.environments:
        return own
    # A project may have only some of the environments of the workspace.
    wanted = [name for name in own.environments if name is not None and name in plan.request.environments]
    return make_plan(request._replace(environments=wanted)) if wanted else None


def unmatched(plan: Plan, matched: Collection[tuple[str, str]]) -> list[Diagnostic]:
    """TJ211 for each overlay of the workspace that is for no experiment; `matched`: file and name of the other overlays."""
    names = {name for _, name in matched}
    diagnostics = list(dict.fromkeys(_unmatched(plan, names)))
    return judged(diagnostics, plan.project.spec.policy)


def _unmatched(plan: Plan, names: Collection[str]) -> Iterator[Diagnostic]:
    for environment in plan.environments:
        surroundings = Surroundings(plan.project, environment, plan.layers)
        surroundings.note_matched([*names])
        yield from (diagnostic for _, diagnostic in surroundings.unmatched())
