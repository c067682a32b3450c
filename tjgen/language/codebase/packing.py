"""Files of code -> the content of a ConfigMap, and the `items` by which a volume gives them their folders back.

A key of a ConfigMap holds no `/`: folders become `..`, and a path whose key would not be its own gets
eight characters of its digest.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256

from tjgen.language.codebase.files import CodeFile, FolderError
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

LIMIT = 1024 * 1024
"""Bytes of all keys and values. Upstream: core/validation `ValidateConfigMap` (1.36), which counts the values alone."""
_LONGEST = 253
_FOREIGN = re.compile(r"[^-._a-zA-Z0-9]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\u2028\u2029\ufffe\uffff]")
EXECUTABLE = 0o755


class Packed(NamedTuple):
    """The two maps of a ConfigMap, and the items of a volume that shows it as the folder that it was."""

    data: dict[str, str]
    binary: dict[str, str]
    items: list[Tree]

    def fields(self) -> dict[str, Tree]:
        """The fields of the ConfigMap."""
        return {**({"data": self.data} if self.data else {}), **({"binaryData": self.binary} if self.binary else {})}


def size(files: Sequence[CodeFile]) -> int:
    """The bytes that they take in a ConfigMap."""
    return sum(len(key.encode()) + file.size for key, file in zip(keys([file.path for file in files]), files, strict=True))


def pack(files: Sequence[CodeFile]) -> Packed:
    """The files as a ConfigMap; what is not text goes into `binaryData`. Raises FolderError for what cannot be read."""
    data: dict[str, str] = {}
    binary: dict[str, str] = {}
    items: list[Tree] = []
    for key, file in zip(keys([file.path for file in files]), files, strict=True):
        try:
            content = file.content()
        except OSError as error:
            raise FolderError(file.path, str(error.strerror).lower()) from None
        text = _text(content)
        if text is None:
            binary[key] = b64encode(content).decode()
        else:
            data[key] = text
        items.append({"key": key, "path": file.path, **({"mode": EXECUTABLE} if file.executable else {})})
    return Packed(data, binary, items)


def keys(paths: Sequence[str]) -> list[str]:
    """A key for each path, none twice among all packed files."""
    return [_key(path) for path in paths]


def _key(path: str) -> str:
    plain = path.replace("/", "..")
    if not _FOREIGN.search(plain) and ".." not in path and len(plain) <= _LONGEST - 9 and not plain.startswith(".."):
        return plain
    digest = sha256(path.encode()).hexdigest()[:8]
    return f"{_FOREIGN.sub('_', plain).lstrip('.')[-(_LONGEST - 9) :]}-{digest}"


def _text(content: bytes) -> str | None:
    """The text of a file; None where YAML could not give it back letter by letter."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text
