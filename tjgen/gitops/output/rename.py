"""An experiment, namespace or environment that was renamed -> its runs in the lock of the new name.

Files stay where they are, byte for byte, and the lock records their folder. So a sync sees no change, and no Application or
Kustomization gets another owner. Later runs have the new name, and go on with the claims and checkpoint folders of the old one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Built, Run
from tjgen.gitops.output.history import refuse
from tjgen.gitops.output.layout import folder_of
from tjgen.language.runs.blocks import uncovered
from tjgen.language.runs.lock import (
    ACTIVE,
    ORPHANED,
    RENAMED,
    REPLACED,
    SUPERSEDED,
    SUSPENDED,
    Lock,
    LockedRun,
    path_of,
    tombstone,
)
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import ERROR, Diagnostic
from tjgen.trees.session import Session
from tjgen.trees.typing import NamedTuple


class Rename(NamedTuple):
    """One experiment that has another place now."""

    old: LockKey
    new: LockKey


class Renamed(NamedTuple):
    """The outcome: how many runs have another experiment, the locks to write, and runs that are superseded by it."""

    runs: int
    records: list[tuple[str, str | None]]
    duplicates: list[str]
    """Runs that a build created under the new name although the old run has the same content."""
    removed: list[str]
    """Folders of such runs that also have the name of the old run: the old run takes their place."""
    released: list[str]
    """Claims that only the removed runs used, by path in the output tree. They stay, and the tombstones record them."""


FIELDS = ("environment", "namespace")


def experiments(locks: Locks, old: str, new: str, field: str | None) -> list[Rename]:
    """The experiments that `old` means, each with the place that `new` gives it.

    With `field` the two are an environment or a namespace, without it experiments: `[[environment/]namespace/]name`, both in
    the same form. Parts that are left out match everything, and stay as they are.
    """
    fields = (field,) if field is not None else LockKey._fields[-1 - old.count("/") :]
    before, after = (dict(zip(fields, key.split("/"), strict=False)) for key in (old, new))
    renames = []
    for place, lock in locks.all():
        if lock.runs and all(getattr(place, name) == part for name, part in before.items()):
            renames.append(Rename(place, place._replace(**after)))
    return renames


def identities(project: str, old: str, new: str) -> dict[str, str]:
    """Identity that each run of environment `new` had in environment `old` -> its identity now. Raises CompileError."""
    plan = make_plan(Request((), environments=[new], project=project))
    renamed_identities: dict[str, str] = {}
    for built in build(plan, Session()):
        refuse(one for one in built.diagnostics if one.severity == ERROR)
        renamed_identities |= identities_before(built.runs if isinstance(built, Built) else (), old)
    return renamed_identities


def identities_before(runs: Iterable[Run], old: str) -> dict[str, str]:
    """Identities that runs had in environment `old` ("": in a project without environments) -> their identities now."""
    known: dict[str, str] = {}
    for run in runs:
        before = run.content._replace(environment=old)
        now = str(run.content.identity())
        known[str(before.identity())] = now
        # A lock that has the run by an earlier identity may have it without a block: the next build decides about that.
        earlier = run.content.earlier_identities() if uncovered(run.content) else repeat(now)
        for one, new in zip(before.earlier_identities(), earlier, strict=False):
            known.setdefault(str(one), str(new))
    return known


def rename(
    locks: Locks, renames: Sequence[Rename], identities: Mapping[str, str], committed: Mapping[LockKey, Lock] | None = None
) -> Renamed:
    """Give the runs of each experiment to its new place; `identities`: identity before an environment was renamed -> after it.

    `committed`: the locks of the last commit of experiments whose promoted runs a build orphaned.
    After a build under the new namespace, a run of the same name and content exists there. The old run takes its place in
    the lock, and its folder is removed. Raises CompileError (TJ278, TJ279) if there is nothing to rename, or a run of the
    same name and other content is in the way.
    """
    refuse(_problems(locks, renames, identities))
    records: list[tuple[str, str | None]] = []
    duplicates: list[str] = []
    removed: list[str] = []
    released: list[str] = []
    count = 0
    for old, new in renames:
        before, target = locks.of(old), locks.of(new)
        moved = {name: _moved(old, run, identities) for name, run in before.runs.items()}
        for name, run in moved.items():
            twins = [one for one in target.runs.values() if one.identity == run.identity and one.is_requested]
            duplicates += [one.name for one in twins if one.name != name]
            target = target.with_runs([one._replace(state=SUPERSEDED) for one in twins])
            state = ACTIVE if twins else _state(run, before, (committed or {}).get(old))
            moved[name] = run._replace(state=state, kept=False)
        reason = f"tjgen runs rename {old.key} {new.key}"
        tombstones = {name: tombstone(run, reason, RENAMED)._replace(claims=()) for name, run in before.runs.items()}
        for name in [one for one in moved if one in target.runs]:
            folder, uses = folder_of(new, target.runs[name]), moved[name].uses
            claims = tuple([claim for claim in tombstone(target.runs[name], reason).claims if claim not in uses])
            tombstones[name] = tombstones[name]._replace(was=REPLACED, folder=folder, claims=claims)
            removed.append(folder)
            released += claims
        left = before._replace(runs={}, pruned={**before.pruned, **tombstones})
        records += locks.changes(path_of(*old), left)
        records += locks.changes(path_of(*new), Lock(new.key, {**target.runs, **moved}, target.pruned))
        count += len(moved)
    return Renamed(count, records, duplicates, removed, sorted({*released}))


def _moved(old: LockKey, run: LockedRun, identities: Mapping[str, str]) -> LockedRun:
    return run._replace(folder=folder_of(old, run), identity=identities.get(run.identity, run.identity))


def _state(run: LockedRun, lock: Lock, committed: Lock | None) -> str:
    """The state of a run under the new name. If the sources request an orphaned run, only a promoted one stays as it is."""
    if run.state != ORPHANED:
        return run.state
    if not run.promoted_from:
        return SUPERSEDED
    known = committed.runs.get(run.name) if committed is not None else None
    if known is not None and known.state in (ACTIVE, SUSPENDED, SUPERSEDED):
        return known.state
    newest = max(one.number for one in lock.runs.values() if one.promoted_from)
    return ACTIVE if run.number == newest else SUPERSEDED


def _problems(locks: Locks, renames: Sequence[Rename], identities: Mapping[str, str]) -> Iterator[Diagnostic]:
    if not renames:
        yield Diagnostic("TJ278", "no run has that name", hint="run tjgen runs list to see experiments and environments")
    for old, new in renames:
        before, target = locks.of(old), locks.of(new)
        if not before.runs:
            hint = "run tjgen runs list to see the experiments, as [ENVIRONMENT/]NAMESPACE/NAME"
            yield Diagnostic("TJ278", f"experiment {old.key} has no runs", hint=hint)
        for name in sorted({*before.runs} & {*target.runs, *target.pruned}):
            identity, other = before.runs[name].identity, target.runs.get(name)
            if other is not None and other.is_requested and other.identity == identities.get(identity, identity):
                continue
            message = f'run "{name}" cannot be given to {new.key}, which has another run of that name'
            hint = "choose another name, or remove naming: fixed of the experiment"
            yield Diagnostic("TJ279", message, hint=hint)
