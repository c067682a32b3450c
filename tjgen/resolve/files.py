"""Files, folders and patterns, as a project names them -> the YAML files that they mean."""

from __future__ import annotations

import os
from collections.abc import Iterator

SUFFIXES = (".yaml", ".yml")


def matching(directory: str, entry: str) -> list[str]:
    """The files that `entry` means, relative to `directory` unless it is absolute; sorted, empty where there are none.

    A folder means all YAML files in it and below; hidden files and folders are only taken by their name.
    """
    path = os.path.normpath(os.path.join(directory, entry))
    if os.path.isdir(path):
        return sorted(_below(path))
    if os.path.exists(path):
        return [path]
    if any(sign in entry for sign in "*?["):
        from glob import glob

        return sorted(os.path.normpath(found) for found in glob(path, recursive=True) if os.path.isfile(found))
    return []


def _below(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if name.endswith(SUFFIXES) and not name.startswith("."):
                yield os.path.join(parent, name)
