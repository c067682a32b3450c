"""A build into trees -> an answer of `kept.py`, if the same build again would write nothing.

The answer has the state of everything that the build read and of everything in the trees that it leaves: type, inode, size and
times of each file and folder. A file that is edited, created, moved or deleted changes one of them, so the next command builds.
The build decides whether it can have an answer (`write.Settled`). Two changes in quick succession can have the same time, so the
answer has the content of a file or folder that has just changed.
"""

from __future__ import annotations

import os
import stat
import time
from itertools import pairwise

from tjgen.cli import kept
from tjgen.cli.watching import Learned, Watch
from tjgen.trees import caches, system
from tjgen.trees.files.states import is_at_rest, state_of
from tjgen.trees.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tjgen.gitops.output.write import Settled

    Facts = dict[tuple[str, str], object]

_OUTPUTS = ("-o", "--output", "--expanded")

_watches: list[TreeWatch] = []
"""The watch of the command that runs."""


def settle(settled: Settled | None) -> None:
    """Note how a build into trees has ended."""
    for watch in _watches:
        watch.settled = settled


class TreeWatch(Watch):
    """What a build into trees learns from the file system outside of them."""

    most_facts = 50_000

    def __init__(self, words: list[str]) -> None:
        super().__init__()
        self.settled: Settled | None = None
        working_directory = os.getcwd()
        folders = [follower for word, follower in pairwise(words) if word in _OUTPUTS]
        self._trees = tuple(f"{place}/" for folder in folders for place in (folder, os.path.join(working_directory, folder)))
        """Prefixes of paths that are not recorded: `learned` looks at the trees that the build leaves."""
        self._files: set[str] = set()
        self._written: set[str] = set()
        """Paths that were written, and those at which two facts differ."""

    def begin(self) -> None:
        """Replace the functions of `os`."""
        super().begin()
        _watches.append(self)

    def end(self) -> None:
        """Put the functions back."""
        super().end()
        _watches.remove(self)

    def learned(self, started: int, parts: list[tuple[bool, str]]) -> Learned | None:
        """The answer of the build that began at `started` (ns); None if the same build again could write something."""
        settled, cache = self.settled, caches.location()
        next_parts = _next_parts(parts, settled) if settled is not None else None
        if settled is None or next_parts is None or cache is None:
            return None
        own = _WrittenFolders(settled.trees, cache)
        if not all(map(own.has, self._written)):
            return None
        facts = {key: fact for key, fact in self.facts.items() if not own.has(key[1])}
        try:
            facts = _with_entries(_with_files(facts, [path for path in self._files if not own.has(path)], started), own)
            for tree in settled.trees:
                facts.update(_of_tree(tree, settled.since or started))
        except (OSError, _ChangedError):
            return None
        return Learned({**facts, **_of_program()}, next_parts)

    def _note(self, kind: str, path: Any, fact: object) -> None:
        if path.__class__ is not str:
            self.is_complete = False
        elif not path.startswith(self._trees) and self.facts.setdefault((kind, path), fact) != fact:
            self._written.add(path)

    def _opened_file(self, path: Any, flags: int, opening: Callable[[], int]) -> int:
        if path.__class__ is not str:
            self.is_complete = False
        elif flags & ~system.READ and not path.startswith(self._trees):
            self._written.add(path)
            return opening()
        try:
            descriptor = opening()
        except OSError:
            self._note(kept.LINK_STATUS, path, kept.observed(kept.LINK_STATUS, path))
            raise
        if path.__class__ is str and not path.startswith(self._trees):
            self._files.add(path)
        return descriptor

    def _read(self, function: Any) -> Any:
        def open_file(file: Any, mode: str = "r", *more: Any, **options: Any) -> Any:
            if file.__class__ is str:
                (self._files if set(mode) <= set("rbt") else self._written).add(file)
            elif file.__class__ is not int:
                self.is_complete = False
            return function(file, mode, *more, **options)

        return open_file

    def _scanned(self, function: Any) -> Any:
        recorded = super()._scanned(function)
        return lambda path=".": function(path) if self._is_below_trees(self._folders.get(path, path)) else recorded(path)

    def _listed(self, function: Any) -> Any:
        recorded = super()._listed(function)
        return lambda path=".": function(path) if self._is_below_trees(path) else recorded(path)

    def _changed(self, name: str, function: Any) -> Any:
        if name in ("chdir", "walk"):
            return super()._changed(name, function)

        def call(*values: Any, **options: Any) -> Any:
            # A worker, which `fork` starts, reads nothing that the build does not read.
            self._written.update(value for value in values if value.__class__ is str and not value.startswith(self._trees))
            return function(*values, **options)

        return call

    def _is_below_trees(self, path: Any) -> bool:
        return path.__class__ is str and path.startswith(self._trees)


