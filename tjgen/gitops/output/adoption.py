"""Runs of a project without environments -> the same runs in an environment that the project has now.

Files move into the folder of the environment; their objects do not change by a byte. Runs keep their names, because the locks
record them under the identities that their content has in the environment. `tjgen migrate --environment` performs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Built
from tjgen.gitops.diff.side import Side
from tjgen.gitops.emit.ondisk import below
from tjgen.gitops.emit.ondisk import files as files_in
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.history import refuse
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.output.options import TreeOptions
from tjgen.gitops.output.rename import identities_before
from tjgen.language.runs.lock import ARCHIVED, SUPERSEDED, Lock, LockedRun, PrunedRun, path_of, write, write_pruned
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import ERROR, Diagnostic
from tjgen.trees.manifests.manifest import STAGES, SYNC
from tjgen.trees.session import Session
from tjgen.trees.typing import NamedTuple


class Requested(NamedTuple):
    """What the sources request in an environment."""

    identities: Mapping[str, str]
    """Identity of each run without an environment -> its identity in the environment."""
    experiments: Collection[tuple[str, str]]
    """Namespace and name of each experiment."""


def requested(project: str, environment: str) -> Requested:
    """The runs and experiments of an environment. Raises CompileError if it cannot be built."""
    plan = make_plan(Request((), environments=[environment], project=project))
    identities: dict[str, str] = {}
    experiments: set[tuple[str, str]] = set()
    for built in build(plan, Session()):
        refuse(one for one in built.diagnostics if one.severity == ERROR)
        if isinstance(built, Built):
            experiments.add((built.unit.namespace, built.unit.name))
            identities |= identities_before(built.runs, "")
    return Requested(identities, experiments)


def present_files(directory: str) -> Iterator[OutputFile]:
    """Every file of tjgen in the folders of the project without environments. Raises CompileError if one cannot be read."""
    folders = [*STAGES]
    for folder in folders:
        yield from files_in(directory, folder)
        folders += below(directory, folder)


def adopt(locks: Locks, files: Iterable[OutputFile], tree: TreeOptions, environment: str, wanted: Requested) -> int:
    """Move all runs without an environment to `environment`; how many. `files`: those of the tree, without environments.

    Raises CompileError (TJ279, TJ695) if a run has no place there.
    """
    places = [(place, lock) for place, lock in locks.all() if place.environment is None]
    refuse(_problems(places, locks, environment, wanted))
    for file in files:
        if file.owner != SYNC:
            owner = f"{environment}/{file.owner}" if file.owner else ""
            tree.put(file._replace(path=f"{environment}/{file.path}", owner=owner))
    for stage in STAGES:
        tree.claim(stage)
    records: dict[str, str | None] = {}
    for place, _ in places:
        records |= dict(locks.changes(path_of(*place), Lock(place.key, {})))
    for place, lock in places:
        records |= _records(place._replace(environment=environment), lock, locks, wanted.identities)
    for path, text in records.items():
        tree.record(path, text)
    return sum(len(lock.runs) for _, lock in places)


def adopting_environment(before: Mapping[str, Lock], after: Mapping[str, Lock]) -> str | None:
    """The environment that got the runs between two states, by the locks of their experiments; None if none did."""
    old = {key: lock for key, lock in before.items() if _has_no_environment(key) and (lock.runs or lock.pruned)}
    if not old or any(_has_no_environment(key) for key in after):
        return None
    environments = sorted({key.partition("/")[0] for key in after})
    return next((name for name in environments if all(_has(after.get(f"{name}/{key}"), lock) for key, lock in old.items())), None)


def adopted_side(old: Side, new: Side) -> tuple[Side, str | None]:
    """The earlier side of a comparison, as it would be if its runs belonged to the environment that has them now; its name."""
    environment = adopting_environment(old.locks, new.locks)
    if environment is None:
        return old, None
    bodies = {f"{environment}/{path}" if _is_of_run(path) else path: body for path, body in old.bodies.items()}
    locks = {f"{environment}/{key}" if _has_no_environment(key) else key: lock for key, lock in old.locks.items()}
    return old._replace(bodies=bodies, locks=locks), environment


def _is_of_run(path: str) -> bool:
    return path.partition("/")[0] in STAGES


def _has_no_environment(key: str) -> bool:
    return key.count("/") == 1


def _has(lock: Lock | None, old: Lock) -> bool:
    """Whether the lock has all runs of `old`."""
    return lock is not None and {*old.runs, *old.pruned} <= {*lock.runs, *lock.pruned}


def _records(place: LockKey, lock: Lock, locks: Locks, identities: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Path and text of each lock file of an experiment in its environment."""
    environment, folder = str(place.environment), path_of(*place)
    old = place._replace(environment=None)
    moved = [_moved(old, run, environment, identities) for run in lock.runs.values()]
    active = {run.identity for run in moved if run.is_requested}
    target = locks.of(place)
    for run in target.runs.values() if target.experiment == place.key else ():
        if run.is_requested and run.identity in active:
            # The run that was applied first continues.
            yield f"{folder}/{run.name}.yaml", write(place.key, run._replace(state=SUPERSEDED))
    for run in moved:
        yield f"{folder}/{run.name}.yaml", write(place.key, run)
    for pruned in lock.pruned.values():
        yield f"{folder}/{pruned.name}.yaml", write_pruned(place.key, _moved_tombstone(pruned, environment, identities))


def _moved(old: LockKey, run: LockedRun, environment: str, identities: Mapping[str, str]) -> LockedRun:
    # With a folder, the run keeps its name, which follows the identity that it had.
    return run._replace(
        identity=identities.get(run.identity, run.identity),
        uses=tuple([f"{environment}/{path}" for path in run.uses]),
        folder=f"{environment}/{folder_of(old, run)}",
    )


def _moved_tombstone(run: PrunedRun, environment: str, identities: Mapping[str, str]) -> PrunedRun:
    return run._replace(
        identity=identities.get(run.identity, run.identity),
        claims=tuple([f"{environment}/{path}" for path in run.claims]),
        folder=f"{environment}/{run.folder}" if run.folder else "",
    )


def _problems(places: Iterable[tuple[LockKey, Lock]], locks: Locks, environment: str, wanted: Requested) -> Iterator[Diagnostic]:
    for place, lock in places:
        live = [run for run in lock.runs.values() if run.is_requested and run.lifecycle_state != ARCHIVED]
        if live and (place.namespace, place.name) not in wanted.experiments:
            yield _elsewhere(place, live[0], environment, wanted)
        target = locks.of(place._replace(environment=environment))
        taken = {*target.runs, *target.pruned} if target.experiment.startswith(f"{environment}/") else set()
        for name in sorted({*lock.runs} & taken):
            message = f'run "{name}" cannot be given to {environment}/{place.key}, which has another run of that name'
            yield Diagnostic("TJ279", message, hint="prune one of the two runs, or choose another environment")


def _elsewhere(place: LockKey, run: LockedRun, environment: str, wanted: Requested) -> Diagnostic:
    others = sorted(namespace for namespace, name in wanted.experiments if name == place.name)
    if others:
        message = (
            f'run "{run.name}" is in namespace {place.namespace}, but environment "{environment}" builds {place.name} '
            f"in namespace {others[0]}"
        )
        hint = f"set namespace: {place.namespace} for the environment in the project, or choose another environment"
    else:
        message = f'environment "{environment}" has no experiment {place.key}, which has run "{run.name}"'
        hint = "restore the experiment, or archive its runs before you add environments"
    return Diagnostic("TJ695", message, hint=hint)
