"""What a build writes, its locks, and the tree on disk -> the runtimes of the tree, guarded as long as a run needs that.

A runtime is guarded exactly as long as a run of a lock that uses it stays in the cluster when it leaves Git (see
`cluster/synctools/guards.py`). A run that left Git may still be in the cluster, and no lock has its runtime. So after runs of
a namespace were pruned, the runtimes there that have a guard keep it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from tjgen.cluster.synctools.guards import STAYS, protects_runtimes
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import folder_of, namespace_of, stage_folder
from tjgen.gitops.output.options import TreeOptions
from tjgen.gitops.output.unrequested import SyncGuards
from tjgen.language.runs.lock import RENAMED, REPLACED, Lock, LockedRun, is_runtime
from tjgen.language.runs.store import LockKey
from tjgen.trees.manifests.manifest import RUNS, RUNTIMES


class RuntimeGuards:
    """The guards of the runtimes of one build."""

    def __init__(self, on_disk: OnDisk, tool: str) -> None:
        """`tool`: BuildOptions.tool."""
        self._on_disk = on_disk
        self._guards = SyncGuards.of(tool)
        self._all_stay = self._guards.confirms and protects_runtimes(self._guards.tool)
        self._runtimes: dict[str, OutputFile] = {}
        """Path -> the runtime as it is compiled, for those that the build writes."""
        self._runs: dict[str, bool] = {}
        """Folder -> whether the run stays in the cluster, for runs with a file that the build writes."""

    def holds(self, file: OutputFile) -> bool:
        """Note a file that the build writes; whether it is a runtime, which `change` writes."""
        if not file.owner:
            if is_runtime(file.path):
                self._runtimes[file.path] = file
            return file.path in self._runtimes
        if not self._all_stay and f"{RUNS}/" in file.path:
            folder = file.path.rpartition("/")[0]
            self._runs[folder] = self._runs.get(folder, False) or self._guards.outcome(file.body) == STAYS
        return False

    def change(
        self, tree: TreeOptions, kept: Collection[str], environments: Iterable[str | None], locks: Iterable[tuple[LockKey, Lock]]
    ) -> None:
        """Put the runtimes that the build writes, and those on disk whose guards change, into the tree.

        `kept`: paths that stay in the tree. `environments`: those of which all runtimes are looked at.
        `locks`: those after the build. They are read only if a guard depends on them.
        """
        files = dict(self._runtimes)
        for environment in environments:
            for namespace in self._on_disk.folders(stage_folder(environment, RUNTIMES)):
                files |= {one.path: one for one in self._on_disk.files_except(namespace, files) if one.path in kept}
        users = self._users(files, locks) if not self._all_stay and self._depend(files.values()) else {}
        for path, file in files.items():
            is_written, changed = path in self._runtimes, file
            if self._all_stay or users.get(path, False):
                changed = self._guards.set(file, RUNTIMES, is_guarded=True)
            elif not is_written and not self._guards.tool.stages_by_experiment:
                changed = self._guards.set(file, RUNTIMES, is_guarded=False)
            if is_written or changed != file:
                tree.put(changed)

    def _depend(self, files: Iterable[OutputFile]) -> bool:
        """Whether a run or a runtime has a guard, so that locks decide."""
        if any(self._runs.values()):
            return True
        return any(self._guards.outcome(body) == STAYS for one in files for body in (one.body, self._on_disk.body(one.path)))

    def _users(self, files: Collection[str], locks: Iterable[tuple[LockKey, Lock]]) -> dict[str, bool]:
        """Path of a runtime -> whether a run needs its guard."""
        pruned: set[tuple[str | None, str]] = set()
        needed: dict[str, bool] = {}
        for place, lock in locks:
            for path in self._needed(place, lock):
                needed[path] = True
            pruned |= {
                (place.environment, namespace_of(place, run))
                for run in lock.pruned.values()
                if run.was not in (RENAMED, REPLACED)
            }
        for environment, namespace in pruned:
            folder = f"{stage_folder(environment, RUNTIMES)}/{namespace}/"
            for path in files:
                if path.startswith(folder) and (body := self._on_disk.body(path)) is not None:
                    needed[path] = needed.get(path, False) or self._guards.outcome(body) == STAYS
        return needed

    def _needed(self, place: LockKey, lock: Lock) -> Iterator[str]:
        for run in lock.runs.values():
            runtimes = [path for path in run.uses if is_runtime(path)]
            if runtimes and self._stays(place, run):
                yield from runtimes

    def _stays(self, place: LockKey, run: LockedRun) -> bool:
        folder = folder_of(place, run)
        if folder in self._runs:
            return self._runs[folder]
        return any(self._guards.outcome(body) == STAYS for body in self._on_disk.bodies(folder).values())
