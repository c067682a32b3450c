"""A command line of `tjgen build` or `tjgen check` -> what it wrote before, if everything that it depends on is the same.

While a command runs, `watching.py` records what it learns from the file system: the status of paths, the content of files,
the entries of folders, the targets of links, and the files of the program itself. The answer is written again only if each of
these facts still holds. It is stored under a hash of the words, the working directory, the variables of the environment that
tjgen reads, Python, and whether the streams are terminals. No answer is stored for a command that reads standard input, writes
a file, starts a program, or runs code of the project, nor for wrong use and defects. A build into trees writes files, and has
an answer if the next one would write none: see `settled.py`.

The answers of `build` and of `check` have a folder each in that of all caches (see `trees/caches.py`). `TJGEN_CACHE=off` and
`--no-cache` turn this off.
Nothing but os, stat, sys and marshal is imported on the way to a stored answer: it takes little longer than starting Python.
"""

from __future__ import annotations

import os
import stat
import sys

from tjgen.trees.caches import CacheEntry, open_folder
from tjgen.trees.files.regular import read_regular
from tjgen.trees.files.states import state_of
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Fact = tuple[str, str, object]
    """The kind of a fact, a path, and what was found there."""

STATUS, LINK_STATUS, OWN_STATUS, CONTENT, ENTRIES, TARGET = "status", "link status", "own status", "content", "entries", "target"
STATE = "state"
LARGEST_FILE = 64 << 20
"""Bytes of a file that an answer can depend on."""
_OPTIONS = {
    "build": (
        ("-q", "--quiet", "--strict", "--summary", "--expanded", "--expanded=-", "--all-pods"),
        ("--env", "--format", "--set", "--trainer"),
    ),
    "check": (("-q", "--quiet", "--strict"), ("--apply", "--format", "--trainer")),
}
"""Each command whose answers are stored: its options without and with a value."""
_OPTIONS_OF_TREES = (("--check",), ("-o", "--output", "--jobs"))
"""Options of a build into trees in addition to those of a build, without and with a value."""
VARIABLES = ("CI", "HOME", "NO_COLOR", "PYTHONPATH", "TERM", "XDG_CACHE_HOME")
PREFIXES = ("GIT_", "TJGEN_")
"""The variables of the environment that an answer depends on."""


def place(words: list[str]) -> CacheEntry | None:
    """The place of the answer to the command line `words`; None if no answer is stored for it."""
    if not _are_kept(words) or sys.stdout is None or "TJGEN_TRUSTED" in os.environ:
        return None
    answers = open_folder(words[0])
    if answers is None:
        return None
    try:
        working_directory = os.getcwd()
    except OSError:
        return None
    variables = sorted((name, value) for name, value in os.environ.items() if name in VARIABLES or name.startswith(PREFIXES))
    terminals = [stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)]
    key = repr((words, working_directory, variables, terminals, sys.version, sys.prefix, sys.flags.optimize, __file__))
    return CacheEntry(answers, digest_of(key.encode(errors="surrogateescape")).hex())


def writes_trees(words: list[str]) -> bool:
    """Whether the command line can be that of a build into trees: it names an output, or has no path."""
    return words[0] == "build" and not _has_path(words, _OPTIONS["build"])


def recall(entry: CacheEntry) -> int | None:
    """Write the answer at this place and return its exit code; None if there is none, or if a fact has changed."""
    answer = entry.load()
    if answer is None:
        return None
    facts, code, parts = answer
    if not all(observed(kind, path) == fact for kind, path, fact in facts):
        return None
    return _write(code, parts)


def observed(kind: str, path: str) -> object:
    """What is found at the path now, or the negative number of an error: equal to the stored value if the fact holds."""
    try:
        return _OBSERVERS[kind](path)
    except OSError as error:
        return -(error.errno or 1)


def described(status: os.stat_result) -> tuple[int, ...]:
    """What an answer can depend on of a status: type and permissions, and the size of a regular file."""
    return (status.st_mode, status.st_size) if stat.S_ISREG(status.st_mode) else (status.st_mode,)


def digest_of(content: bytes) -> bytes:
    """The digest of the content of a file."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

    return blake2b(content, digest_size=32).digest()


def entries_of(entries: list[os.DirEntry[str]]) -> tuple[tuple[str, bool, bool], ...]:
    """Name, whether it is a folder or leads to one, and whether it is a link, of each entry of a folder."""
    return tuple(sorted((entry.name, entry.is_dir(), entry.is_symlink()) for entry in entries))


def _own_status(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def _entries(path: str) -> tuple[tuple[str, bool, bool], ...]:
    with os.scandir(path) as entries:
        return entries_of(list(entries))


def _content(path: str) -> bytes:
    return digest_of(read_regular(path, LARGEST_FILE))


_OBSERVERS: dict[str, Callable[[str], object]] = {
    STATUS: lambda path: described(os.stat(path)),
    LINK_STATUS: lambda path: described(os.lstat(path)),
    OWN_STATUS: _own_status,
    CONTENT: _content,
    ENTRIES: _entries,
    TARGET: os.readlink,
    STATE: state_of,
}


def _are_kept(words: list[str]) -> bool:
    """Whether the words have only options whose answer is stored."""
    flags, values = _OPTIONS[words[0]]
    if words[0] == "build":
        more = _OPTIONS_OF_TREES
        return _has_path(words, (flags, values)) or _has_path([*words, "."], (flags + more[0], values + more[1]))
    return _has_path(words, (flags, values))


def _has_path(words: list[str], options: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
    """Whether the words have only these options, and a path."""
    flags, values = options
    rest = iter(words[1:])
    has_path = False
    for word in rest:
        if word in values:
            next(rest, None)
        elif not word.startswith("-"):
            has_path = True
        elif word not in flags and not word.startswith(tuple(f"{name}=" for name in values)):
            return False
    return has_path


def _write(code: int, parts: list[tuple[bool, str]]) -> int:
    """Write what the command wrote, in its order, as `program.run` does; the exit code."""
    try:
        # Manifests are UTF-8, as in `program.run`.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]  # the stream of Python itself
        for is_error, text in parts:
            (sys.stderr if is_error else sys.stdout).write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        from tjgen.cli.program import unwritable

        return unwritable(error)
    return code