class _ChangedError(Exception):
    """A file may differ from the one that the build has read or left."""


class _WrittenFolders:
    """The folders that a build writes: trees, and caches."""

    def __init__(self, trees: tuple[str, ...], cache: str) -> None:
        real = {place(folder) for folder in (*trees, cache) for place in (os.path.abspath, os.path.realpath)}
        self._prefixes = tuple(f"{one}/" for one in real)
        self._paths = {*real, os.path.dirname(cache)}
        """The first build of an account creates the folder of all caches."""
        self._known: dict[str, str] = {}
        """Folder as it is named -> its path from the root, with a separator."""

    def has(self, path: str) -> bool:
        """Whether the path is in one of the folders, or is one of them."""
        folder, _, name = path.rpartition("/")
        full = self._known.get(folder)
        if full is None:
            full = self._known[folder] = f"{os.path.abspath(folder or ('/' if path.startswith('/') else '.')).rstrip('/')}/"
        return full.startswith(self._prefixes) or full + name in self._paths


def _next_parts(parts: list[tuple[bool, str]], settled: Settled) -> list[tuple[bool, str]] | None:
    """What the same build again would print; None if it is not known."""
    if settled.counts == settled.next_counts:
        return parts
    if not all(is_error for is_error, _ in parts):
        return None
    line = f"{settled.counts}\n"
    return [(True, f"{settled.next_counts}\n" if text == line else text) for _, text in parts]


def _with_files(facts: Facts, files: list[str], started: int) -> Facts:
    """The facts with the states of these files, which the build has read as they are since before it began."""
    states: Facts = {}
    for path in files:
        state = state_of(path)
        if not stat.S_ISREG(state[0]) or not is_at_rest(state, started):
            raise _ChangedError
        states[kept.STATE, path] = state
    # The state of a regular file implies these.
    implied = (kept.STATUS, kept.LINK_STATUS)
    rest = {key: fact for key, fact in facts.items() if key[0] not in implied or (kept.STATE, key[1]) not in states}
    return {**states, **rest}  # what changes most often is compared first


def _with_entries(facts: Facts, own: _WrittenFolders) -> Facts:
    """The facts with the entries of folders as they are now: the build may have created its trees there."""

    def others(folder: str, entries: object) -> object:
        return [one for one in entries if not own.has(f"{folder}/{one[0]}")] if isinstance(entries, tuple) else entries

    now: Facts = {}
    for (kind, folder), entries in facts.items():
        if kind == kept.ENTRIES:
            now[kind, folder] = kept.observed(kind, folder)
            if others(folder, now[kind, folder]) != others(folder, entries):
                raise _ChangedError
    return {**facts, **now}


def _of_tree(tree: str, since: int) -> Facts:
    """The states of all files and folders of a tree, in which no file has changed since then (ns)."""
    facts: Facts = {}
    if not os.path.lexists(tree):
        return {(kept.LINK_STATUS, tree): kept.observed(kept.LINK_STATUS, tree)}
    now = time.time_ns()
    folders = [tree]
    while folders:
        folder = folders.pop()
        state = state_of(folder)
        with os.scandir(folder) as iterator:
            entries = list(iterator)
        if not stat.S_ISDIR(state[0]):
            raise _ChangedError
        if is_at_rest(state, now):
            facts[kept.STATE, folder] = state
        else:
            facts[kept.ENTRIES, folder] = kept.entries_of(entries)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
                continue
            state = state_of(entry.path)
            if not stat.S_ISREG(state[0]) or state[-1] >= since:
                raise _ChangedError
            if is_at_rest(state, now):
                facts[kept.STATE, entry.path] = state
            else:
                for kind in (kept.LINK_STATUS, kept.CONTENT):
                    facts[kind, entry.path] = kept.observed(kind, entry.path)
    return facts


def _of_program() -> Facts:
    """The files of the program, which workers read too. Watching compares their times with the start."""
    from tjgen.gitops.emit import program

    return {(kept.OWN_STATUS, path): kept.observed(kept.OWN_STATUS, path) for path in program.files()}
