"""A folder of schemas of a cluster's own kinds: what is known with it, and how imported definitions come into it.

SOURCE has, for each definition, its name and the release of controller-gen that generated it, then the checksums of its files.
"""

from __future__ import annotations

import os
from hashlib import sha256

from tjgen.cluster.schema import store
from tjgen.cluster.schema.definition import SchemaFile
from tjgen.cluster.validate.builtin import kinds
from tjgen.cluster.validate.definitions import Definition
from tjgen.trees.files.regular import read_text, write_new
from tjgen.trees.typing import NamedTuple

_DEFINITION = "definition"
_CHECKSUM = "sha256"


class KnownKind(NamedTuple):
    """A kind that can be checked."""

    api_version: str
    kind: str
    source: str
    """The project and its newest release, or the folder."""
    checked: str
    """How far: whole, types only, or not all."""


def known(folder: str | None) -> list[KnownKind]:
    """Every kind, sorted; those of the folder hide the same ones of releases. Raises CompileError for a damaged folder."""
    known_kinds: dict[tuple[str, str], KnownKind] = {}
    for gvk, project in store.kinds().items():
        api_version, _, kind = gvk.rpartition("/")
        if project == store.BUILT_IN:
            how = "whole" if kinds.is_whole(api_version, kind) else "types only"
        else:
            how = _extent(store.find(api_version, kind) or {})
        known_kinds[api_version, kind] = KnownKind(api_version, kind, f"{project} {store.releases(project)[-1]}", how)
    for name in store.own_files(folder) if folder is not None else ():
        schema = store.own_schema(folder or "", name)
        (gvk,) = schema["x-kubernetes-group-version-kind"]
        api_version = f"{gvk['group']}/{gvk['version']}"
        known_kinds[api_version, gvk["kind"]] = KnownKind(api_version, gvk["kind"], folder or "", _extent(schema))
    return [known_kinds[key] for key in sorted(known_kinds)]


def _extent(schema: store.Schema) -> str:
    return "not all" if "x-tjgen-unchecked" in schema else "whole"


def missing(definitions: list[Definition]) -> list[Definition]:
    """The definitions without the versions of kinds that tjgen brings schemas for."""
    rest = [one._replace(files=tuple(file for file in one.files if not _is_brought(file))) for one in definitions]
    return [one for one in rest if one.files]


def _is_brought(file: SchemaFile) -> bool:
    return f"{file.api_version}/{file.kind}" in store.kinds()


def write(folder: str, definitions: list[Definition]) -> tuple[list[str], list[str]]:
    """Put the files into the folder, instead of those of earlier imports of the same; what was written and removed."""
    blocks = _blocks(folder)
    before = {name for lines in blocks.values() for name in _files(lines)}
    written = []
    os.makedirs(folder, exist_ok=True)
    for one in definitions:
        lines = [f"{_DEFINITION} {one.name} {one.generator}"]
        for file in sorted(one.files):
            path = os.path.join(folder, file.name)
            _replace(path, file.text)
            written.append(path)
            lines.append(f"{_CHECKSUM} {sha256(file.text.encode()).hexdigest()} {file.name}")
        blocks[one.name] = lines
    after = {name for lines in blocks.values() for name in _files(lines)}
    removed = [os.path.join(folder, name) for name in sorted(before - after)]
    _replace(os.path.join(folder, store.SOURCE), "".join(f"{line}\n" for name in sorted(blocks) for line in blocks[name]))
    # After an interruption here no list names the files any more, so they do no harm.
    for path in removed:
        if os.path.exists(path):
            os.remove(path)
    return written, removed


def _blocks(folder: str) -> dict[str, list[str]]:
    """Definition -> its lines in SOURCE; nothing if there is none yet."""
    blocks: dict[str, list[str]] = {}
    name = ""
    try:
        lines = read_text(os.path.join(folder, store.SOURCE)).splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        lines = []
    for line in lines:
        words = line.split()
        if len(words) == 3 and words[0] == _DEFINITION:
            name = words[1]
            blocks[name] = [line]
        elif len(words) == 3 and words[0] == _CHECKSUM and name:
            blocks[name].append(line)
    return blocks


def _files(lines: list[str]) -> list[str]:
    return [words[2] for words in map(str.split, lines) if words[0] == _CHECKSUM]


def _replace(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    temporary = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.new")
    write_new(temporary, text.encode())
    os.replace(temporary, path)
