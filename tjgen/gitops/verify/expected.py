"""The base, the locks that are verified and the plan -> the state that builds and commands lead to from the base."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built
from tjgen.gitops.emit import header
from tjgen.gitops.output.attributions import Attributions
from tjgen.gitops.output.inventory import RunEntry, entries
from tjgen.gitops.output.promote import planned
from tjgen.gitops.verify.decisions import Decisions, carried_out, decisions, sources_of, with_adoption, with_renames, with_resumed
from tjgen.gitops.verify.memory import everything_known, nothing_known
from tjgen.gitops.verify.replay import UNDECIDED, Remember, Replayed, replay
from tjgen.gitops.verify.state import RunFiles, StoredLocks, StoredTree, TreeState
from tjgen.language.runs.lock import is_data
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, has_errors
from tjgen.trees.typing import NamedTuple

_IDLE_RUNTIME = "TJ750"


class Expected(NamedTuple):
    """The state that follows from the base, the sources and the decisions."""

    state: TreeState
    diagnostics: list[Diagnostic]
    decisions: Decisions
    unused: frozenset[str]
    """Claims that no run uses any more, by path: `--prune-data` may remove them."""
    compiled: int
    failed: bool
    """Whether the sources cannot be built, so that the state is incomplete."""


def expected(
    plan: Plan,
    base: TreeState,
    head: TreeState,
    directory: str,
    *,
    proven: Mapping[RunFiles, TreeState] = {},
    remember: Remember = nothing_known,
    attributions: Attributions | None = None,
    seen: Callable[[Built], None] | None = None,
    whole: bool = True,
) -> Expected:
    """The state, and what is wrong with the sources. `proven`: runs that the history of the sources makes, with their files.

    Raises CompileError if a lock cannot be read.
    """
    project = plan.project.directory
    # A lock that does not belong to its place, or cannot be read, is reported before anything is built.
    chosen = decisions(StoredLocks(project, base.records), StoredLocks(project, head.records))
    problems: list[Diagnostic] = []
    try:
        state = with_renames(with_adoption(base, chosen.adopting, project), chosen, project)
    except CompileError as error:
        state, problems = base, list(error.diagnostics)
    state = with_resumed(state, StoredLocks(project, head.records), project)
    for run, one in proven.items():
        state = run.replaced(state, one)
    result = replay(
        plan, state, directory, renew=chosen.renewed, remember=remember, attributions=attributions, seen=seen, whole=whole
    )
    if result.footprint and remember is not nothing_known:
        # Runs that take of quotas or write to shared folders are judged together with all others.
        result = replay(plan, state, directory, renew=chosen.renewed, attributions=attributions, seen=seen, whole=whole)
    state, compiled = result.state, result.compiled
    diagnostics = problems + result.diagnostics
    if chosen.keys and not result.failed:
        diagnostics = [one for one in diagnostics if one.code not in UNDECIDED]
        state, more, promoted = _decided(plan, state, head, directory, chosen, attributions, whole=whole)
        diagnostics += more
        compiled += promoted
    # A run that the history makes can be in no lock of its state, but its runtime was not left by a deletion.
    used = _uses(base, project) if any(one.code == _IDLE_RUNTIME for one in diagnostics) else set()
    diagnostics = [
        one for one in diagnostics if one.code != _IDLE_RUNTIME or not any(f"/{path}:" in one.message for path in used)
    ]
    return Expected(state, list(dict.fromkeys(diagnostics)), chosen, _unused(state, project), compiled, result.failed)


def _decided(
    plan: Plan,
    state: TreeState,
    head: TreeState,
    directory: str,
    chosen: Decisions,
    attributions: Attributions | None,
    *,
    whole: bool,
) -> tuple[TreeState, list[Diagnostic], int]:
    """The state after the decisions and the build that follows them, what is wrong, and how many promoted runs were built."""
    project = plan.project.directory
    environments: list[str | None] = [*plan.project.spec.environments] or [None]
    state, problems = carried_out(state, chosen, directory, project, environments)
    compiled = 0
    for promotion, problems_of_promotion in _promotions(plan, state, head, directory, chosen):
        problems += problems_of_promotion
        if promotion is not None:
            once = replay(promotion, state, directory, attributions=attributions, whole=False)
            problems += once.diagnostics
            state = once.state
            compiled += once.compiled
    if not has_errors(problems):
        again: Replayed = replay(plan, state, directory, remember=everything_known(plan, state, but=chosen.keys), whole=whole)
        problems += [one for one in again.diagnostics if has_errors([one])]
        state = again.state
    return state, problems, compiled


def _promotions(
    plan: Plan, state: TreeState, head: TreeState, directory: str, chosen: Decisions
) -> list[tuple[Plan | None, list[Diagnostic]]]:
    """The plan of each promotion to an environment, and what differs in it."""
    project = plan.project.directory
    known = {f"{one.place.key}/{one.run.name}": one for one in entries(StoredLocks(project, state.records))}
    wanted: dict[str, list[RunEntry]] = {}
    again = {at: origin for at, origin in chosen.promoted_again.items() if plan.only_promoted(at[0].partition("/")[0])}
    for (key, _), origin in {**chosen.promoted, **again}.items():
        if origin in known:
            wanted.setdefault(key.partition("/")[0], []).append(known[origin])
    plans: list[tuple[Plan | None, list[Diagnostic]]] = []
    stored = StoredTree.of(state, directory, "")
    for environment, runs in sorted(wanted.items()):
        try:
            plans.append(planned(runs, sources_of(stored, runs, project), environment, project))
        except CompileError as error:
            plans.append((None, list(error.diagnostics)))
    return plans


def _uses(state: TreeState, project: str) -> set[str]:
    """The shared files that runs of the locks use."""
    return {path for _, lock in StoredLocks(project, state.records).all() for run in lock.runs.values() for path in run.uses}


def _unused(state: TreeState, project: str) -> frozenset[str]:
    uses = _uses(state, project)
    return frozenset(path for path, content in state.tree.items() if _is_claim(path, content) and path not in uses)


def _is_claim(path: str, content: bytes) -> bool:
    return is_data(path) and header.read(content) is not None
