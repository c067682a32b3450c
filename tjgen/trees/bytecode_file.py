"""Compiled modules, groups of them, values of JSON files, and patterns -> the file that `bytecode.py` reads."""

from __future__ import annotations

import marshal
import os
from _frozen_importlib_external import MAGIC_NUMBER

from tjgen.trees.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType

    Part = tuple[bool, int, int, bytes]
    """The start of an entry of the index, and the code or value."""
    Piece = tuple[Sequence[str], bytes]
    """Names of modules, and their codes as one value."""


_PYC_HEAD = 16
_MASK = 0xFFFFFFFF
_PIECE = 100_000
"""Bytes of a piece of a group: the memory that reading it takes is used again for the next one."""


def write(
    path: str,
    form: bytes,
    parts: Mapping[str, Part],
    groups: Mapping[str, Sequence[Piece]],
    patterns: Any,
) -> None:
    """Write the file at once, so that another start reads the old one or the new one; if it cannot be written, do nothing.

    `form` is the start of the file. `patterns` are the engine of regular expressions and the compiled patterns.
    """
    bodies: list[bytes] = []
    end = len(form) + 16

    def place(part: bytes) -> tuple[int, int]:
        nonlocal end
        bodies.append(part)
        end += len(part)
        return end - len(part), len(part)

    entries = {name: (*head, *place(code)) for name, (*head, code) in parts.items()}
    members = {name: [(tuple(names), *place(codes)) for names, codes in pieces] for name, pieces in groups.items()}
    index = marshal.dumps((entries, members, place(marshal.dumps(patterns))))
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(form + len(index).to_bytes(8, "little") + (end + len(index)).to_bytes(8, "little"))
            file.writelines([*bodies, index])
        os.replace(temporary, path)
    except OSError:
        return


def group(order: Sequence[str], parts: Mapping[str, Part]) -> list[Piece]:
    """The modules that have code, in this order, without the last one, which is imported by name.

    The codes of a piece are one value, in which each string is written once.
    """
    pieces: list[Piece] = []
    codes: list[CodeType] = []
    names: list[str] = []
    size = 0
    for name in order[:-1]:
        code = parts[name][-1] if name in parts else b""
        if code:
            names.append(name)
            codes.append(marshal.loads(code))
            size += len(code)
        if size > _PIECE:
            pieces.append((names, marshal.dumps(codes)))
            names, codes, size = [], [], 0
    return [*pieces, (names, marshal.dumps(codes))] if names else pieces


def body(path: str, status: os.stat_result) -> bytes:
    """The code of the .pyc file at `path` if Python would load it for a source with this status; empty if not."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return b""
    head = (0, int(status.st_mtime) & _MASK, status.st_size & _MASK)
    expected = MAGIC_NUMBER + b"".join(number.to_bytes(4, "little") for number in head)
    return content[_PYC_HEAD:] if content[:_PYC_HEAD] == expected else b""


def pack(tree: Any) -> bytes:
    """The value of a JSON file in the form of marshal, with equal parts written once."""
    return marshal.dumps(with_shared_parts(tree, {}))


def with_shared_parts(tree: Any, known: dict[object, Any]) -> Any:
    """A tree equal to `tree` in which equal dicts, lists and strings are one object, which marshal writes once."""
    if isinstance(tree, dict):
        tree = {with_shared_parts(key, known): with_shared_parts(inner, known) for key, inner in tree.items()}
        return known.setdefault((dict, *((key, _key(inner)) for key, inner in tree.items())), tree)
    if isinstance(tree, list):
        tree = [with_shared_parts(inner, known) for inner in tree]
        return known.setdefault((list, *map(_key, tree)), tree)
    return known.setdefault(tree, tree) if isinstance(tree, str) else tree


def _key(tree: Any) -> tuple[object, ...]:
    """A key that equal parts have in common: 1, 1.0 and True are not equal here."""
    return (tree.__class__, id(tree) if isinstance(tree, (dict, list)) else tree)
