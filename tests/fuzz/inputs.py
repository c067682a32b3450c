"""One input of the fuzz program: what a run gets, as a value that can be written, read back, and laid out in a folder."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple


class Link(NamedTuple):
    """A symbolic link."""

    target: str


class Folder(NamedTuple):
    """A folder without files."""


File = bytes | Link | Folder
Files = Mapping[str, File]

PROGRAM = "tjgen"
"""The call of an input that is a command line; other calls are functions of the library (tests/fuzz/library.py)."""
UTF8 = "utf-8"
CLOSED = "closed"
FULL = "full"


class Input(NamedTuple):
    """A call with everything that it reads."""

    call: str
    words: tuple[str, ...] = ()
    files: Files = MappingProxyType({})
    stdin: bytes = b""
    """Standard input of a command line; the arguments of a library call."""
    variables: Mapping[str, str] = MappingProxyType({})
    """Environment variables."""
    replies: tuple[tuple[int, str, str, bytes], ...] = ()
    """What registries answer, in turn: status, name and value of a header, body."""
    output: str = UTF8
    """Encoding of standard output, CLOSED, or FULL for a full disk."""

    @property
    def size(self) -> int:
        """Bytes and words: the smaller of two inputs with the same finding is kept."""
        texts = [*self.words, *self.files, *self.variables, *self.variables.values()]
        contents = [file for file in self.files.values() if isinstance(file, bytes)]
        return sum(map(len, [*texts, *contents, self.stdin])) + 20 * (len(self.files) + len(self.words))


def lay_out(files: Files, folder: str) -> None:
    """Write the files below an existing, empty folder. A name that the file system refuses is left out."""
    made: set[str] = set()
    for name, file in files.items():
        path = os.path.join(folder, name)
        parent = os.path.dirname(path)
        try:
            if parent != folder and parent not in made:
                os.makedirs(parent, exist_ok=True)
                made.add(parent)
            if isinstance(file, bytes):
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
                os.write(descriptor, file)
                os.close(descriptor)
            elif isinstance(file, Link):
                os.symlink(file.target, path)
            else:
                os.makedirs(path, exist_ok=True)
        except (OSError, ValueError):
            continue


def to_json(one: Input) -> str:
    """The input as text; `from_json` reads it back."""
    data = {
        **one._asdict(),
        "files": {name: _file(file) for name, file in one.files.items()},
        "stdin": _bytes(one.stdin),
        "variables": dict(one.variables),
        "replies": [[status, name, value, _bytes(body)] for status, name, value, body in one.replies],
    }
    # A name that is not UTF-8 has lone surrogates, which JSON can only hold escaped.
    return json.dumps({key: value for key, value in data.items() if value}, indent=1, ensure_ascii=True) + "\n"


def from_json(text: str) -> Input:
    """The input that `to_json` wrote. Raises ValueError where the text is not JSON."""
    data = json.loads(text)
    return Input(
        data["call"],
        tuple(data.get("words", ())),
        {name: _file_of(file) for name, file in data.get("files", {}).items()},
        _bytes_of(data.get("stdin", "")),
        data.get("variables", {}),
        tuple((status, name, value, _bytes_of(body)) for status, name, value, body in data.get("replies", ())),
        data.get("output", UTF8),
    )


def load(path: Path) -> Input:
    """The input of a file that a run of the fuzz program wrote."""
    return from_json(path.read_text(encoding="utf-8"))


def _file(file: File) -> Any:
    if isinstance(file, bytes):
        return _bytes(file)
    return {"link": file.target} if isinstance(file, Link) else {"folder": True}


def _file_of(data: Any) -> File:
    if isinstance(data, dict) and "link" in data:
        return Link(data["link"])
    return Folder() if isinstance(data, dict) and "folder" in data else _bytes_of(data)


def _bytes(content: bytes) -> Any:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _bytes_of(data: Any) -> bytes:
    return base64.b64decode(data["base64"]) if isinstance(data, dict) else str(data).encode()
