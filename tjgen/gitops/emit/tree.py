"""Output files -> a directory that holds them, each old or new and never partial, with what is stale removed.

    with OutputTree("deploy", records="tjgen.lock.d") as tree:
        tree.put(OutputFile(path, body, source, owner))
        tree.claim("prod/runs/vision/resnet50")
        tree.record("prod/vision/resnet50.yaml", lock_text)
        result = tree.commit()

One build at a time: it holds a file lock from `with` on, so what is read inside (locks of runs, files of frozen
runs) is what `commit` replaces. Leaving without `commit` changes nothing.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Mapping
from types import TracebackType

from tjgen.gitops.emit import checkout, journal, problems, recovery, staging, transaction
from tjgen.gitops.emit.filelock import BusyError, FileLock, acquire
from tjgen.gitops.emit.filesystem import ObstacleError
from tjgen.gitops.emit.journal import ABSENT, RECORD, TREE, FileState, JournalStep
from tjgen.gitops.emit.plan import CONFLICT, EDITED, EXTRA, FOREIGN, MISSING, FileChange, OutputFile, WritePlan
from tjgen.gitops.emit.unedited import refusals
from tjgen.gitops.emit.written import CommittedFiles
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.files.links import link_in
from tjgen.trees.typing import NamedTuple, Self


class Committed(NamedTuple):
    """What a build did to its directory; paths in order."""

    created: list[str]
    updated: list[str]
    unchanged: list[str]
    removed: list[str]
    contents: Mapping[str, bytes] = {}
    """Path -> what a removed file had."""


def refuse_links(*folders: str | None) -> None:
    """Raise CompileError (TJ039) where a link of the repository leads to one of the folders."""
    links = [(folder, link) for folder in folders if folder is not None and (link := link_in(folder)) is not None]
    if links:
        raise CompileError([problems.linked(folder, link) for folder, link in links])


class OutputTree:
    """A directory while a build writes it."""

    __slots__ = (
        "_created",
        "_created_folders",
        "_directory",
        "_force",
        "_history",
        "_known_folders",
        "_locks",
        "_plan",
        "_problems",
        "_records",
        "_recovered",
        "_spoilt",
        "_staging",
        "_steps",
        "_until",
        "_updated",
        "_wait",
        "notes",
    )  # fmt: skip

    def __init__(
        self,
        directory: str,
        *,
        force: bool = False,
        records: str | None = None,
        history: recovery.History | None = None,
        wait: float = 2.0,
    ) -> None:
        """`records`: folder of files that must agree with the tree; `wait`: seconds to wait for another build.

        `history` answers from Git which files a checkout must have, should an interrupted build have removed some.
        """
        self._directory = directory
        self._records = records
        self._history = history
        self._staging = staging.path_in(directory)
        self._force = force
        self._wait = wait
        self._plan = WritePlan(directory, records=records)
        self._problems: list[Diagnostic] = []
        self._spoilt: dict[str, FileChange] = {}
        self._steps: list[JournalStep] = []
        self._created: list[str] = []
        self._updated: list[str] = []
        self._created_folders: list[str] = []
        self._known_folders: set[str] = set()
        self._locks: list[FileLock] = []
        self._recovered = False
        self._until = 0
        self.notes: list[Diagnostic] = []
        """What was found of an interrupted build (information and warnings)."""

    def __enter__(self) -> Self:
        """Acquire the file lock and undo what an interrupted build left; raises CompileError."""
        refuse_links(self._directory, self._records)
        if os.path.lexists(self._directory) and not os.path.isdir(self._directory):
            raise CompileError([problems.not_a_directory(self._directory)])
        place = self._directory
        try:
            self._begin(place)
            if self._records is not None and os.path.realpath(self._records) != os.path.realpath(place):
                place = self._records
                self._begin(place)
            self._recover()
        except BusyError:
            self._leave()
            raise CompileError([problems.busy(place)]) from None
        except ObstacleError as obstacle:
            self._leave()
            raise CompileError([problems.in_the_way(obstacle.path, obstacle.what)]) from None
        except OSError as error:
            self._leave()
            raise self._failed(error.filename or place, error) from error
        except CompileError:
            self._leave()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        """Release the file lock; without `commit`, remove what was staged."""
        self._leave()

    def put(self, file: OutputFile) -> None:
        """Want `file` in the tree. Problems are collected for `commit`; raises CompileError where writing fails."""
        try:
            self._accept(self._plan.put(file), TREE)
        except OSError as error:
            raise self._failed(file.path, error) from error

    def keep(self, path: str) -> None:
        """Keep `path`, a file or a whole folder, even if it is claimed."""
        self._plan.keep(path)

    def claim(self, folder: str, *, owner: str = "") -> None:
        """Claim all files of tjgen below `folder` (of `owner`): those that are not added are removed. "" is the whole tree."""
        self._plan.claim(folder, owner=owner)

    def record(self, path: str, text: str | None) -> None:
        """Want `text` (None: no file) at `path` in the folder of records, together with the tree or not at all."""
        try:
            self._accept(self._plan.record(path, text), RECORD)
        except OSError as error:
            raise self._failed(path, error) from error

    def present(self) -> list[str]:
        """Return the resulting output files, for `kustomizations`; call it after all files are added. Raise CompileError."""
        try:
            return self._plan.present()
        except OSError as error:
            raise CompileError([problems.unread(error.filename or self._directory, error)]) from error

    @property
    def is_changed(self) -> bool:
        """Whether `commit` has changed a file, or will."""
        return bool(self._steps)

    def written(self, root: str) -> CommittedFiles:
        """The files that `commit` has written in the tree (TREE), or among the records (RECORD)."""
        files = {step.path: step.after for step in self._steps if step.root == root and step.after != ABSENT}
        return CommittedFiles(files, self._until)

    def commit(self) -> Committed:
        """Write the requested changes to the directory; raise CompileError, with nothing changed unless it reports changes."""
        try:
            return self._commit()
        except OSError as error:
            raise self._failed(error.filename or self._directory, error) from error

    def _commit(self) -> Committed:
        removed: dict[str, bytes] = {}
        for change in self._plan.extra():
            if change.kind in (EDITED, CONFLICT) and not self._force:
                self._spoilt[_place(self._directory, change.path)] = change
                continue
            removed[change.path] = change.on_disk.content if change.on_disk is not None else b""
            self._add_step(TREE, change, None)
        refused = self._plan.problems + self._problems + refusals(self._spoilt)
        if refused:
            raise CompileError(refused)
        if self._steps:
            self._make_folders()
            roots = self._roots()
            commit = checkout.commit(self._directory)
            try:
                transaction.carry_out(self._staging, commit, self._prefix(), self._steps, roots)
            except BaseException:  # an interruption, too: the tree is as before, and the exception goes on
                recovery.undo_now(self._directory, roots)
                raise
            self._until = time.time_ns()
            self._created_folders.clear()
        for folder in self._plan.hollow:
            transaction.remove_empty(self._directory, folder)
        return Committed(sorted(self._created), sorted(self._updated), sorted(self._plan.unchanged), sorted(removed), removed)

    def _accept(self, change: FileChange | None, root: str) -> None:
        if change is None:
            return
        if change.kind == FOREIGN:
            self._problems.append(problems.foreign(_place(self._roots()[root], change.path)))
        elif change.kind in (EDITED, CONFLICT) and not self._force:
            self._spoilt[_place(self._roots()[root], change.path)] = change
        else:
            self._add_step(root, change, None if change.kind == EXTRA else self._stage(change))
            if root == TREE:
                (self._created if change.kind == MISSING else self._updated).append(change.path)

    def _stage(self, change: FileChange) -> staging.Staged:
        mode = change.on_disk.mode if change.on_disk is not None else None
        return staging.stage(self._staging, len(self._steps), change.content, mode)

    def _add_step(self, root: str, change: FileChange, staged: staging.Staged | None) -> None:
        after = FileState(journal.digest(change.content), staged.modified) if staged is not None else ABSENT
        self._steps.append(JournalStep(root, change.path, f"{len(self._steps):x}", journal.version(change.on_disk), after))

    def _make_folders(self) -> None:
        """Every folder in which something will change exists and can be written: afterwards it would be too late to find out."""
        roots = {root: os.path.abspath(place) for root, place in self._roots().items()}
        for root, folder in sorted({(step.root, step.path.rpartition("/")[0]) for step in self._steps}):
            place = f"{roots[root]}/{folder}" if folder else roots[root]
            if not self._make(place) and not os.access(place, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), place)

    def _make(self, folder: str) -> bool:
        """Make a folder and those above it; returns whether it did not exist."""
        above = os.path.dirname(folder)
        if above not in self._known_folders and os.path.dirname(above) in self._known_folders:
            self._make(above)  # most likely it is new, too
        self._known_folders.add(folder)
        try:
            os.mkdir(folder)
        except FileExistsError:
            return False
        except FileNotFoundError:
            self._make(above)
            os.mkdir(folder)
        self._created_folders.append(folder)
        return True

    def _begin(self, place: str) -> None:
        if not os.path.isdir(place):
            self._make(os.path.abspath(place))
        staging.require_folder(place)
        folder = staging.path_in(place)
        self._locks.append(acquire(f"{folder}/{staging.LOCK}", wait=self._wait))
        staging.hide(folder)

    def _recover(self) -> None:
        self.notes += recovery.recover(self._directory, self._roots(), self._prefix(), self._history)
        self._recovered = True

    def _leave(self) -> None:
        """Release the locks. A journal that could not be undone stays in the staging directory, for the next build."""
        for lock in self._locks:
            folder = os.path.dirname(lock.path)
            try:
                if self._recovered and not journal.exists(folder):
                    staging.clear(folder)
                staging.unhide(folder)
            except OSError:
                # What cannot be removed now is removed by the next build; the reason is reported there or was reported.
                pass
            try:
                lock.release()
            except OSError:
                continue
            transaction.remove_empty(os.path.dirname(folder), staging.NAME)
        self._locks.clear()
        for folder in reversed(self._created_folders):
            transaction.remove_empty(os.path.dirname(folder), os.path.basename(folder))

    def _roots(self) -> dict[str, str]:
        return {TREE: self._directory} | ({RECORD: self._records} if self._records is not None else {})

    def _prefix(self) -> str:
        """Where the records are from the directory, on one line: the same after both were moved together."""
        return ascii("" if self._records is None else os.path.relpath(self._records, self._directory))

    def _failed(self, place: str, error: OSError) -> CompileError:
        return CompileError([problems.failed(place, error, half_done=journal.exists(self._staging))])


def _place(directory: str, path: str) -> str:
    """The path of a file as people name it, from the working directory."""
    return f"{os.path.normpath(directory)}/{path}"
