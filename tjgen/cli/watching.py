"""A command -> the same command, with what it learned from the file system and what it wrote stored as an answer of `kept.py`.

The functions of `os` through which a command looks at files are replaced while it runs. What cannot be recorded, such as a file
that is written, keeps the answer from being stored.
"""

from __future__ import annotations

import builtins
import io
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator

from tjgen.cli import kept
from tjgen.trees import data, system
from tjgen.trees.caches import CacheEntry
from tjgen.trees.typing import Any, NamedTuple

_LONGEST = 32 << 20
"""Characters of an answer that is stored."""
_MOST = 1_000
"""Answers that are stored. With more, the older half is removed."""
_LIBRARIES = ("tjgen", "yaml")
_CHANGES = ("access", "chdir", "fork", "link", "mkdir", "rename", "replace", "rmdir", "symlink", "unlink", "utime", "walk")
"""Functions of `os` that do more than look, or look in another way."""
_SCANDIR = os.scandir
_UNRECORDED = ("subprocess", "socket", "tjgen.trees.trust")
"""Modules of what an answer cannot depend on."""


def run(entry: CacheEntry, command: Callable[[], int], watch: Watch | None = None) -> int:
    """The exit code of the command. Its answer is stored at `entry` unless it is wrong use or a defect."""
    started = time.time_ns()
    watch = watch or Watch()
    parts: list[tuple[bool, str]] = []
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Copy(sys.stdout, parts, False, watch), _Copy(sys.stderr, parts, True, watch)
    watch.begin()
    try:
        code = command()
    finally:
        watch.end()
        sys.stdout, sys.stderr = streams
    if code in (0, 1) and watch.is_complete and not any(module in sys.modules for module in _UNRECORDED):
        learned = watch.learned(started, parts)
        facts = {**learned.facts, **_program(started)} if learned is not None else {}
        if learned is None or None in facts.values() or len(facts) > watch.most_facts:
            return code
        if sum(len(text) for _, text in learned.parts) <= _LONGEST:
            store(entry, [(*key, fact) for key, fact in facts.items()], code, learned.parts)
    return code


def store(entry: CacheEntry, facts: list[kept.Fact], code: int, parts: list[tuple[bool, str]]) -> None:
    """Store an answer, and remove old ones."""
    if entry.store((facts, code, parts)):
        entry.folder.trim(_MOST)


def _program(started: int) -> dict[tuple[str, str], object]:
    """The files that the program was loaded from, unless one has changed since the start."""
    facts: dict[tuple[str, str], object] = {}
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if path is None or module.__name__.partition(".")[0] not in _LIBRARIES:
            continue
        status = kept.observed(kept.OWN_STATUS, path)
        changed = status[1] if isinstance(status, tuple) else started
        facts[kept.OWN_STATUS, path] = status if changed < started else None
    return facts


class _Copy:
    """A stream, and a copy of what is written to it."""

    def __init__(self, stream: Any, parts: list[tuple[bool, str]], is_error: bool, watch: Watch) -> None:
        self._stream, self._parts, self._is_error, self._watch = stream, parts, is_error, watch

    def write(self, text: str) -> int:
        """Write and copy."""
        self._parts.append((self._is_error, text))
        return int(self._try(self._stream.write, text))

    def flush(self) -> None:
        """Flush the stream."""
        self._try(self._stream.flush)

    def pass_by(self, text: str) -> int:
        """Write text that is shown only while the command runs: it is not part of the answer."""
        return int(self._stream.write(text))

    def _try(self, function: Callable[..., Any], *values: str) -> Any:
        try:
            return function(*values)
        except OSError:  # the reader has left, or the disk is full: what follows is not written
            self._watch.is_complete = False
            raise

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "writelines", "fileno"):
            self._watch.is_complete = False
        return getattr(self._stream, name)


class Learned(NamedTuple):
    """What an answer consists of, without its exit code."""

    facts: dict[tuple[str, str], object]
    parts: list[tuple[bool, str]]
    """Whether it goes to standard error, and text, in the order of writing."""


