"""Paths of `--policy` -> the files of policies that they name. A path without files is an error: nothing would be refused."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen.cli.folders import below
from tjgen.trees.enforced import File
from tjgen.trees.files.regular import read_regular

VARIABLE = "TJGEN_POLICY"
_MOST_FILES = 1_000


class UnreadablePolicyError(Exception):
    """A path that cannot be read, or has no file."""


def files(paths: Sequence[str]) -> list[File]:
    """The files that the paths and TJGEN_POLICY name. Raises UnreadablePolicyError."""
    given = os.environ.get(VARIABLE, "")
    read_files: list[File] = []
    for path in (*(one for one in given.split(os.pathsep) if one), *paths):
        try:
            names = below(path, _MOST_FILES) if os.path.isdir(path) else [path]
            if not names:
                raise UnreadablePolicyError(f"--policy {path}: the folder has no YAML or JSON file")
            read_files += [(os.path.normpath(name), read_regular(name)) for name in names]
        except OSError as error:
            raise UnreadablePolicyError(f"--policy {error.filename or path}: {error.strerror}") from None
    return read_files
