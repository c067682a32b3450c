"""The locks of a project -> the archived run that a new run repeats, if there is one.

The identity of a run does not cover the name of its experiment, so an experiment that was renamed is
recognised by what it trains.
"""

from __future__ import annotations

from tjgen.compiler.building.run import Run
from tjgen.gitops.output.blocks import lacks_a_block
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.output.locknotes import LockNotes
from tjgen.language.runs.lock import ARCHIVED, LockedRun, path_of
from tjgen.language.runs.store import Locks
from tjgen.trees.typing import NamedTuple


class Record(NamedTuple):
    """An archived run."""

    run: str
    experiment: str
    """Key of its experiment."""
    lock: str
    """Path of its lock."""
    locked: LockedRun
    folder: str
    """Folder of its files in the output tree."""


class Records:
    """The archived runs of a project by identity, read when the first new run is looked up."""

    def __init__(self, locks: Locks, on_disk: OnDisk, notes: LockNotes | None = None) -> None:
        """`notes`: what is known of locks without reading them."""
        self._locks = locks
        self._on_disk = on_disk
        self._notes = notes
        self._by_identity: dict[str, list[Record]] | None = None

    def twin(self, run: Run) -> Record | None:
        """The archived run of another experiment in the same namespace that is what `run` is."""
        if self._by_identity is None:
            self._by_identity = self._read()
        if not self._by_identity:
            return None
        unit = run.unit
        own = path_of(unit.environment, unit.namespace, unit.name)
        folder = own.rpartition("/")[0]
        identities = (run.identity, *run.content.earlier_identities())
        for record in [one for identity in dict.fromkeys(map(str, identities)) for one in self._by_identity.get(identity, ())]:
            is_neighbor = record.lock != own and record.lock.rpartition("/")[0] == folder
            if is_neighbor and not lacks_a_block(run, record.locked, record.folder, self._on_disk):
                return record
        return None

    def holder(self, run: Run) -> str | None:
        """Key of another experiment in the same namespace that has a run of this name."""
        for place, lock in self._locks.all():
            is_neighbor = (place.environment, place.namespace) == (run.unit.environment, run.unit.namespace)
            if is_neighbor and place.name != run.unit.name and run.name in lock.runs:
                return place.key
        return None

    def _read(self) -> dict[str, list[Record]]:
        records: dict[str, list[Record]] = {}
        notes = self._notes
        for place, lock in self._locks.all(but=notes.plain() if notes is not None else ()):
            path = path_of(place.environment, place.namespace, place.name)
            for run in lock.runs.values():
                if run.lifecycle_state == ARCHIVED:
                    records.setdefault(run.identity, []).append(Record(run.name, place.key, path, run, folder_of(place, run)))
        return records
