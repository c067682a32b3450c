"""Folders of the file system -> the repository and the project that the caller works in."""

from __future__ import annotations

import os

PROJECT_FILE = "tjgen.yaml"


def repository_of(folder: str) -> str | None:
    """The real path of the nearest folder with `.git` at or above `folder`; None without one."""
    for above in _upwards(os.path.realpath(folder)):
        if os.path.lexists(f"{above}/.git"):
            return above
    return None


def callers_project() -> str | None:
    """The real path of the project file in the working directory or the nearest folder above it, up to the repository's root."""
    for above in _upwards(os.path.realpath(os.getcwd())):
        file = os.path.join(above, PROJECT_FILE)
        if os.path.isfile(file):
            return os.path.realpath(file)
        if os.path.lexists(f"{above}/.git"):
            return None
    return None


def projects_above(folder: str) -> list[str]:
    """The real paths of the project files above a folder, the nearest first.

    The search ends at the root of the Git work tree; without one, at the root of the file system.
    """
    files: list[str] = []
    for above in _upwards(os.path.realpath(folder)):
        file = os.path.join(above, PROJECT_FILE)
        if above != os.path.realpath(folder) and os.path.isfile(file):
            files.append(file)
        if os.path.lexists(f"{above}/.git"):
            break
    return files


def _upwards(folder: str) -> list[str]:
    folders = [folder]
    while (above := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(above)
    return folders
