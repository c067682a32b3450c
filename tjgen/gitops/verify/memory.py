"""A state, and which sources are as they were -> what a build may take over without compiling these sources."""

from __future__ import annotations

import os
from collections.abc import Collection
from hashlib import sha256

from tjgen.compiler.building.plan import Plan
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.diff.side import place_of
from tjgen.gitops.emit import header
from tjgen.gitops.output.done import Done, RunCounts
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.verify.replay import Remember, UnchangedSource
from tjgen.gitops.verify.snapshot import Snapshot, is_pin
from tjgen.gitops.verify.state import StoredLocks, TreeState
from tjgen.language.runs.lock import RENAMED, REPLACED, Lock, is_runtime, path_of
from tjgen.language.runs.store import LockKey
from tjgen.trees.manifests.manifest import RUNS

_READ_BY_PEOPLE = (".md", ".rst")
"""What the files end in that no build reads."""


def nothing_known(file: str, environment: str | None) -> UnchangedSource | None:
    """The answer if every source must be compiled."""
    del file, environment
    return None


def everything_known(plan: Plan, state: TreeState, *, but: Collection[str]) -> Remember:
    """All sources, as `state` has their runs, except those of the experiments `but`."""
    return _Index(plan, state, but, set()).known


def unchanged(plan: Plan, repository: Repository, base: str, snapshot: Snapshot, *, staged: bool) -> Remember:
    """The sources that are as at `base`, of which the runs are as at `base` too.

    If anything else that a build may read differs, such as an overlay, a platform or code, every source is compiled.
    """
    tree, records = snapshot.tree, snapshot.records
    changed = set(repository.changed(base, staged=staged))
    inside = tuple(f"{folder.path}/" for folder in (tree, records))
    sources = {repository.path_of(file): file for file in plan.files}
    others = {path for path in changed if not path.startswith(inside) and not path.endswith(_READ_BY_PEOPLE)}
    if others - sources.keys() or any(is_pin(path) for path in records.changed):
        return nothing_known
    differing = {sources[path] for path in changed & sources.keys()}
    keys: set[str] = set()
    for path in records.changed:
        folder = path.rpartition("/")[0]
        keys |= {folder, folder.removeprefix("default/")}
    shared: set[str] = set()
    for path in tree.changed:
        place = place_of(path)
        if place is not None and place.stage == RUNS:
            keys.add(place.key)
        else:
            shared.add(path)
    index = _Index(plan, snapshot.old, keys, shared)
    return lambda file, environment: None if file in differing else index.known(file, environment)


class _Index:
    """The experiments of each source, as a state has them."""

    def __init__(self, plan: Plan, state: TreeState, but: Collection[str], shared: Collection[str]) -> None:
        self._plan = plan
        self._state = state
        self._but = but
        self._shared = shared
        """Paths that differ: sources whose runs use them are compiled."""
        self._locks = {place.key: (place, lock) for place, lock in StoredLocks("", state.records).all()}
        self._overlays = tuple(_overlays(plan))
        self._units: dict[tuple[str, str], dict[str, None]] = {}
        seen: set[str] = set()
        for path, content in state.tree.items():
            folder = path.rpartition("/")[0]
            place = place_of(path) if folder not in seen else None
            if place is not None and place.stage == RUNS:
                seen.add(folder)
                known = header.read(content)
                if known is not None:
                    self._units.setdefault((known.source, place.environment), {})[known.owner] = None

    def known(self, file: str, environment: str | None) -> UnchangedSource | None:
        """The runs of a source; None if they are not known for sure."""
        source = os.path.relpath(file, self._plan.project.directory or ".").replace(os.sep, "/")
        units = self._units.get((source, environment or ""))
        if not units:
            return None
        locked = [self._locks.get(key) for key in units]
        if any(one is None or one[1].experiment in self._but or not _is_settled(one[1]) for one in locked):
            return None
        locks = [one for one in locked if one is not None]
        uses = sorted({path for _, lock in locks for run in lock.runs.values() for path in run.uses})
        if any(path in self._shared or path not in self._state.tree for path in uses):
            return None
        keeps = tuple([folder_of(place, run) for place, lock in locks for run in lock.runs.values()])
        # The name of a runtime follows its content, and its annotations may change.
        shared = tuple([(path, _digest(self._state.tree[path])) for path in uses if not is_runtime(path)])
        done = Done(keeps=keeps, uses=tuple(uses), shared=shared, counts=RunCounts(unchanged=len(keeps)))
        return UnchangedSource(tuple([(lock.experiment, _path(place)) for place, lock in locks]), self._overlays, done)


def _is_settled(lock: Lock) -> bool:
    """Whether no run of the experiment comes from a rename, so that the header of its files names its experiment."""
    moved = any(run.folder for run in lock.runs.values())
    return not moved and all(run.was not in (RENAMED, REPLACED) for run in lock.pruned.values())


def _path(place: LockKey) -> str:
    return path_of(place.environment, place.namespace, place.name)


def _digest(content: bytes) -> bytes:
    known = header.read(content)
    return sha256(content[known.length if known is not None else 0 :]).digest()[:8]


def _overlays(plan: Plan) -> list[str]:
    project = plan.project
    return [
        one.overlay.metadata.name
        for one in (*project.overlays, *(one for group in project.overlays_of.values() for one in group))
    ]
