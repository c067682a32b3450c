"""A plan of slices -> the files of ConfigMaps: for each slice the paths of its items, one a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.language.slicing import problems
from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Plan
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath

LIMIT = 1024 * 1024
"""Bytes of all keys and values of a ConfigMap. Upstream: core/validation `ValidateConfigMap`, `MaxSecretSize`."""
MOST_MAPS = 48
"""ConfigMaps of one run: every kubelet reads them all, and so does every sync."""


def manifests(plan: Plan, items: DataItems) -> dict[str, str]:
    """`slice-<index>.txt` -> the paths of the slice, each with its line end; an empty slice is an empty file."""
    return {f"slice-{number}.txt": items.paths.lines(part).decode() for number, part in enumerate(plan)}


def size(files: Mapping[str, str]) -> int:
    """The bytes that the API server counts."""
    return sum(len(name.encode()) + len(text.encode()) for name, text in files.items())


def packed(files: Mapping[str, str]) -> list[dict[str, str]]:
    """The files in their order, in as many ConfigMaps as they need; all files together make one folder again.

    A list that has no room in one is cut at line ends: `slice-0.txt` goes on in `slice-0.1.txt` and so on.
    """
    maps: list[dict[str, str]] = [{}]
    remaining = LIMIT
    for name, text in _cut(files):
        needed = size({name: text})
        if needed > remaining and maps[-1]:
            maps.append({})
            remaining = LIMIT
        maps[-1][name] = text
        remaining -= needed
    return maps


def too_large(maps: Sequence[Mapping[str, str]], because: FieldPath) -> Diagnostic | None:
    """An error if there are more ConfigMaps than a run should have."""
    if len(maps) <= MOST_MAPS:
        return None
    return Diagnostic(
        problems.LARGE,
        f"the lists of the slices have {sum(map(size, maps))} bytes, and {MOST_MAPS} ConfigMaps hold {MOST_MAPS * LIMIT}",
        path=because,
        hint="use folders or archives as items, or items by pattern or count with deliver: range",
    )


def _cut(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in files.items():
        if size({name: text}) <= LIMIT:
            yield name, text
            continue
        stem, _, ending = name.rpartition(".")
        lines: list[str] = []
        part, used = 0, 0
        for line in text.splitlines(keepends=True):
            length = len(line.encode())
            if length > used:
                if lines:
                    yield (f"{stem}.{part}.{ending}" if part else name), "".join(lines)
                    lines, part = [], part + 1
                used = LIMIT - len(name) - 12
            lines.append(line)
            used -= length
        yield (f"{stem}.{part}.{ending}" if part else name), "".join(lines)
