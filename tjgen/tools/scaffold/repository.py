"""Options -> every file of a new repository, and writing them where none is yet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from tjgen.gitops.emit.file import write
from tjgen.tools.scaffold import checks, first, pages, pipelines, project, workspace
from tjgen.tools.scaffold.options import Options
from tjgen.tools.scaffold.shared import Shared
from tjgen.tools.scaffold.undo import Undo
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.files.regular import read_regular

PROJECT = "tjgen.yaml"


Content = str | bytes | Shared


def files(options: Options) -> Iterator[tuple[str, Content]]:
    """Path and content of each file, the project file first."""
    if options.teams:
        yield from workspace.files(options)
        return
    yield PROJECT, project.text(options)
    yield from first.files(options)
    yield from checks.files(options)
    yield from pipelines.files(options)
    yield from pages.files(options)


def is_project(directory: str) -> bool:
    """Return whether the folder has a project file."""
    return os.path.lexists(os.path.join(directory, PROJECT))


def create(directory: str, texts: Iterable[tuple[str, Content]], undo: Undo) -> list[Diagnostic]:
    """Write the files of a new repository, as `add` does.

    Raises CompileError if the folder is a project already (TJ771). It writes nothing then.
    """
    if is_project(directory):
        message = f"{os.path.join(directory, PROJECT)} exists: {directory} is a project already"
        raise CompileError([Diagnostic("TJ771", message, hint="choose another folder, or change the file")])
    return add(directory, texts, undo)


def add(directory: str, texts: Iterable[tuple[str, Content]], undo: Undo) -> list[Diagnostic]:
    """Write the files that do not exist, and return a note for each file that does (TJ770).

    Files that several projects share are extended, or TJ747. Raises CompileError if a folder cannot be created (TJ027);
    `undo` then has the files that were written before the error.
    """
    notes = []
    # The project file makes a folder a project, so it comes last: after an interruption the command can run again.
    for name, content in sorted(texts, key=lambda file: file[0] == PROJECT):
        path = os.path.normpath(os.path.join(directory, name))
        if os.path.lexists(path):
            notes += _extended(path, content, undo) if isinstance(content, Shared) else [_kept(path)]
            continue
        undo.writes(path)
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        except OSError as error:
            message = f"{os.path.dirname(path)} cannot be made: {error.strerror}"
            raise CompileError([Diagnostic("TJ027", message)]) from error
        write(path, [content.text if isinstance(content, Shared) else content])
    return notes


def _extended(path: str, content: Shared, undo: Undo) -> list[Diagnostic]:
    """Add the part of this project to a file that `tjgen init` wrote for another one."""
    try:
        text = read_regular(path).decode()
    except (OSError, UnicodeDecodeError):
        text = ""
    longer = content.extended(text)
    if longer is None:
        message = f"{path} is not as tjgen init writes it, so the checks of this project are not in it"
        return [Diagnostic("TJ747", message, hint=f"add to its {content.key}:\n{content.part}".rstrip("\n"))]
    undo.writes(path)
    write(path, [longer])
    return []


def _kept(path: str) -> Diagnostic:
    hint = "compare with what tjgen init writes into an empty folder"
    return Diagnostic("TJ770", f"{path} exists and stays as it is", hint=hint)
