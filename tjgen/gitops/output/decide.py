"""The runs of an experiment as they are built, its lock, and the files on disk -> the actions of the build, in order.

Nothing is written here, and only `on_disk` is read. `runs/freeze.py` decides about the files of one run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from tjgen.cluster.synctools.table import NO_TOOL
from tjgen.compiler.building.resuming import unlisted
from tjgen.compiler.building.run import BLOCKED, Built, Run, Unit
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output import problems
from tjgen.gitops.output.actions import (
    Action,
    Count,
    Fill,
    Forget,
    KeepRun,
    Occupy,
    Orphan,
    Preview,
    Put,
    RecordLock,
    ReleaseClaim,
    ReportDiagnostic,
    ShareFile,
)
from tjgen.gitops.output.blocks import kept_block, lacks_a_block
from tjgen.gitops.output.carried import resumes, settings_in, state_in, trees
from tjgen.gitops.output.damaged import DigestOnDisk, damage, drifted
from tjgen.gitops.output.disk import OnDisk, digest
from tjgen.gitops.output.files import OutputFiles
from tjgen.gitops.output.kept_states import change_states
from tjgen.gitops.output.layout import experiment_folder, folder_of, preview_files, run_folder, stage_folder
from tjgen.gitops.output.options import BuildOptions
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import ARCHIVED, ORPHANED, SUSPENDED, Lock, LockedRun
from tjgen.language.runs.store import Locked, LockKey
from tjgen.trees.diagnostics.model import ERROR, INFO, Diagnostic
from tjgen.trees.manifests.manifest import DATA
from tjgen.trees.typing import NamedTuple

PRUNE_RUNS = "tjgen build --prune-runs"
"""The reason in the tombstones of runs that a build removes."""


class Again(NamedTuple):
    """Compile a run again."""

    renewed: Callable[[Run], Run | None]
    """Under its next name; None if the command does not renew it."""
    newest: Callable[[Run], Run]
    """By its newest identity."""


class _Decision(NamedTuple):
    """The actions for one run, and the run as the lock then records it."""

    actions: list[Action]
    locked: LockedRun


def decide(built: Built, lock: Lock, on_disk: OnDisk, *, options: BuildOptions, again: Again, files: OutputFiles) -> list[Action]:
    """The actions for an experiment that is built; `files` writes its objects as text."""
    unit = built.unit
    decisions = [_run(run, lock, on_disk, options, again, files, stays=run.name in built.kept_names) for run in built.runs]
    actions = [action for decision in decisions for action in decision.actions]
    actions += [report(problem, run) for run, problem in unlisted(built.runs, lock.runs)]
    requested = {decision.locked.name for decision in decisions}
    if not options.force:
        actions += _strays(unit, {*lock.runs, *lock.pruned, *requested}, on_disk)
    before = lock
    lock = lock.with_runs([one.locked for one in decisions])
    if len(lock.runs) > len(requested):
        lock = lock.superseding([*requested, *_staying(lock, built.kept_names)])
        actions += [ReportDiagnostic(one) for one in problems.merged_points(unit, before, lock, on_disk.directory)]
        actions += [ReportDiagnostic(one) for one in problems.one_folder(built, before, lock)]
        keep = 0 if options.prune_runs else options.keep
        old = lock.superseded(keep=keep) if keep is not None else []
        actions += [Count("removed", len(old)), *[ReleaseClaim(folder_of(unit, lock.runs[name])) for name in old]]
        lock = lock.pruning(old, PRUNE_RUNS if options.prune_runs else f"history.keep: {keep}")
    changes, lock = _changes(unit, before, lock, on_disk, options, stops=unit if built.stops else None)
    actions += changes
    for name in lock.runs:
        if name not in requested:
            actions += [Count("kept"), *_kept(unit, before.runs[name], on_disk)]
    if built.kept_state is not None:
        states, lock = change_states(built, built.kept_state, lock, on_disk)
        actions += states
    suspended = [name for name, run in lock.runs.items() if run.lifecycle_state == SUSPENDED]
    actions += [Count(SUSPENDED, len(suspended))] if suspended else []
    actions.append(ReleaseClaim(experiment_folder(unit)))
    if options.prune_data:
        actions.append(ReleaseClaim(f"{stage_folder(unit.environment, DATA)}/{unit.namespace}", unit.key))
    return [*actions, RecordLock(built.lock, lock)]


def decide_absent(path: str, lock: Lock, on_disk: OnDisk, *, options: BuildOptions) -> list[Action]:
    """The actions for an experiment that has a lock at `path` and no source: its runs are orphaned, and stay until pruned."""
    stored = lock.runs
    lock = lock.orphaning()
    orphaned = [name for name, run in lock.runs.items() if run.lifecycle_state == ORPHANED]
    place, released = LockKey.of(path, lock), []
    if options.prune_runs:
        released = [ReleaseClaim(folder_of(place, lock.runs[name])) for name in orphaned]
        lock, orphaned = lock.pruning(orphaned, PRUNE_RUNS), []
    changes, lock = _changes(place, lock, lock, on_disk, options)
    removed = len(released)
    kept = [*changes, *[action for run in stored.values() for action in _kept(place, run, on_disk) if run.name in lock.runs]]
    counts = [Count("kept", len(lock.runs) - len(orphaned)), Count(ORPHANED, len(orphaned)), Count("removed", removed)]
    undecided = tuple([name for name in orphaned if not lock.runs[name].kept])
    return [*counts, *kept, *released, *([Orphan(place, undecided)] if undecided else []), RecordLock(path, lock)]


def _kept(place: Locked, run: LockedRun, on_disk: OnDisk) -> list[Action]:
    """The actions for a run that stays; `run` as the lock on disk has it."""
    folder = folder_of(place, run)
    bodies = on_disk.bodies(folder)
    problem = damage(place, run, bodies, on_disk.directory)
    if problem is not None:
        return [KeepRun(folder), ReportDiagnostic(problem)]
    return [KeepRun(folder, tuple([f"{folder}/{name}" for name in bodies]))]


def _staying(lock: Lock, names: Collection[str]) -> list[str]:
    """Those of `names` that no renewal of the same run in the lock replaces."""
    latest = lock.by_identity() if names else {}
    return [name for name in names if name in lock.runs and latest[lock.runs[name].identity].name == name]


def _changes(
    place: Locked, before: Lock, lock: Lock, on_disk: OnDisk, options: BuildOptions, *, stops: Unit | None = None
) -> tuple[list[Action], Lock]:
    """See `unrequested.change_runs`."""
    if (stops is None and options.tool == NO_TOOL) or all(run.is_requested for run in lock.runs.values()):
        return [], lock
    from tjgen.gitops.output.unrequested import change_runs  # few experiments have runs that they do not request

    return change_runs(place, before, lock, on_disk, options.tool, stops=stops)


def _run(
    run: Run, lock: Lock, on_disk: OnDisk, options: BuildOptions, again: Again, text: OutputFiles, *, stays: bool = False
) -> _Decision:
    """The actions for one run; it `stays` if a change waits for a promotion."""
    files = text.of(run)
    folder = run_folder(run.unit, run.name)
    content = freeze.digest_of({name: file.digest for name, file in _own_files(run, files)})
    settings = freeze.settings_digest(run.unit.document.value, options.tool)
    locked = lock.runs.get(run.name)
    place = folder_of(run.unit, locked) if locked is not None else folder
    if resumes(run, locked, content, on_disk, place):
        return _run(run.resumed(), lock, on_disk, options, again, text, stays=stays)
    may_lack = locked is not None and content != locked.content and locked.identity == str(run.identity) and not stays
    if may_lack and locked is not None and lacks_a_block(run, locked, place, on_disk):
        newest = again.newest(run)
        decision = _run(newest, lock, on_disk, options, again, text)
        return decision._replace(actions=[*_never_starts(newest), *decision.actions])
    moved = locked is not None and locked.folder
    is_record = run.is_record or run.state == ARCHIVED
    may_change = locked is not None and (options.again or (content != locked.content and not is_record))
    renewed = again.renewed(run) if may_change else None
    occupy = Occupy(run, tuple(files), locked is not None)
    if renewed is not None and renewed.name != run.name:
        decision = _run(renewed, lock, on_disk, options, again._replace(renewed=lambda _: None), text)
        return decision._replace(actions=[occupy, *_never_starts(renewed), *decision.actions])
    on_disk_now = DigestOnDisk(on_disk, place, locked, content, lambda: _own(run, text.of(run.in_full())))
    decided = freeze.decide(locked, content=content, settings=settings, digest_on_disk=on_disk_now.digest, force=options.force)
    if locked is not None and locked.stopped and decided.kind == freeze.FROZEN and decided.diagnostic is not None:
        # It was suspended when it was superseded, and is requested again. Files that were edited by hand (TJ075) stay.
        decided = decided if decided.diagnostic.severity == ERROR else freeze.Decision(freeze.IN_PLACE)
    if moved and locked is not None and decided.kind == freeze.UNCHANGED:
        decided = freeze.Decision(freeze.FROZEN, damage(run.unit, locked, on_disk.bodies(place), on_disk.directory))
    problem = problems.name_stays(run) if renewed is not None else None
    if _is_scaled(run, locked, on_disk, place, text):
        decided = freeze.Decision(freeze.REBUILT, problems.scaled(run))
    else:
        problem = problem or _problem(run, lock, content, on_disk, force=options.force)
    own: dict[str, str] = {}
    if decided.kind == freeze.FROZEN and decided.diagnostic is not None and decided.diagnostic.code == "TJ076":
        own = state_in(on_disk.bodies(place), run, lambda: _own(run, text.of(run.in_full())))
        if own:
            differs = freeze.content_digest(own) != content
            decided = freeze.Decision(freeze.IN_PLACE, decided.diagnostic if differs else None)
    problem = problem or kept_block(run, locked, decided, place, on_disk, text) or decided.diagnostic
    if problem is not None and problem.code == "TJ075" and locked is not None:
        problem = drifted(problem, locked, place, on_disk)
    actions: list[Action] = [occupy]
    # A record is not built again, so a newer form of it is not worth a report.
    if problem is not None and not ((is_record or moved) and problem.severity == INFO):
        actions.append(report(problem, run))
    if run.is_record and locked is not None and not locked.is_requested:
        actions.append(report(problems.renewed_request(run), run))
    if decided.kind in (freeze.FROZEN, freeze.IN_PLACE):
        assert locked is not None, "only a locked run is frozen"
        # A runtime has the name of its content, but its annotations may change.
        shared = [ShareFile(file, run) for file in files if file.path in locked.uses]
        stopped = locked.stopped and decided.kind == freeze.FROZEN
        now = locked._replace(state=run.state, promoted_from=run.promoted_from, resumed=run.is_resumed)
        now = now._replace(stopped=stopped, kept=False)
        actions += [Count("kept"), Forget(), *shared]
        if decided.kind == freeze.FROZEN:
            return _Decision([*actions, KeepRun(place)], now)
        own = own or settings_in(on_disk.bodies(place), _own(run, text.of(run.in_full())))
        # The guard of a record may not be that of the settings. A build sets it after `runs unarchive`.
        settings = freeze.NO_SETTINGS if is_record and freeze.content_digest(own) != content else settings
        put = [Put(OutputFile(f"{place}/{name}", body, run.unit.source, run.unit.key)) for name, body in own.items()]
        return _Decision([*actions, *put], now._replace(content=freeze.content_digest(own), settings=settings))
    actions += [Count("unchanged" if decided.kind == freeze.UNCHANGED else "new"), Fill(folder)]
    actions += [ShareFile(file, run) for file in files]
    previews = preview_files(run, options.previews) if options.previews else {}
    actions += [Preview(OutputFile(path, body, run.unit.source, run.unit.key)) for path, body in previews.items()]
    number = locked.number if locked is not None else lock.next_number
    return _Decision(actions, _locked(run, number, content, settings, files, folder))


def _never_starts(run: Run) -> list[ReportDiagnostic]:
    """What keeps a run from starting: a warning if the run exists, but its next name does not exist yet."""
    return [ReportDiagnostic(one) for one in run.compiled.diagnostics if one.code in BLOCKED]


def _is_scaled(run: Run, locked: LockedRun | None, on_disk: OnDisk, place: str, text: OutputFiles) -> bool:
    """Whether a run with a fixed name only changes its number of pods, in a way that the cluster accepts."""
    if not run.fixed or locked is None or locked.identity == str(run.identity):
        return False
    bodies = on_disk.bodies(place)
    if freeze.content_digest(bodies) != locked.content:
        return False
    return freeze.scales_in_place(trees(bodies), trees(_own(run, text.of(run.in_full()))))


def _own(run: Run, files: list[OutputFile]) -> dict[str, str]:
    """Name -> text of the files in the folder of a run."""
    return {name: file.body for name, file in _own_files(run, files)}


def _own_files(run: Run, files: list[OutputFile]) -> list[tuple[str, OutputFile]]:
    """Name and file of each file in the folder of a run."""
    folder = run_folder(run.unit, run.name) + "/"
    return [(file.path.removeprefix(folder), file) for file in files if file.path.startswith(folder)]


def _problem(run: Run, lock: Lock, content: str, on_disk: OnDisk, *, force: bool) -> Diagnostic | None:
    """Why the name of the run is not free, if it is not."""
    locked = lock.runs.get(run.name)
    unit = run.unit
    if run.fixed:
        problem = freeze.fixed_name_problem(locked, str(run.identity))
        if problem is not None:
            return problem
    if run.name in lock.pruned:
        return problems.name_was_pruned(run, lock.pruned[run.name])
    folder = run_folder(unit, run.name)
    if locked is None and not force and digest(on_disk, folder) not in (None, content):
        return problems.without_lock(on_disk, folder)
    return None


def _locked(run: Run, number: int, content: str, settings: str, files: list[OutputFile], folder: str) -> LockedRun:
    return LockedRun(
        name=run.name,
        identity=str(run.identity),
        number=number,
        state=run.state,
        runtime=run.runtime.name,
        runtime_digest=f"sha256:{run.runtime.digest}",
        content=content,
        settings=settings,
        images=run.compiled.images(),
        uses=tuple(sorted(file.path for file in files if not file.path.startswith(folder + "/"))),
        renewal=run.renewal,
        archived=run.is_record,
        promoted_from=run.promoted_from,
        resumed=run.is_resumed,
    )


def _strays(unit: Unit, known: set[str], on_disk: OnDisk) -> Iterator[ReportDiagnostic]:
    """Report folders of runs that are in no lock: they may be records, or train."""
    for folder in on_disk.folders(experiment_folder(unit)):
        if folder.rpartition("/")[2] not in known and on_disk.bodies(folder):
            yield ReportDiagnostic(problems.without_lock(on_disk, folder))


def report(diagnostic: Diagnostic, run: Run) -> ReportDiagnostic:
    """Report a diagnostic at its place in the experiment of a run, or else at the experiment's name."""
    span = diagnostic.span or run.unit.document.locate(diagnostic.path or ("metadata", "name"))
    return ReportDiagnostic(diagnostic._replace(span=span, path=None))
