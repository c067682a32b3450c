"""Pruned runs and what there still is -> the runs whose checkpoint folders can go, and why the others stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from tjgen.gitops.output.inventory import RunEntry
from tjgen.language.runs.lock import PrunedRun
from tjgen.language.runs.store import LockKey
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import NamedTuple

Pruned = Sequence[tuple[LockKey, PrunedRun]]


class Selection(NamedTuple):
    """The runs that a command means."""

    chosen: Pruned
    """Those whose folders can go."""
    kept: Sequence[str]
    """Why the folders of others stay, in a line each."""
    problems: list[Diagnostic]
    """Errors for runs that are named, and stay."""


def select(
    removed: Pruned,
    existing: Sequence[RunEntry],
    patterns: Sequence[str],
    keep_runs: Mapping[str, int],
    resumed: Mapping[str, str],
) -> Selection:
    """The pruned runs of experiments with `keepRuns` beyond that number; with `patterns`, only the runs that match.

    `keep_runs` is by the key of the experiment, and `resumed` is by the name of a run the run that resumes from it. A run that
    is named is an error if its folder stays; one that a pattern or `keepRuns` selects only stays.
    """
    reasons = dict(_reasons(removed, existing, keep_runs))
    chosen: list[tuple[LockKey, PrunedRun]] = []
    kept: list[str] = []
    problems: list[Diagnostic] = []
    for place, run in removed:
        if patterns and not any(fnmatchcase(run.name, pattern) for pattern in patterns):
            continue
        if not patterns and place.key not in keep_runs:
            continue
        reason = reasons.get(run.name)
        if not patterns and reason is None and run.name in resumed:
            reason = f"{resumed[run.name]} resumes from it"
        if reason is None:
            chosen.append((place, run))
        elif run.name in patterns:
            message = f'the checkpoint folder of run "{run.name}" stays: {reason}'
            problems.append(Diagnostic("TJ537", message, hint="do not name it, or change what keeps it"))
        else:
            kept.append(f"kept: {run.name}: {reason}")
    return Selection(chosen, kept, problems)


def _reasons(removed: Pruned, existing: Sequence[RunEntry], keep_runs: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for place, _ in {one[0].key: one for one in removed}.values():
        yield from _newest(place, removed, existing, keep_runs.get(place.key, 0))
    names = {run.name for _, run in removed}
    promoted = {f"{place.key}/{run.name}": run.name for place, run in removed}
    for entry in existing:
        # The name of a run follows its content, so another environment may have a run, and a folder, of the same name.
        if entry.run.name in names:
            yield entry.run.name, f"a run of that name is {entry.run.lifecycle_state} in {entry.place.key}"
        if entry.run.promoted_from in promoted:
            yield promoted[entry.run.promoted_from], f"it is promoted to {entry.place.key}"


def _newest(place: LockKey, removed: Pruned, existing: Iterable[RunEntry], keep: int) -> Iterator[tuple[str, str]]:
    """The newest former runs of an experiment. Those that are in the tree have their folders anyway, and count."""
    former = [(one.run.number, one.run.name) for one in existing if one.place == place and not one.run.is_requested]
    former += [(run.number, run.name) for where, run in removed if where == place]
    for _, name in sorted(former)[max(0, len(former) - keep) :]:
        yield name, f"keepRuns keeps the folders of the newest {keep} former runs of {place.key}"
