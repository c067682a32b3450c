"""The patterns of `--renew` -> those that renew nothing, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.compiler.building.plan import Plan
from tjgen.gitops.output.history import archived_by_experiment, not_requested
from tjgen.gitops.output.inventory import RunEntry, entries, matching
from tjgen.language.runs.lock import ARCHIVED, Lock
from tjgen.trees.diagnostics.model import INFO, WARNING, Diagnostic


def without_effect(patterns: Sequence[str], plan: Plan, after: Mapping[str, Lock]) -> list[Diagnostic]:
    """TJ080 for a pattern without a run; TJ084, TJ085 and TJ219 for a name, not a pattern, that is not renewed.

    `after`: key of an experiment -> its lock after the build, for the experiments that the build read.
    """
    known = entries(plan.locks, [one for one in plan.environments if one is not None])
    diagnostics = matching(known, patterns)[1]
    for entry in known:
        if entry.run.name in patterns:
            reason = _reason(entry, after.get(entry.place.key))
            diagnostics += [reason] if reason is not None else []
    return diagnostics


def _reason(entry: RunEntry, after: Lock | None) -> Diagnostic | None:
    name = entry.run.name
    now = after.runs.get(name) if after is not None else None
    if after is not None and entry.run.is_requested and not (now is not None and now.is_requested):
        return None
    if entry.run.state == ARCHIVED:
        return archived_by_experiment(entry)
    if entry.run.archived:
        return _report(entry, "it is archived", f"use tjgen runs unarchive {name} first", WARNING)
    if now is not None and now.is_requested:
        return _report(entry, "the sources would not change it", f"to train it again, use tjgen runs rerun {name}", INFO)
    if not entry.run.is_requested:
        return not_requested(entry)
    problem = f"this build does not read experiment {entry.place.key}"
    return _report(entry, problem, f"use tjgen build --renew {name} without the names of files", WARNING)


def _report(entry: RunEntry, reason: str, hint: str, severity: str) -> Diagnostic:
    return Diagnostic("TJ219", f'run "{entry.run.name}" is not renewed: {reason}', hint=hint, severity=severity)
