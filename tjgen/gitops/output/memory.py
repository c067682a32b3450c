"""Sources that have not changed since the last build -> the result of that build, without another build.

A source is one file of experiments in one environment. What is remembered holds as long as the
program, the project around the source, the source itself, its lock and every file that was written
are the same. The cache behind it may vanish at any time: it changes no byte of what is written.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import AbsentUnit, Built, SourceFindings
from tjgen.gitops.emit import cache, program
from tjgen.gitops.emit.written import CommittedFiles
from tjgen.gitops.output.done import Done
from tjgen.gitops.output.locknotes import LockNotes
from tjgen.language.runs.lock import Lock
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.diagnostics.plain import diagnostic_of, plain
from tjgen.trees.typing import Any, NamedTuple


class Remembered(NamedTuple):
    """What became of a source."""

    units: tuple[tuple[str, str], ...]
    """Key of each experiment in it, and the path of its lock."""
    overlays: tuple[str, ...]
    """Overlays that were for it."""
    diagnostics: list[Diagnostic]
    done: Done
    footprint: tuple[Any, ...] = ()
    """What its runs take of what others have too."""
    relations: tuple[Any, ...] = ()
    """Names and gangs of the objects of its runs."""
    findings: SourceFindings = SourceFindings()


class Memory:
    """What is known of earlier builds into one directory and one folder of previews."""

    def __init__(self, plan: Plan, directory: str, previews: str | None, options: Sequence[bytes]) -> None:
        places = [directory] if previews is None else [directory, previews]
        project = plan.project.directory or "."
        files = [cache.entry_of(project, place) for place in places]
        self._caches = [cache.FileCache(file, place) for file, place in zip(files, places, strict=True)]
        # Without a cache nothing is found, so no key is needed: the digest of the program reads a thousand file times.
        is_kept = any(file is not None for file in files)
        self._surroundings = cache.key([program.digest(), *plan.surroundings(), *options]) if is_kept else b""
        self._is_kept = is_kept
        self._working_directory = os.getcwd()
        notes = {path: note for one in self._caches[0].summaries() if one is not None for path, note in one["locks"].items()}
        self.locks = LockNotes(plan.locks, self._surroundings, notes)
        self._current: set[str] = set()
        """Names of sources that are in the cache as they are now."""
        self._new: dict[str, _Note] = {}

    def recall(self, file: str, environment: str | None, content: bytes) -> Remembered | None:
        """What became of the source, if everything is as it was."""
        if not self._is_kept:
            return None
        name, key = self._name(file, environment), cache.key([self._surroundings, content])
        entries = [one.find(name, key) for one in self._caches]
        summary = entries[0].summary if entries[0] is not None and None not in entries else None
        if summary is None:
            return None
        remembered = _read(summary)
        notes: dict[str, Any] = {}
        for path in summary["locks"]:
            known = self.locks.known(path)
            if known is None:
                return None
            notes[path] = tuple(known)
        if notes != summary["locks"]:
            self._caches[0].renew(name, {**summary, "locks": notes})
        self._current.add(name)
        return remembered

    def note(self, built: Built, done: Done | None, lock: Lock | None) -> None:
        """A unit was built, and has this lock; kept by `save`, unless its source reads other files, or `done` is None."""
        if not self._is_kept:
            return
        name = self._name(built.unit.document.file, built.unit.environment)
        self._note_of(name, built.content).units.append((_Unit.of(built, lock), done))

    def note_findings(self, file: str, environment: str | None, content: bytes, findings: SourceFindings) -> None:
        """The source was compiled, and has these findings; kept by `save`."""
        if self._is_kept:
            self._note_of(self._name(file, environment), content).findings.append(findings)

    def save(self, *, whole: bool, known: Sequence[str], written: Sequence[CommittedFiles], locks: CommittedFiles) -> None:
        """Write the notes after all files. A build of the whole project drops sources that no longer exist.

        `written` and `locks`: the files that were written now, in each tree and among the locks.
        """
        if not self._is_kept:
            return
        for name, (key, units, findings) in self._new.items():
            finished = [done for _, done in units if done is not None]
            if not findings or len(finished) < findings[0].units or any(unit.reads_files for unit, _ in units):
                continue
            done = Done()
            for one in finished:
                done = done.plus(one)
            summary = {
                "units": [(unit.key, unit.lock) for unit, _ in units],
                "overlays": sorted({overlay for unit, _ in units for overlay in unit.overlays}),
                "diagnostics": [one for unit, _ in units for one in unit.diagnostics],
                "done": done.plain(),
                "footprint": [one for unit, _ in units for one in unit.footprint],
                "relations": [one for unit, _ in units for one in unit.relations],
                "problems": [plain(one) for one in findings[0].problems],
                "absent": [tuple(one) for one in findings[0].absent],
                "locks": {unit.lock: tuple(self.locks.note(unit.lock, unit.content, locks)) for unit, _ in units},
            }
            noted = [
                store.note(name, key, paths, kept, own)
                for store, paths, kept, own in zip(
                    self._caches, (done.files + done.kept_files, done.previews), (summary, None), written, strict=False
                )
            ]
            if all(noted):
                self._current.add(name)
        for store in self._caches:
            store.save(known=known if whole else None)

    def has(self, names: Sequence[str]) -> bool:
        """Whether the next build recalls all these sources, if it is of the same input; known after `save`."""
        return self._current.issuperset(names)

    def names(self, files: Sequence[str], environments: Sequence[str | None]) -> list[str]:
        """The names of sources, as in the cache."""
        return [self._name(file, environment) for file in files for environment in environments]

    def _note_of(self, name: str, content: bytes) -> _Note:
        """What is noted of a source so far."""
        note = self._new.get(name)
        if note is None:
            note = self._new[name] = _Note(cache.key([self._surroundings, content]), [], [])
        return note

    def _name(self, file: str, environment: str | None) -> str:
        place = file if file.startswith("/") else f"{self._working_directory}/{file}"
        return f"{environment or ''}\n{place}"


class _Unit(NamedTuple):
    """What is kept of a built unit: its runs and documents are not."""

    key: str
    lock: str
    content: Lock | None
    """The content of the lock, if it is known."""
    overlays: tuple[str, ...]
    diagnostics: list[Any]
    reads_files: bool
    footprint: tuple[Any, ...]
    relations: tuple[Any, ...]

    @staticmethod
    def of(built: Built, lock: Lock | None) -> _Unit:
        diagnostics = [plain(one) for one in built.diagnostics]
        shared = built.footprint, built.relations
        return _Unit(built.unit.key, built.lock, lock, built.overlays, diagnostics, built.reads_files, *shared)


class _Note(NamedTuple):
    """What a build found in a file, for one environment."""

    key: bytes
    units: list[tuple[_Unit, Done | None]]
    findings: list[SourceFindings]
    """One, as soon as the whole source was compiled."""


def _read(summary: Mapping[str, Any]) -> Remembered:
    return Remembered(
        tuple(summary["units"]),
        tuple(summary["overlays"]),
        [diagnostic_of(one) for one in summary["diagnostics"]],
        Done.of(summary["done"]),
        tuple(summary["footprint"]),
        tuple(summary["relations"]),
        SourceFindings(
            tuple([diagnostic_of(one) for one in summary["problems"]]), tuple([AbsentUnit(*one) for one in summary["absent"]])
        ),
    )
