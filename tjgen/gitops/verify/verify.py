"""A project and a base -> what is wrong with its tree and its locks, and both states with the line of each field."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import partial
from shlex import quote

from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Built
from tjgen.gitops.diff.reference import Base
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.diff.side import place_of
from tjgen.gitops.output.attributions import Attributions
from tjgen.gitops.output.damaged import damage
from tjgen.gitops.output.edits import in_cluster
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.verify import findings
from tjgen.gitops.verify.differences import (
    TreeDifference,
    differences,
    finding,
    is_unproduced,
    odd_files,
    outdated,
    removed_runs,
    runs_in,
)
from tjgen.gitops.verify.expected import Expected, expected
from tjgen.gitops.verify.lost_pins import lost_pins
from tjgen.gitops.verify.memory import nothing_known, unchanged
from tjgen.gitops.verify.proofs import Past, proof, restored
from tjgen.gitops.verify.repairs import repairs
from tjgen.gitops.verify.replay import Remember
from tjgen.gitops.verify.snapshot import Blobs, Snapshot, snapshot
from tjgen.gitops.verify.state import RunFiles, StoredLocks, StoredTree, TreeState
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic
from tjgen.trees.typing import NamedTuple


class Verified(NamedTuple):
    """The result of `verify`."""

    snapshot: Snapshot
    diagnostics: list[Diagnostic]
    attributions: Attributions
    """The lines that request the values of runs that were compiled."""
    compiled: int
    """Runs that were built again from the sources of today."""
    incomplete: bool = False
    """Whether the sources cannot be built."""
    outdated: bool = False
    """Whether sources have changed without a build."""


class _Compared(NamedTuple):
    """Two states of the project, compared."""

    expected: Expected
    differing: list[TreeDifference]
    refuted: dict[RunFiles, str]
    """Runs that differ, and that no commit produces either -> their names."""

    @property
    def is_clean(self) -> bool:
        return not self.differing and not self.expected.failed


def verify(
    plan: Plan, repository: Repository, base: Base, directory: str, *, staged: bool = False, seen: Callable[[Built], None]
) -> Verified:
    """Rebuild what the base lacks, and compare. `directory`: the output folder; `staged`: the folder holds the index.

    If the tree does not follow from the base in one step, each commit since the base that does is the base of the next step.
    Raises CompileError if a lock or the repository cannot be read.
    """
    blobs = Blobs(repository)
    both = snapshot(repository, base.commit, directory, plan.locks.folder, blobs)
    attributions = Attributions()
    past = Past(repository, both, blobs)
    remember: Remember = nothing_known
    if base.commit is not None:
        remember = unchanged(plan, repository, base.commit, both, staged=staged)
    now = partial(_compared, plan, directory, both, past, head=past.head(), attributions=attributions, seen=seen)
    result = now(base.commit, both.old, both.new, remember=remember)
    if result.differing:
        later = _last_step(base.commit, both, past)
        result = now(later, past.state(later), both.new) if later != base.commit else result
    differing = [one for one in result.differing if not is_ignored(one, repository)]
    command = "tjgen build" if directory == plan.output else f"tjgen build -o {quote(directory)}"
    renamed = [findings.renamed(both.project.then, base.name)] if both.project.is_renamed else []
    edited, diagnostics = outdated(differing, both.new, _merged(plan, directory, both, differing), command)
    is_outdated = bool(diagnostics)
    diagnostics = renamed + diagnostics
    edited, lost = removed_runs(edited, both, both.old, both.new, base.name)
    diagnostics += [*lost, *result.expected.diagnostics, *odd_files(both.tree), *odd_files(both.records)]
    diagnostics += [*_findings(edited, both, result.refuted, base.name, plan), *lost_pins(plan, both.records, base.name)]
    changed = {one.path.rpartition("/")[0] for one in differing if one.folder is both.tree}
    diagnostics += _damages(both.new, plan.project.directory, directory, changed)
    live: dict[str, bytes] = {}
    if base.commit is not None:
        tree = both.project.path(both.tree.path)
        live, notes = in_cluster(repository, base.commit, directory, tree, both.old.tree, sorted(both.tree.changed))
        diagnostics += notes
    return Verified(
        both.with_base(live), diagnostics, attributions, result.expected.compiled, result.expected.failed, is_outdated
    )


def _last_step(base: str | None, both: Snapshot, past: Past) -> str | None:
    """The last commit of the branch that follows from the base, step by step."""
    latest = base
    for commit, _ in past.commits(base, past.head()):
        with past.sources(commit) as directory:
            try:
                plan = make_plan(Request())
                old, new = past.state(latest), past.state(commit)
                result = _compared(plan, directory, both, past, latest, old, new, head=commit)
            except CompileError:
                continue
        if result.is_clean:
            latest = commit
    return latest


def _compared(
    plan: Plan,
    directory: str,
    both: Snapshot,
    past: Past,
    base: str | None,
    old: TreeState,
    new: TreeState,
    *,
    head: str | None,
    remember: Remember = nothing_known,
    attributions: Attributions | None = None,
    seen: Callable[[Built], None] | None = None,
) -> _Compared:
    """The state that follows from `old` compared with `new`, with the runs that commits between `base` and `head` produce."""
    proven = repairs(old, new, past, base)
    refuted: dict[RunFiles, str] = {}
    while True:
        result = expected(plan, old, new, directory, proven=proven, remember=remember, attributions=attributions, seen=seen)
        differing = differences(result.state, old, new, both, result.unused) if not result.failed else []
        more = {}
        for run, name in runs_in(differing, both, new).items():
            if run not in proven and run not in refuted:
                state = proof(run, past, base, head) or restored(run, past, base)
                if state is None:
                    refuted[run] = name
                else:
                    more[run] = state
        if not more:
            return _Compared(result, differing, refuted)
        proven |= more


def _merged(plan: Plan, directory: str, both: Snapshot, differing: list[TreeDifference]) -> set[str]:
    """The places of new files that a build of the tree changes to what they should be, as after a merge of two branches."""
    new = [one for one in differing if is_unproduced(one)]
    state = expected(plan, both.new, both.new, directory).state if new else both.new
    return {one.place for one in new if one.wanted == (state.tree if one.folder is both.tree else state.records).get(one.path)}


def _findings(
    differing: list[TreeDifference], both: Snapshot, refuted: dict[RunFiles, str], base: str, plan: Plan
) -> list[Diagnostic]:
    """A finding for each file; of a run or tombstone that comes from nowhere, one for all."""
    nowhere: dict[tuple[str, str], tuple[str, TreeDifference]] = {}
    for run, name in refuted.items():
        unknown = [one for one in differing if _belongs(one, run, both)]
        if unknown and all(one.wanted is None and one.before is None for one in unknown):
            nowhere |= {(one.folder.place, one.path): (name, one) for one in unknown}
    diagnostics = []
    for one in differing:
        known = nowhere.get((one.folder.place, one.path))
        place = place_of(one.path) if one.folder is both.tree else None
        promoted = place.environment if place is not None and place.run and plan.only_promoted(place.environment) else None
        diagnostics.append(
            findings.without_source(known[0], one.place, base) if known is not None else finding(one, base, promoted)
        )
    return diagnostics


def _damages(state: TreeState, project: str, directory: str, reported: Container[str]) -> Iterator[Diagnostic]:
    """TJ697 for each run that no build writes again, and whose files do not match its lock, except in the folders `reported`."""
    tree = StoredTree.of(state, directory, "")
    for place, lock in StoredLocks(project, state.records).all():
        for run in lock.runs.values():
            folder = folder_of(place, run)
            problem = damage(place, run, tree.bodies(folder), directory) if run.folder or not run.is_requested else None
            if problem is not None and folder not in reported:
                yield problem._replace(severity=ERROR)


def _belongs(one: TreeDifference, run: RunFiles, both: Snapshot) -> bool:
    if one.folder is both.records:
        return one.path == run.lock
    return one.path.startswith(f"{run.folder}/")


def is_ignored(one: TreeDifference, repository: Repository) -> bool:
    """Whether a file is only in the folder, and Git is configured to ignore it."""
    if one.wanted is not None or one.before is not None:
        return False
    path = f"{one.folder.path}/{one.path}"
    return path in repository.ignored([one.folder.path])
