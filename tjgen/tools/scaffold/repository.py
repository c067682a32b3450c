"""Options -> every file of a new repository, and writing them where none is yet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from tjgen.gitops.emit.file import write
from tjgen.tools.scaffold import checks, first, pages, project
from tjgen.tools.scaffold.options import Options
from tjgen.trees.diagnostics.model import CompileError, Diagnostic

PROJECT = "tjgen.yaml"


def files(options: Options) -> Iterator[tuple[str, str]]:
    """Path and text of each file, the project file first."""
    yield PROJECT, project.text(options)
    yield from first.files(options)
    yield from checks.files(options)
    yield from pages.files(options)


def written(directory: str, texts: Iterable[tuple[str, str]]) -> list[Diagnostic]:
    """Write the files, but none that is there: a note for each of those (TJ770).

    Raises CompileError where a folder is a project already (TJ771) or cannot be written (TJ027); nothing is written then,
    or what was written before the fault.
    """
    texts = list(texts)
    there = os.path.join(directory, PROJECT)
    if os.path.lexists(there):
        message, hint = f"{there} is there: {directory} is a project already", "choose another folder, or change the file"
        raise CompileError([Diagnostic("TJ771", message, hint=hint)])
    notes = []
    # The project file makes a folder a project, so it comes last: after an interruption the command can run again.
    for name, text in sorted(texts, key=lambda file: file[0] == PROJECT):
        path = os.path.normpath(os.path.join(directory, name))
        if os.path.lexists(path):
            notes.append(_kept(path))
            continue
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        except OSError as error:
            message = f"{os.path.dirname(path)} cannot be made: {error.strerror}"
            raise CompileError([Diagnostic("TJ027", message)]) from error
        write(path, [text])
    return notes


def _kept(path: str) -> Diagnostic:
    hint = "compare with what tjgen init writes into an empty folder"
    return Diagnostic("TJ770", f"{path} is there and stays as it is", hint=hint)
