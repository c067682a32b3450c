"""A folder -> the manifest files in it."""

from __future__ import annotations

import os

ENDINGS = (".yaml", ".yml", ".json")


def below(folder: str) -> list[str]:
    """The manifest files below a folder, hidden ones left out, in the order of their paths."""
    found: list[str] = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            found += below(entry.path)
        elif entry.name.endswith(ENDINGS):
            found.append(entry.path)
    return found
