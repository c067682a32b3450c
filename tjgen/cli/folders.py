"""A folder -> the manifest files in it."""

from __future__ import annotations

import os
from itertools import islice

ENDINGS = (".yaml", ".yml", ".json")


def below(folder: str, most: int) -> list[str]:
    """The manifest files below a folder, hidden ones left out, in the order of their paths.

    Raises OSError, also for a link, and if there are more than `most` entries.
    """
    files: list[str] = []
    entries = sorted(islice(os.scandir(folder), most + 1), key=lambda entry: entry.name)
    most -= len(entries)
    for entry in entries:
        if most < 0 or entry.is_symlink():
            raise OSError(None, "it has a link or too many entries", entry.path)
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            inner = below(entry.path, most)
            most -= len(inner)
            files += inner
        elif entry.name.lower().endswith(ENDINGS):
            files.append(entry.path)
    return files
