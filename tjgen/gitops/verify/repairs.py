"""A base with runs whose files were edited by hand -> these runs as they were before, so that verify accepts a repair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tjgen.gitops.emit import header
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.verify.proofs import Past
from tjgen.gitops.verify.state import RunFiles, StoredLocks, TreeState, body_of
from tjgen.language.runs.freeze import content_digest
from tjgen.language.runs.lock import LockedRun, path_of


def repairs(base: TreeState, head: TreeState, past: Past, commit: str | None) -> dict[RunFiles, TreeState]:
    """The runs that `head` changes and whose files do not match their lock at `base`, as they were before the edit.

    `commit` is that of the base: a commit up to it, or `head`, must have files that match the lock.
    """
    changed = {path.rpartition("/")[0] for path in base.tree if head.tree.get(path) != base.tree[path]}
    contents = _contents(base, changed)
    earlier: dict[RunFiles, TreeState] = {}
    for place, lock in StoredLocks("", base.records).all() if changed else ():
        for name, locked in lock.runs.items():
            run = RunFiles(folder_of(place, locked), f"{path_of(*place)}/{name}.yaml")
            if run.folder in changed and not _matches(contents[run.folder], locked, place.key):
                commits = reversed(past.changes(commit, run)) if commit is not None else ()
                for state in (head, *(past.state(one) for one, _ in commits)):
                    if _matches(_contents(state, {run.folder})[run.folder], locked, place.key):
                        earlier[run] = TreeState(run.of(state).tree, run.of(base).records)
                        break
    return earlier | _lost(base, head, past, commit)


def _lost(base: TreeState, head: TreeState, past: Past, commit: str | None) -> dict[RunFiles, TreeState]:
    """The runs of `head` whose files the base has without their lock, as the last commit has them that has the lock."""
    folders = {path.rpartition("/")[0] for path in base.tree}
    lost: dict[RunFiles, TreeState] = {}
    for place, lock in StoredLocks("", head.records).all() if commit is not None and head.records.keys() - base.records else ():
        for name, locked in lock.runs.items():
            run = RunFiles(folder_of(place, locked), f"{path_of(*place)}/{name}.yaml")
            if run.lock not in base.records and run.folder in folders and commit is not None:
                states = (past.state(one) for one, _ in reversed(past.changes(commit, run)))
                earlier = next((run.of(state) for state in states if run.lock in state.records), None)
                if earlier is not None:
                    lost[run] = earlier
    return lost


def _contents(state: TreeState, folders: Iterable[str]) -> dict[str, dict[str, bytes]]:
    """Folder -> name and content of its files."""
    contents: dict[str, dict[str, bytes]] = {folder: {} for folder in folders}
    for path, content in state.tree.items():
        folder, _, name = path.rpartition("/")
        if folder in contents:
            contents[folder][name] = content
    return contents


def _matches(contents: Mapping[str, bytes], locked: LockedRun, key: str) -> bool:
    """Whether the files of a run, by name, are as in its lock, with headers that tjgen writes."""
    known = [(content, header.read(content)) for content in contents.values()]
    is_whole = all(one is not None and one.owner == key and not header.is_edited(content, one) for content, one in known)
    bodies = {name: body for name, content in contents.items() if (body := body_of(content)) is not None}
    return is_whole and content_digest(bodies) == locked.content
