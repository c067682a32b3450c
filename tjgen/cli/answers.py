"""A command line of `tjgen check` and the files that it names -> what was answered before, if it is known.

An answer is kept under a hash of everything that it comes from: the words, the contents of the files and of the project file,
this program, its schemas and runtimes (names, sizes and times of their files), the Python that runs it, and whether colours are
shown. What depends on more is not kept: experiments, standard input, schemas and runtimes of one's own, and options
that are not named here.
The folder is `$XDG_CACHE_HOME/tjgen/check`, or `~/.cache/tjgen/check`; whatever is wrong with it, the check is just done.

Nothing but os and sys is imported on the way to a known answer: it takes little longer than starting Python.
"""

from __future__ import annotations

import marshal
import os
import sys

import tjgen
from tjgen.cli.folders import below
from tjgen.trees import data
from tjgen.trees.files.regular import read_regular
from tjgen.trees.files.repository import repository_of

PROJECT = "tjgen.yaml"
SWITCH = "TJGEN_CACHE"
OFF = ("off", "0", "no", "false")
"""The variable that turns all caches off, and its values."""
LANGUAGE = b"tjgen.dev/v1alpha1"
"""Text that every file in the language of tjgen has. Few manifests have it."""
_FLAGS = ("-q", "--quiet", "--strict")
_VALUES = ("--apply", "--format", "--trainer")
_MOST = 1_000
"""Answers that are kept; with more, the older half goes."""
_DIGEST = 32
_LONGEST = 1 << 20
_MOST_FILES = 20_000
"""Entries of a folder; an answer about more is not kept."""
_OTHER_FILES = (b"catalogs", b"platforms", b"schemas")
"""Fields of a project that name files by which manifests are checked."""
_NO_PROGRAM = ("__pycache__", "modules", "SOURCE")


def key(words: list[str]) -> str | None:
    """The name of the answer to `check` with these words; None where none is kept."""
    paths = _paths(words)
    folder = folder_of("check")
    # Its policies are other files that manifests are checked by.
    if paths is None or folder is None or is_off() or "TJGEN_POLICY" in os.environ:
        return None
    try:
        from _blake2 import blake2b
    except ImportError:  # a Python without it has no fast hash that costs nothing to load
        return None
    state = blake2b(digest_size=_DIGEST)

    def take(part: bytes) -> None:
        state.update(b"%d:" % len(part) + part)

    try:
        take(_program())
        for word in words:
            take(os.fsencode(word))
        take(_project())
        take(os.fsencode(repository_of(".") or ""))
        for path in paths:
            take(os.fsencode(os.path.realpath(path)))
            for file in below(path, _MOST_FILES) if os.path.isdir(path) else (path,):
                # Raises for a link: what it means depends on where it leads to, and so no answer is kept.
                take(os.fsencode(file))
                content = read_regular(file)
                if LANGUAGE in content:
                    return None  # the answer depends on the project and on other files
                take(content)
    except (OSError, ValueError):  # the check reports what is wrong with a file
        return None
    return os.path.join(folder, state.hexdigest())


def recall(name: str) -> int | None:
    """Write the answer to standard error as it was; the exit code, None where there is no answer."""
    try:
        with open(name, "rb") as file:
            digest, _, answer = file.read().partition(b"\n")
    except OSError:
        return None
    if digest != checksum(answer):
        return None
    code, _, text = answer.partition(b"\n")
    try:
        sys.stderr.write(text.decode())
    except BrokenPipeError:  # the reader of it has left, as in `program.run`
        sys.stderr.close()
        return 1
    return int(code)


def remember(name: str, code: int, text: str) -> None:
    """Keep an answer. A folder that cannot be written only means that the next check takes as long."""
    try:
        answer = b"%d\n" % code + text.encode()
    except UnicodeEncodeError:  # a file name that is no text
        return
    if code not in (0, 1) or len(answer) > _LONGEST:
        return
    write_answer(name, answer)


def write_answer(name: str, answer: bytes) -> None:
    """Write a file with an answer and its checksum, and remove old ones. A folder that cannot be written is no error."""
    temporary = f"{name}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(checksum(answer) + b"\n" + answer)
        os.replace(temporary, name)
        _forget(os.path.dirname(name))
    except OSError:
        return


class Recorder:
    """Standard error, and what was written to it."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self.parts: list[str] = []

    def write(self, text: str) -> int:
        """Write, and keep."""
        self.parts.append(text)
        return self._stream.write(text)

    def pass_by(self, text: str) -> int:
        """Print removals that follow the work, and so are not part of the result."""
        return self._stream.write(text)

    def flush(self) -> None:
        """Flush the stream."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self._stream.isatty()

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()

    @property
    def closed(self) -> bool:
        """Whether the stream is closed."""
        return self._stream.closed


def _paths(words: list[str]) -> list[str] | None:
    """The files and folders among the words; None for words whose answer is not kept."""
    paths: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            paths.append(word)
        elif word in _VALUES:
            next(rest, None)
        elif word not in _FLAGS and not word.startswith(tuple(f"{flag}=" for flag in _VALUES)):
            return None
    return paths or None


def is_off() -> bool:
    """Whether the environment turns answers off."""
    return os.environ.get(SWITCH, "").lower() in OFF


def folder_of(command: str) -> str | None:
    """The folder with the answers of a command; None if the environment has no place for it."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):
        home = os.environ.get("HOME", "")
        cache = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return os.path.join(cache, "tjgen", command) if cache else None


def _program() -> bytes:
    """What the answer depends on in addition to the input: the program, its schemas and runtimes, PyYAML, Python, colours.

    Files are in the order of their folders: another order only means that the check is done again.
    """
    parts: list[object] = [sys.version, sys.prefix, sys.stderr.isatty(), "NO_COLOR" in os.environ, os.environ.get("TERM", "")]
    for folder in (os.path.dirname(os.path.abspath(tjgen.__file__)), data.path("schemas"), data.path("runtimes")):
        parts.append(folder)
        _add_files(folder, parts)
    for folder in sys.path:
        file = os.path.join(folder, "yaml", "__init__.py")
        if os.path.exists(file):
            status = os.stat(file)
            parts += file, status.st_size, status.st_mtime_ns
            break
    return marshal.dumps(parts, 2)  # this version writes equal values as equal bytes


def _add_files(folder: str, parts: list[object]) -> None:
    """Add name, size, and time of the files of the program below a folder."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith((".py", ".json", ".txt", ".yaml")):
                status = entry.stat()
                parts += name, status.st_size, status.st_mtime_ns
            elif name not in _NO_PROGRAM and entry.is_dir():
                folders.append(entry.path)
    for below_it in folders:
        parts.append(below_it)
        _add_files(below_it, parts)


def _project() -> bytes:
    """The project file of this folder or one above it; raises ValueError where it names schemas or runtimes of its own."""
    folder = os.getcwd()
    while True:
        try:
            content = read_regular(os.path.join(folder, PROJECT))
        except FileNotFoundError:
            above = os.path.dirname(folder)
            if above == folder:
                return b""
            folder = above
        else:
            if any(word in content for word in _OTHER_FILES):
                raise ValueError("an answer would depend on other files")
            return os.fsencode(folder) + content


def checksum(answer: bytes) -> bytes:
    """The first line of a file with an answer."""
    from _blake2 import blake2b

    return blake2b(answer, digest_size=_DIGEST).hexdigest().encode()


def _forget(folder: str) -> None:
    """Remove the older half of the answers where there are too many."""
    entries = list(os.scandir(folder))
    if len(entries) > _MOST:
        for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)[: len(entries) // 2]:
            os.unlink(entry.path)
