"""The files that a command creates or extends -> the folder as it was before, if the command fails."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress

from tjgen.gitops.emit.file import write
from tjgen.trees.files.folders import missing_folders, remove_empty
from tjgen.trees.files.regular import read_regular


class Undo:
    """What a command changes. Nothing is changed before it is recorded here."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._folders: list[str] = []
        self._trees: list[str] = []
        self._before: dict[str, bytes] = {}

    def writes(self, path: str) -> None:
        """Record a file and the folders above it that do not exist, or the content of a file that exists.

        Raises OSError if the file cannot be read.
        """
        if os.path.lexists(path):
            if path not in self._files:
                self._before.setdefault(path, read_regular(path))
            return
        self._files.append(path)
        self._folders += reversed(missing_folders(os.path.dirname(path)))

    def creates_trees(self, folders: Iterable[str]) -> None:
        """Record folders that something else fills, as far as they do not exist."""
        self._trees += [folder for folder in folders if not os.path.lexists(folder)]

    @property
    def is_needed(self) -> bool:
        """Whether something is recorded."""
        return bool(self._files or self._before)

    def undo(self) -> None:
        """Remove what was created, and write the former content of what was changed. What cannot be removed stays."""
        for tree in self._trees:
            shutil.rmtree(tree, ignore_errors=True)
        for path in self._files:
            with suppress(OSError):  # it was not written
                os.remove(path)
        remove_empty(reversed(self._folders))
        for path, content in self._before.items():
            write(path, [content])
