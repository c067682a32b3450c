"""Two layouts of a tree, and its locks -> TJ259 for runs that start again in another cluster.

An Application or a Kustomization with another cluster creates everything of the tree there. What it applied before stays in the
former cluster, and no sync changes or deletes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.synctools.table import BY_NAME
from tjgen.compiler.building.plan import Plan
from tjgen.gitops.sync.access import setting
from tjgen.gitops.sync.ownership import Layout
from tjgen.language.runs.lock import ARCHIVED, Lock, path_of
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import WARNING, Diagnostic, Span
from tjgen.trees.typing import NamedTuple

_SHOWN = 3


class Relocation(NamedTuple):
    """The runs of an environment that gets another cluster."""

    environment: str
    old: str
    """The former cluster, as people write it."""
    new: str
    runs: Sequence[str]
    """Names of the runs that exist at both times, and are not archived: a sync applies them."""


def relocations(
    plan: Plan, before: Mapping[str, Layout], after: Mapping[str, Layout], locks: Locks, later: Mapping[str, Lock] | None = None
) -> list[Relocation]:
    """The environments of the plan with another cluster and such runs. `later`: key of an experiment -> its lock afterwards."""
    known = ((name or "", before.get(name or ""), after.get(name or "")) for name in plan.environments)
    changed = [(name, old, new) for name, old, new in known if old is not None and new is not None and _differ(old, new)]
    every = [Relocation(name, old.cluster, new.cluster, [*_runs(name, locks, later or {})]) for name, old, new in changed]
    return [one for one in every if one.runs]


def refusals(plan: Plan, moves: Sequence[Relocation]) -> list[Diagnostic]:
    """The errors of a build that would give runs another cluster."""
    return [
        Diagnostic(
            "TJ259",
            f"{_named(one)} would start again in {one.new}, and stay in {one.old}, where no sync changes or stops them any more",
            span=_place(plan, one),
            hint=f"if they have ended, use tjgen runs archive {' '.join(one.runs[:_SHOWN])}{' ...' * (len(one.runs) > _SHOWN)}; "
            "to train in the other cluster too, add an environment for it; tjgen build --force starts them again",
        )
        for one in moves
    ]


def warnings(plan: Plan, moves: Sequence[Relocation]) -> list[Diagnostic]:
    """The same for a tree that was written with `--force`: merging it moves the runs."""
    return [
        Diagnostic(
            "TJ259",
            f"{_named(one)} start again in {one.new}, and stay in {one.old}, where no sync changes or stops them any more",
            span=_place(plan, one),
            hint=f"after the merge, delete these runs from {one.old}; or revert the change of the project and of its output",
            severity=WARNING,
        )
        for one in moves
    ]


def _differ(old: Layout, new: Layout) -> bool:
    return bool(old.tool == new.tool and old.cluster and new.cluster and old.cluster != new.cluster)


def _runs(environment: str, locks: Locks, later: Mapping[str, Lock]) -> Iterator[str]:
    for _, lock in locks.all([path_of(environment or None, "", "").partition("/")[0]]):
        afterwards = later.get(lock.experiment, lock).runs
        for run in lock.runs.values():
            if ARCHIVED not in (run.lifecycle_state, afterwards.get(run.name, run).lifecycle_state):
                yield run.name


def _named(one: Relocation) -> str:
    names = f"{', '.join(one.runs[:_SHOWN])}{', ...' * (len(one.runs) > _SHOWN)}"
    return f"runs of environment {one.environment} ({names})" if one.environment else f"runs ({names})"


def _place(plan: Plan, one: Relocation) -> Span | None:
    project = plan.project
    if project.document is None:
        return None
    if "kubeConfig" in BY_NAME[project.spec.gitops.tool].settings:
        return project.document.locate(setting(project, one.environment or None, "kubeConfig")[1])
    return project.document.locate(("spec", "environments", one.environment, "cluster"))
