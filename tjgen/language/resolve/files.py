"""Files, folders and patterns, as a project names them -> the YAML files that they mean."""

from __future__ import annotations

import os

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.files.search import below, is_pattern, matching

SUFFIXES = (".yaml", ".yml")


def named(sandbox: Sandbox, directory: str, entry: str) -> tuple[list[str], list[Diagnostic]]:
    """The files that `entry` means, relative to `directory` unless it is absolute; sorted, empty if there are none.

    A folder means all YAML files in it and below; hidden files and folders are only taken by their name. With them, the errors
    for what was not searched (TJ029, TJ033 to TJ035).
    """
    path = os.path.normpath(os.path.join(directory, entry))
    if os.path.isdir(path):
        paths = list(below(sandbox, path, is_yaml))
    elif os.path.lexists(path):
        return [path], []
    elif is_pattern(entry):
        paths = list(matching(sandbox, directory, entry))
    else:
        return [], []
    files = [os.path.normpath(one) for one in paths if not isinstance(one, Diagnostic)]
    return sorted(set(files)), [one for one in paths if isinstance(one, Diagnostic)]


def is_yaml(name: str) -> bool:
    """Whether a file of a folder is read, by its name."""
    return name.endswith(SUFFIXES)
