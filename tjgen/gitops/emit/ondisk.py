"""A folder of an output tree -> its output files, and their bodies without headers: the content of a frozen run."""

from __future__ import annotations

from collections.abc import Container

from tjgen.gitops.emit import header, problems
from tjgen.gitops.emit.filesystem import ObstacleError, Root
from tjgen.gitops.emit.plan import OutputFile
from tjgen.trees.diagnostics.model import CompileError


def bodies(directory: str, folder: str) -> dict[str, str]:
    """Body of every file of ours in `folder`, by name: see `files`."""
    return {file.path.rpartition("/")[2]: file.body for file in files(directory, folder)}


def files(directory: str, folder: str, *, without: Container[str] = ()) -> list[OutputFile]:
    """Every file of ours in `folder` (folders in it are not entered) in order of name; none if there is no such folder.

    Files at the paths `without` are not read. Line ends are the original ones, even if a checkout changed them. Raise
    CompileError where something cannot be read.
    """
    root = Root(directory)
    output_files: list[OutputFile] = []
    try:
        root.enter(folder)
        for name in sorted(entry.name for entry in root.entries(folder)):
            if name.startswith(".") or f"{folder}/{name}" in without:
                continue
            file = _file(root, f"{folder}/{name}")
            if file is not None:
                output_files.append(file)
    except (FileNotFoundError, ObstacleError):
        return output_files
    except OSError as error:
        raise CompileError([problems.unread(f"{directory}/{folder}", error)]) from error
    return output_files


def body(directory: str, path: str) -> str | None:
    """The body of one file of ours; None if there is none, or if it cannot be read, which writing the tree reports."""
    root = Root(directory)
    try:
        root.enter(path.rpartition("/")[0])
        file = _file(root, path)
    except (ObstacleError, OSError):
        return None
    return file.body if file is not None else None


def was_edited(directory: str, path: str) -> bool:
    """Whether a file of ours has another body than the one that was written; False for other files, or if it cannot be read."""
    try:
        file = Root(directory).read(path, opening=header.OPENING[:-1])
    except (ObstacleError, OSError):
        return False
    return file is not None and header.was_edited(file.content)


def below(directory: str, folder: str) -> list[str]:
    """The folders in `folder`, in order of name; hidden ones and links are left out."""
    try:
        entries = Root(directory).entries(folder)
    except (FileNotFoundError, NotADirectoryError, ObstacleError):
        return []
    except OSError as error:
        raise CompileError([problems.unread(f"{directory}/{folder}", error)]) from error
    return sorted(f"{folder}/{one.name}" for one in entries if one.is_folder and one.name[0] != ".")


def names(directory: str, folder: str) -> frozenset[str] | None:
    """The names in `folder`, none if there is no such folder; None if it cannot be listed."""
    try:
        return frozenset(entry.name for entry in Root(directory).entries(folder))
    except FileNotFoundError:
        return frozenset()
    except (ObstacleError, OSError):
        return None


def conflict(directory: str, folder: str) -> str | None:
    """Path of a file of ours in `folder` that Git could not merge, if there is one."""
    root = Root(directory)
    try:
        root.enter(folder)
        for name in sorted(entry.name for entry in root.entries(folder)):
            file = root.read(f"{folder}/{name}", opening=header.OPENING[:-1])
            if file is not None and header.is_in_conflict(file.content):
                return f"{folder}/{name}"
    except (OSError, ObstacleError):
        return None
    return None


def _file(root: Root, path: str) -> OutputFile | None:
    try:
        file = root.read(path, opening=header.OPENING[:-1])
    except ObstacleError:
        return None
    known = header.read(file.content) if file is not None else None
    if file is None or known is None:
        return None
    body = file.content[known.length :].replace(b"\r\n", b"\n").decode(errors="replace")
    return OutputFile(path, body, known.source, known.owner)
