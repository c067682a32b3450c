"""Runs that no source requests -> one diagnostic: how many, why, and the commands that resolve it."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence

from tjgen.gitops.output.actions import Orphan
from tjgen.language.runs.lock import ARCHIVED, Lock, path_of
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic

GATED = ("TJ273", "TJ276", "TJ697")
"""Warnings of a build that are errors in every gate (`--check`, `--staged`)."""
_SHOWN = 3


def as_gate(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics with the warnings that no gate accepts as errors."""
    return [one._replace(severity=ERROR) if one.code in GATED and one.severity == WARNING else one for one in diagnostics]


def report(orphans: Sequence[Orphan], locks: Locks, new: Mapping[str, str], built: Collection[str]) -> list[Diagnostic]:
    """TJ273 for all orphaned runs together.

    `new`: environment and identity of new runs -> key of their experiment; `built`: paths of the locks of experiments that exist.
    """
    if not orphans:
        return []
    runs = sum(len(one.runs) for one in orphans)
    keys = [one.place.key for one in orphans]
    shown = ", ".join(keys[:_SHOWN]) + (" and others" if len(keys) > _SHOWN else "")
    verb = (
        "is orphaned: no source requests it, but it stays"
        if runs == 1
        else "are orphaned: no source requests them, but they stay"
    )
    message = f"{_counted(runs)} {verb} (experiment{'s' if len(keys) > 1 else ''} {shown})"
    return [Diagnostic("TJ273", message, hint=_hint(orphans, locks, {**_requested(orphans, locks), **new}, built))]


def environments(locks: Locks, known: Collection[str | None], built: Container[str]) -> dict[str | None, list[tuple[str, Lock]]]:
    """Environments that are not in the project, and have runs that are neither archived nor accepted -> all their locks.

    `built`: paths of locks that belong to an environment of the project.
    """
    by_environment: dict[str | None, list[tuple[str, Lock]]] = {}
    for place, lock in locks.all(but=built):
        if place.environment not in known:
            by_environment.setdefault(place.environment, []).append((path_of(*place), lock))
    return {name: undecided for name, undecided in by_environment.items() if any(_undecided(lock) for _, lock in undecided)}


def of_environment(
    name: str | None, locks: Sequence[tuple[str, Lock]], new: Sequence[str] = (), built: Collection[str] = ()
) -> list[Diagnostic]:
    """TJ274: an environment was removed, and its runs were not.

    `new`: environments without runs, one of which may be its new name; `built`: paths of the locks of experiments that exist.
    """
    runs = sum(_undecided(lock) for _, lock in locks)
    option = f" --env {name}" if name is not None else ""
    experiments = {path.partition("/")[2] for path, _ in locks}
    new = [one for one in new if any(f"{one}/{experiment}" in built for experiment in experiments)] or new
    command = f"tjgen runs rename --environment {name} {' or '.join(new)}"
    rename = f"; keep the name while its runs train, and after that use {command}" if name is not None and new else ""
    who = f'environment "{name}" is not in the project' if name is not None else "the project has environments now"
    where = f'"{name}"' if name is not None else "the project without them"
    message = f"{who}, but {_counted(runs)} of {where} still exist{'s' if runs == 1 else ''}"
    if name is None:
        first = (
            "use tjgen migrate --environment NAME for the steps that give the runs to an environment, or remove the environments"
        )
    else:
        first = "restore the environment"
    hint = f"{first}, or use tjgen runs prune, archive or keep{option} '*'{rename}"
    return [Diagnostic("TJ274", message, hint=hint)]


def _requested(orphans: Sequence[Orphan], locks: Locks) -> dict[str, str]:
    """Environment and identity of each run that an earlier build wrote and a source requests -> key of its experiment."""
    places = {one.place for one in orphans}
    return {
        f"{place.environment or ''}/{run.identity}": place.key
        for place, lock in locks.all()
        for run in (lock.runs.values() if place not in places else ())
        if run.is_requested
    }


def _hint(orphans: Sequence[Orphan], locks: Locks, new: Mapping[str, str], built: Collection[str]) -> str:
    renames: list[tuple[LockKey, LockKey]] = []
    for one in orphans:
        lock = locks.of(one.place)
        twins = {new.get(f"{one.place.environment or ''}/{lock.runs[name].identity}") for name in one.runs}
        renames += [(one.place, _place(one.place.environment, key)) for key in sorted(filter(None, twins))]
    names = {old.name: place.name for old, place in renames}
    for one in orphans:
        if any(locks.of(one.place).runs[name].promoted_from for name in one.runs):
            renames += [(one.place, after) for after in _without_runs(one.place, names.get(one.place.name), locks, built)]
    renames = [(old, after) for old, after in renames if _is_later(old, after, locks)]
    if renames:
        commands = " && ".join([f"tjgen runs rename {old.key} {after.key}" for old, after in renames[:_SHOWN]])
        return f"if you renamed the experiment or its namespace, use {commands}; otherwise prune, archive or keep the runs"
    runs = " ".join([name for one in orphans for name in one.runs][:_SHOWN])
    more = " ..." if sum(len(one.runs) for one in orphans) > _SHOWN else ""
    return f"restore the source, or use tjgen runs prune, archive or keep {runs}{more}"


def _without_runs(place: LockKey, name: str | None, locks: Locks, built: Collection[str]) -> list[LockKey]:
    """Experiments of the environment with the same name or a new one: only a promotion creates runs there, so none is a twin."""
    places = [LockKey(*path.split("/")) for path in sorted(built)]
    now = place._replace(name=name or place.name)
    near = [one for one in places if (one.environment, one.name) == (now.environment, now.name) and one != place]
    return [one for one in near if not locks.of(one).runs]


def _place(environment: str | None, key: str) -> LockKey:
    namespace, name = key.split("/")[-2:]
    return LockKey(environment, namespace, name)


def _is_later(old: LockKey, new: LockKey, locks: Locks) -> bool:
    """Whether the experiment `new` may be a new name of `old`: no commit has runs of both with the same content."""
    from tjgen.gitops.output.coexisting import coexisting  # few builds have an orphan with a twin

    return not coexisting(locks, old, new)


def _undecided(lock: Lock) -> int:
    """How many runs are neither archived nor accepted."""
    return sum(run.lifecycle_state != ARCHIVED and not run.kept for run in lock.runs.values())


def _counted(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"
