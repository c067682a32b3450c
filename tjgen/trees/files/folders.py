"""The folders that a command creates for its output, and their removal if the command fails."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress


def missing_folders(folder: str) -> list[str]:
    """Return the folders that `os.makedirs` would create, the deepest first."""
    missing = []
    while folder and not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def remove_empty(folders: Iterable[str]) -> None:
    """Remove folders, the deepest first. A folder that has files of others stays."""
    for folder in folders:
        with suppress(OSError):  # it has files of others, or does not exist
            os.rmdir(folder)
