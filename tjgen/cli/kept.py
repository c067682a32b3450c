"""A command line of `tjgen build` that prints -> what it printed before, if everything that it depends on is the same.

While a build runs, `watching.py` records what the build learns from the file system: the status of paths, the content of
files, the entries of folders, the targets of links, and the files of the program itself. The answer is printed again only if
each of these facts still holds. It is stored under a hash of the words, the working directory, the variables of the environment
that tjgen reads, Python, and whether the streams are terminals. Only successful builds are stored. A build is not stored if it
reads standard input, writes a file, starts a program, or runs code of the project.

The folder is `$XDG_CACHE_HOME/tjgen/build`, or `~/.cache/tjgen/build`. `TJGEN_CACHE=off` and `--no-cache` turn this off.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys

from tjgen.cli.answers import checksum, folder_of, is_off
from tjgen.trees.files.regular import read_regular
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Fact = tuple[str, str, object]
    """The kind of a fact, a path, and what was found there."""

STATUS, LINK_STATUS, OWN_STATUS, CONTENT, ENTRIES, TARGET = "status", "link status", "own status", "content", "entries", "target"
_FLAGS = ("-q", "--quiet", "--strict", "--summary", "--expanded", "--expanded=-")
_VALUES = ("--env", "--format", "--set", "--trainer")
VARIABLES = ("CI", "HOME", "NO_COLOR", "PYTHONPATH", "TERM", "XDG_CACHE_HOME")
PREFIXES = ("GIT_", "TJGEN_")
"""The variables of the environment that a build depends on."""


def place(words: list[str]) -> str | None:
    """The path of the answer to `build` with these words; None if no answer is stored for them."""
    folder = folder_of("build")
    if folder is None or is_off() or not _are_kept(words) or sys.stdout is None or "TJGEN_TRUSTED" in os.environ:
        return None
    try:
        from _blake2 import blake2b

        working_directory = os.getcwd()
    except (ImportError, OSError):
        return None
    variables = sorted((name, value) for name, value in os.environ.items() if name in VARIABLES or name.startswith(PREFIXES))
    terminals = [stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)]
    key = repr((words, working_directory, variables, terminals, sys.version, sys.prefix, sys.flags.optimize, __file__))
    return os.path.join(folder, blake2b(key.encode(errors="surrogateescape"), digest_size=32).hexdigest())


def recall(name: str) -> int | None:
    """Print the answer with this path and return its exit code; None if there is none, or if a fact has changed."""
    try:
        digest, _, packed = read_regular(name).partition(b"\n")
        if digest != checksum(packed):
            return None
        facts, parts = marshal.loads(packed)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    if not all(observed(kind, path) == fact for kind, path, fact in facts):
        return None
    return _print(parts)


def observed(kind: str, path: str) -> object:
    """What is found at the path now, or the negative number of an error: equal to the stored value if the fact holds."""
    try:
        return _OBSERVERS[kind](path)
    except OSError as error:
        return -(error.errno or 1)


def described(status: os.stat_result) -> tuple[int, ...]:
    """What a build can depend on of a status: type and permissions, and the size of a regular file."""
    return (status.st_mode, status.st_size) if stat.S_ISREG(status.st_mode) else (status.st_mode,)


def digest_of(content: bytes) -> bytes:
    """The digest of a file's content."""
    from _blake2 import blake2b

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
    with open(path, "rb") as file:
        return digest_of(file.read())


_OBSERVERS: dict[str, Callable[[str], object]] = {
    STATUS: lambda path: described(os.stat(path)),
    LINK_STATUS: lambda path: described(os.lstat(path)),
    OWN_STATUS: _own_status,
    CONTENT: _content,
    ENTRIES: _entries,
    TARGET: os.readlink,
}


def _are_kept(words: list[str]) -> bool:
    """Whether the words have only options whose answer is stored, and a path: without one, a tree is written."""
    rest = iter(words)
    has_path = False
    for word in rest:
        if word in _VALUES:
            next(rest, None)
        elif not word.startswith("-"):
            has_path = True
        elif word not in _FLAGS and not word.startswith(tuple(f"{name}=" for name in _VALUES)):
            return False
    return has_path


def _print(parts: list[tuple[bool, str]]) -> int:
    """Write what a build wrote, in its order, as `program.run` does."""
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
    return 0