class Watch:
    """What a program learns from the file system between `begin` and `end`; complete unless it does more than look."""

    most_facts = 20_000
    """The most facts of an answer that is stored."""

    def __init__(self) -> None:
        self.facts: dict[tuple[str, str], object] = {}
        self.is_complete = True
        self._own = (os.path.join(data.path("schemas"), ""), os.path.join(data.path("runtimes"), ""))
        self._replaced: list[tuple[Any, str, Any]] = []
        self._folders: dict[int, Any] = {}
        """Descriptor of an open folder -> its path; None if it is not known."""

    def begin(self) -> None:
        """Replace the functions of `os`."""
        self._replace(os, "stat", self._status(kept.STATUS, os.stat))
        self._replace(os, "lstat", self._status(kept.LINK_STATUS, os.lstat))
        self._replace(os, "readlink", self._looked_up(kept.TARGET, os.readlink))
        self._replace(os, "open", self._opened(os.open))
        self._replace(os, "scandir", self._scanned(os.scandir))
        self._replace(os, "listdir", self._listed(os.listdir))
        self._replace(builtins, "open", self._read(builtins.open))
        self._replace(io, "open", self._read(io.open))
        for name in _CHANGES:
            self._replace(os, name, self._changed(name, getattr(os, name)))

    def end(self) -> None:
        """Put the functions back."""
        for owner, name, function in self._replaced:
            setattr(owner, name, function)

    def learned(self, started: int, parts: list[tuple[bool, str]]) -> Learned | None:
        """The answer of a command that began at `started` (ns) and wrote `parts`; None if it has none."""
        del started
        return Learned(self.facts, parts)

    def _replace(self, owner: Any, name: str, function: Any) -> None:
        self._replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, function)

    def _note(self, kind: str, path: Any, fact: object) -> None:
        if path.__class__ is not str:
            self.is_complete = False
        elif self.facts.setdefault((kind, path), fact) != fact:
            self.is_complete = False  # it changed meanwhile

    def _status(self, kind: str, function: Any) -> Any:
        def status(path: Any, **options: Any) -> os.stat_result:
            if options and (set(options) != {"follow_symlinks"} or not options["follow_symlinks"]):
                self.is_complete = False
            # A file of the program is known by its size and time: trees/bytecode.py may have its value.
            is_own = path.__class__ is str and path.startswith(self._own)
            noted = kept.OWN_STATUS if is_own else kind
            try:
                result: os.stat_result = function(path, **options)
            except OSError as error:
                self._note(noted, path, -(error.errno or 1))
                raise
            self._note(noted, path, (result.st_size, result.st_mtime_ns) if is_own else kept.described(result))
            return result

        return status

    def _looked_up(self, kind: str, function: Any) -> Any:
        def look_up(path: Any, **options: Any) -> Any:
            self.is_complete = self.is_complete and not options
            try:
                result = function(path, **options)
            except OSError as error:
                self._note(kind, path, -(error.errno or 1))
                raise
            self._note(kind, path, result)
            return result

        return look_up

    def _opened(self, function: Any) -> Any:
        def open_descriptor(path: Any, flags: int, *more: Any, dir_fd: int | None = None) -> int:
            full = path if dir_fd is None else self._below(dir_fd, path)
            if not flags & system.IS_FOLDER:
                return self._opened_file(full, flags, lambda: int(function(path, flags, *more, dir_fd=dir_fd)))
            self._note(kept.LINK_STATUS, full, kept.observed(kept.LINK_STATUS, full) if full.__class__ is str else None)
            descriptor: int = function(path, flags, *more, dir_fd=dir_fd)
            self._folders[descriptor] = full
            return descriptor

        return open_descriptor

    def _below(self, folder: int, path: Any) -> Any:
        """The path of what is opened in an open folder; None if the path of that is not known."""
        above = self._folders.get(folder)
        return above if above is None or path == "." else f"{above.rstrip('/')}/{path}"

    def _opened_file(self, path: Any, flags: int, opening: Callable[[], int]) -> int:
        self.is_complete = self.is_complete and path.__class__ is str and not flags & ~system.READ
        try:
            descriptor = opening()
        except OSError as error:
            # A link is refused, so the error is not that of a reader that follows it.
            self._note(kept.LINK_STATUS, path, kept.observed(kept.LINK_STATUS, path))
            self.is_complete = self.is_complete and isinstance(error, FileNotFoundError)
            raise
        status = os.fstat(descriptor)
        if flags & ~system.READ or not stat.S_ISREG(status.st_mode) or status.st_size > kept.LARGEST_FILE:
            self.is_complete = False
        else:
            self._note(kept.CONTENT, path, kept.digest_of(os.pread(descriptor, status.st_size + 1, 0)))
        return descriptor

    def _read(self, function: Any) -> Any:
        def open_file(file: Any, mode: str = "r", *more: Any, **options: Any) -> Any:
            if not set(mode) <= set("rbt") or not str(file).startswith(self._own):
                self.is_complete = False
            else:
                self._note(kept.OWN_STATUS, file, kept.observed(kept.OWN_STATUS, file))
            return function(file, mode, *more, **options)

        return open_file

    def _scanned(self, function: Any) -> Any:
        def scan(path: Any = ".") -> _Entries:
            full = path if path.__class__ is str else self._folders.get(path)
            try:
                with function(path) as iterator:
                    entries = list(iterator)
            except OSError as error:
                self._note(kept.ENTRIES, full, -(error.errno or 1))
                raise
            self._note(kept.ENTRIES, full, kept.entries_of(entries))
            return _Entries(entries)

        return scan

    def _listed(self, function: Any) -> Any:
        def names(path: Any = ".") -> list[str]:
            if path.__class__ is not str:
                self.is_complete = False
                return list(function(path))
            try:
                with _SCANDIR(path) as iterator:
                    entries = list(iterator)
            except OSError as error:
                self._note(kept.ENTRIES, path, -(error.errno or 1))
                raise
            self._note(kept.ENTRIES, path, kept.entries_of(entries))
            return [entry.name for entry in entries]

        return names

    def _changed(self, name: str, function: Any) -> Any:
        del name

        def call(*values: Any, **options: Any) -> Any:
            self.is_complete = False
            return function(*values, **options)

        return call


class _Entries:
    """What `os.scandir` returns, of entries that are read already."""

    def __init__(self, entries: list[os.DirEntry[str]]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[os.DirEntry[str]]:
        return self._entries

    def __next__(self) -> os.DirEntry[str]:
        return next(self._entries)

    def __enter__(self) -> _Entries:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is open."""
