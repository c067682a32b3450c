"""Actions of a build -> an output tree, the locks next to it, and a tree of previews.

`decide.py` decides about one experiment. Here is what only the whole build shows: two experiments that make one object,
archived runs of an experiment that was renamed, and locks without a source.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from tjgen.cluster.synctools.table import NO_TOOL
from tjgen.compiler.building.run import Built, Run
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output import orphans, problems
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
from tjgen.gitops.output.decide import Again, decide, decide_absent, report
from tjgen.gitops.output.disk import Disk, OnDisk
from tjgen.gitops.output.done import Done, RunCounts, RunProgress
from tjgen.gitops.output.files import OutputFiles
from tjgen.gitops.output.layout import folder_of, stage_folder
from tjgen.gitops.output.locknotes import LockNotes
from tjgen.gitops.output.occupied import OccupiedNames
from tjgen.gitops.output.options import BuildOptions, TreeOptions
from tjgen.gitops.output.records import Records
from tjgen.gitops.output.strays import idle_runtimes, strays
from tjgen.language.runs.freeze import body_digest
from tjgen.language.runs.lock import RENAMED, REPLACED, Lock, is_data
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.manifests.manifest import DATA, RUNS, RUNTIMES, SYNC
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.gitops.output.runtime_guards import RuntimeGuards


class Directory:
    """One build into one directory. `add` every unit, then `finish`; `diagnostics` collects the reports."""

    def __init__(
        self,
        directory: str,
        tree: TreeOptions,
        previews: TreeOptions | None,
        locks: Locks,
        options: BuildOptions,
        on_disk: OnDisk | None = None,
    ) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.directory = directory
        self.counts = RunCounts()
        self.shared_overlays: frozenset[tuple[str, str]] = frozenset()
        self.locks: dict[str, Lock] = {}
        """Key of an experiment -> its lock after the build, for experiments that were added or are absent."""
        self._tree = tree
        self._previews = previews
        self._trees = [tree] if previews is None else [tree, previews]
        self._locks = locks
        self._options = options
        self.on_disk = on_disk or Disk(directory, locks.folder)
        self._guards = _guards(self.on_disk, options.tool)
        self._put: dict[str, bytes] = {}
        """Path -> digest of the body that was put there."""
        self._files = OutputFiles(os.path.dirname(locks.folder))
        self._now = RunProgress()
        self._known: set[str] = set()
        self._recorded: dict[str, tuple[LockKey, Lock]] = {}
        """Path -> the lock after the build, for the same experiments."""
        self._uses: set[str] = set()
        self._occupied = OccupiedNames()
        self._staying: list[Diagnostic] = []
        self._notes: LockNotes | None = None
        self._records = Records(locks, self.on_disk)
        self._repeated: list[tuple[Built, Again]] = []
        """Units with new runs that repeat archived ones: whether they were renamed is known at the end."""
        self._former: set[str] = set()  # shared files of runs that are not requested, in locks that change
        self._orphans: list[Orphan] = []
        self._new: dict[str, str] = {}
        """Environment and identity of new runs -> key of their experiment."""
        self._has_renamed = False
        """Whether an experiment of this build had another name before, so that its folder may hold runs of another lock."""
        self._folders: set[str] = set()
        """Folders of runs that this build writes, keeps or prunes."""

    def recognize(self, notes: LockNotes) -> None:
        """Look for runs that are archived or moved only in locks that may have some."""
        self._notes, self._records = notes, Records(self._locks, self.on_disk, notes)

    def add(self, built: Built, again: Again) -> Done | None:
        """Take the runs of a unit. `again` compiles a run again.

        Returns what was done, for the cache of the next build; None if the next build must do it again.
        """
        self._known.add(built.lock)
        lock = self._locks.of(built.unit)
        if any(run.name not in lock.runs and self._records.twin(run) is not None for run in built.runs):
            self._repeated.append((built, again))
            return None
        return self._add(built, lock, again)

    def recall(self, locks: Sequence[str], done: Done) -> None:
        """Take a source from the cache: its files on disk are as an earlier build left them."""
        self._known.update(locks)
        self._uses.update(done.uses)
        self._folders.update(done.keeps)
        for path in done.staying():
            for tree in self._trees:
                tree.keep(path)
        for path, content in done.shared:
            if self._put.setdefault(path, content) != content:
                self.diagnostics.append(problems.differing_file(path, None))
        self.counts = self.counts.plus(done.counts)

    def finish(self, environments: list[str | None], *, whole: bool, all_environments: Collection[str | None] = ()) -> None:
        """After the last unit: a build of the whole project also looks at locks and folders that belong to no source.

        `all_environments`: those of the project, of which `environments` are built.
        """
        for built, again in self._repeated:
            runs = [self._renamed(run, whole=whole) for run in built.runs]
            self._add(built._replace(runs=runs), self._locks.of(built.unit), again)
        if whole:
            for path, lock in list(self._locks.others(environments, self._known)):
                self._perform(decide_absent(path, lock, self.on_disk, options=self._options))
            self.diagnostics += orphans.report(self._orphans, self._locks, self._new, self._known)
            self._finish_environments(all_environments)
            self._keep_renamed()
            for environment in environments:
                stray = strays(self.on_disk, environment, self._folders, self.diagnostics)
                self.diagnostics += [] if self._options.force else stray
                self.diagnostics += idle_runtimes(self.on_disk, environment, self._uses, self._locks)
                self._release(stage_folder(environment, RUNS))
                self._tree.claim(stage_folder(environment, RUNTIMES))
                self._tree.claim(stage_folder(environment, SYNC))
                if self._options.prune_data:
                    self._tree.claim(stage_folder(environment, DATA))
                if (self._options.tool != NO_TOOL or self._former) and self.on_disk.folders(stage_folder(environment, DATA)):
                    from tjgen.gitops.output.unrequested import change_claims  # most trees have no claim

                    change_claims(self._tree, self.on_disk, environment, self._options, self._put, self._former, self._uses)
            for path in sorted(self._uses):
                self._tree.keep(path)
        elif self._has_renamed:
            self._keep_renamed()
        if self._guards is not None:
            locks = chain(self._recorded.values(), self._locks.all(but=self._recorded))
            self._guards.change(self._tree, self._uses, environments if whole else (), locks)
        self.diagnostics += problems.staying(self._staying)

    def _finish_environments(self, known: Collection[str | None]) -> None:
        """Report environments that have runs and are not in the project; with `prune_runs`, remove their runs."""
        new = [name for name in known if name is not None and not self._locks.names(name)]
        for environment, locks in orphans.environments(self._locks, known, self._known).items():
            if not self._options.prune_runs:
                self.diagnostics += orphans.of_environment(environment, locks, new, self._known)
                continue
            for path, lock in locks:
                self._perform(decide_absent(path, lock, self.on_disk, options=self._options))
            self._release(stage_folder(environment, RUNS))

    def _keep_renamed(self) -> None:
        """Keep the files of runs that were renamed: they may be in a folder of this build, and in a lock outside of it."""
        plain = self._notes.plain(but=self._recorded) if self._notes is not None else ()
        for _, before in self._locks.all(but=plain):
            for run in self.locks.get(before.experiment, before).runs.values():
                if run.folder:
                    self._keep(run.folder)
                    for used in run.uses:
                        self._tree.keep(used)

    def _add(self, built: Built, lock: Lock, again: Again) -> Done | None:
        before, actions = lock, decide(built, lock, self.on_disk, options=self._options, again=again, files=self._files)
        lock = self._perform(actions)
        new = [run.identity for name, run in lock.runs.items() if name not in before.runs]
        self._new.update({f"{built.unit.environment or ''}/{identity}": built.unit.key for identity in new})
        return self._now.done(path for run in lock.runs.values() for path in run.uses)

    def _renamed(self, run: Run, *, whole: bool) -> Run:
        """The run as a record, if it is an archived run of an experiment that now has another name."""
        twin = self._records.twin(run) if run.name not in self._locks.of(run.unit).runs else None
        if twin is None or twin.lock in self._known:
            return run
        self._report(report(problems.renamed(run, twin) if whole else problems.repeated(run, twin), run).diagnostic)
        return run.archived() if whole else run

    def _perform(self, actions: Iterable[Action]) -> Lock:
        """Perform the actions for one experiment; returns its lock after them."""
        now = self._now = RunProgress()
        lock: Lock | None = None
        for action in actions:
            match action:  # the most frequent actions first
                case ShareFile(file, run):
                    self._share(file, run)
                case Occupy():
                    if (problem := self._occupied.problem(action, self._records)) is not None:
                        self._report(problem)
                case Count(what, runs):
                    now.counts = now.counts._replace(**{what: getattr(now.counts, what) + runs})
                case Fill(folder):
                    self._folders.add(folder)
                    now.keeps.append(folder)
                case ReleaseClaim(folder, owner):
                    self._tree.claim(folder, owner=owner) if owner else self._release(folder)
                case RecordLock(path, lock):
                    self._record(path, lock)
                case Preview(file):
                    if self._previews is not None:
                        self._previews.put(file)
                        now.previews.append(file.path)
                case KeepRun(folder, files):
                    self._keep(folder)
                    now.kept_files += files
                case Put(file):
                    self._write(file)
                case Orphan():
                    self._orphans.append(action)
                case ReportDiagnostic(diagnostic):
                    self._report(diagnostic)
                case Forget():
                    now.steady = False
        assert lock is not None, "the last action records the lock"
        self.counts = self.counts.plus(now.counts)
        return lock

    def _share(self, file: OutputFile, run: Run) -> None:
        content, before = bytes.fromhex((file.digest or body_digest(file.body))[:16]), self._put.get(file.path)
        self._now.files.append(file.path)
        outlives_runs = is_data(file.path)
        if not file.owner or outlives_runs:
            self._now.shared.append((file.path, content))
        if before is None:
            self._put[file.path] = content
            if outlives_runs:
                for one in problems.refused_updates(self.on_disk, file, run):
                    self._report(one)
            self._write(file)
        elif before != content:
            self.diagnostics.append(problems.differing_file(file.path, run))

    def _write(self, file: OutputFile) -> None:
        if self._guards is None or not self._guards.holds(file):
            self._tree.put(file)

    def _record(self, path: str, lock: Lock) -> None:
        self.locks[lock.experiment] = lock
        place = LockKey.of(path, lock)
        self._recorded[path] = place, lock
        self._folders.update([folder_of(place, run) for run in lock.runs.values()])
        self._folders.update([folder_of(place, run) for run in lock.pruned.values()])
        self._has_renamed = self._has_renamed or any(run.was in (RENAMED, REPLACED) for run in lock.pruned.values())
        for run in lock.runs.values():
            self._uses.update(run.uses)
            for used in run.uses:
                self._tree.keep(used)
        for file, text in self._locks.changes(path, lock):
            self._tree.record(file, text)
            self._former.update(used for run in lock.runs.values() if not run.is_requested for used in run.uses)

    def _keep(self, folder: str) -> None:
        self._now.keeps.append(folder)
        self._folders.add(folder)
        for tree in self._trees:
            tree.keep(folder)

    def _release(self, folder: str) -> None:
        for tree in self._trees:
            tree.claim(folder)

    def _report(self, diagnostic: Diagnostic) -> None:
        self._now.steady = False
        if diagnostic.code in problems.STAYING:
            self._staying.append(diagnostic)
        else:
            self.diagnostics.append(diagnostic)


def _guards(on_disk: OnDisk, tool: str) -> RuntimeGuards | None:
    if tool == NO_TOOL:
        return None
    from tjgen.gitops.output.runtime_guards import RuntimeGuards  # many projects name no tool

    return RuntimeGuards(on_disk, tool)
