"""A state and the plan of a build -> the state that the build leaves, in memory, and what the build reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.origins import newest, renewed
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built, ProjectFindings, Recall, Run, SourceFindings
from tjgen.gitops.output import orphans
from tjgen.gitops.output.apply import Directory
from tjgen.gitops.output.attributions import Attributions
from tjgen.gitops.output.decide import Again
from tjgen.gitops.output.done import Done
from tjgen.gitops.output.options import BuildOptions, of_project
from tjgen.gitops.output.policed import without_findings
from tjgen.gitops.output.queued import in_trees
from tjgen.gitops.output.write import platforms, syncing
from tjgen.gitops.verify.added import trees_of
from tjgen.gitops.verify.state import StateReplica, StoredLocks, StoredTree, TreeState
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.session import Session
from tjgen.trees.typing import Any, NamedTuple

UNDECIDED = ("TJ273", "TJ274")
"""Runs without a source: a decision that follows the build may resolve them."""
_SEVERAL = "TJ276"
_REFUSED_UPDATE = "TJ540"
"""Between the base and the tree, lint reports refused updates (see evaluate.py)."""
_DAMAGED = "TJ697"
"""Files that the base lacks: what counts is the state that is verified (see verify.py)."""


class UnchangedSource(NamedTuple):
    """A source that is as it was at the base, with its runs: it is not compiled."""

    units: tuple[tuple[str, str], ...]
    """Key of each experiment in it, and the path of its lock."""
    overlays: tuple[str, ...]
    done: Done
    footprint: tuple[Any, ...] = ()
    relations: tuple[Any, ...] = ()
    """None: evaluate.py compares the objects of the tree."""
    findings: SourceFindings = SourceFindings()
    """None: a file without a unit in an environment is read again, and the base has the same problems."""


Remember = Callable[[str, "str | None"], "UnchangedSource | None"]
"""File and environment of a source -> what is known of it; None to compile it."""


class Replayed(NamedTuple):
    """The result of a build in memory."""

    state: TreeState
    diagnostics: list[Diagnostic]
    compiled: int = 0
    """Runs that were compiled."""
    footprint: bool = False
    """Whether a run that was compiled takes of resources that other runs share."""
    failed: bool = False
    """Whether the sources cannot be built, so that the state is incomplete."""


def replay(
    plan: Plan,
    state: TreeState,
    directory: str,
    *,
    renew: Sequence[str] = (),
    remember: Remember = lambda *_: None,
    attributions: Attributions | None = None,
    seen: Callable[[Built], None] | None = None,
    whole: bool = True,
) -> Replayed:
    """Build `plan` over `state`. `directory` is the output folder that diagnostics name; `renew`: runs to run again.

    Without `whole`, runs without a source are left as they are.
    """
    locks = StoredLocks(plan.project.directory, state.records)
    plan = plan._replace(locks=locks)
    tree, session = StateReplica(state), Session()
    # Whether objects get another owner is judged between the base and the tree: see evaluate.py.
    options = of_project(plan, BuildOptions(again=bool(renew), migrates=True))
    stored = StoredTree.of(state, directory, locks.folder)
    target = Directory(directory, tree, None, locks, options, stored)
    diagnostics: list[Diagnostic] = []

    def renew_run(run: Run) -> Run | None:
        return renewed(plan, session, run) if run.name in renew else None

    again = Again(renew_run, lambda run: newest(plan, session, run))
    compiled, footprint = 0, False
    for result in build(plan, session, recall=_recall(target, remember)):
        if isinstance(result, ProjectFindings):
            diagnostics += result.diagnostics
            continue
        built = without_findings(result)  # see policies.py, since a policy does not stop runs that exist
        built = in_trees(built, plan, lambda place, run: list(trees_of(stored, place, run)))
        diagnostics += built.diagnostics
        compiled += len(built.runs)
        footprint = footprint or bool(built.footprint)
        if attributions is not None:
            attributions.add(built.runs)
        if seen is not None:
            seen(built)
        if not built.failed:
            target.add(built, again)
    environments: list[str | None] = [*plan.project.spec.environments] or [None]
    is_whole = whole and plan.whole and not has_errors(diagnostics)
    target.finish(plan.environments, whole=is_whole, all_environments=environments)
    diagnostics += target.diagnostics
    if whole and not _failed(diagnostics):
        diagnostics += platforms(plan, tree, target.on_disk, options, attributions)
    if whole and not _failed(diagnostics):
        diagnostics += syncing(plan, tree, target.on_disk, options)
    # Several current runs of one point are those of the base: the build supersedes all but one of them.
    diagnostics = [one for one in orphans.as_gate(diagnostics) if one.code not in (_SEVERAL, _REFUSED_UPDATE, _DAMAGED)]
    return Replayed(tree.after(), diagnostics, compiled, footprint, _failed(diagnostics))


def _failed(diagnostics: Sequence[Diagnostic]) -> bool:
    return has_errors([one for one in diagnostics if one.code not in UNDECIDED])


def _recall(target: Directory, remember: Remember) -> Recall:
    def recall(file: str, environment: str | None, content: bytes) -> UnchangedSource | None:
        del content  # `remember` compares it with the base
        recalled = remember(file, environment)
        if recalled is not None:
            target.recall([lock for _, lock in recalled.units], recalled.done)
        return recalled

    return recall
