"""Paths of a command line -> the files that they mean, each with its content or with what keeps it from being read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tjgen.cli.folders import ENDINGS
from tjgen.trees.budgets import exceeded
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files import problems
from tjgen.trees.files.repository import callers_project
from tjgen.trees.files.sandbox import Sandbox, around
from tjgen.trees.files.search import below_links
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.cli.reporting import Reporter

Listed = Mapping[str, Sequence[str | Diagnostic]]
"""Folder -> the files below it, each a path or the error that prevented its search."""
STANDARD_INPUT = "<stdin>"
_OWN = (b"budgets", b"readable")
"""What the project file of the caller may have that files of a command line are read by."""


def sandbox_for(paths: Sequence[str]) -> Sandbox:
    """What reads the files that paths of the command line name, with the budgets and folders of the caller's project."""
    sandbox = around(paths)
    file = callers_project()
    content = around([file]).content(file) if file is not None else b""
    if file is None or isinstance(content, Diagnostic) or not any(word in content for word in _OWN):
        return sandbox
    # Only a project that sets them pays for the language of projects.
    from tjgen.language.resolve.project_file import load

    project, _ = load(os.path.relpath(file), paths)
    return project.sandbox


def listed(folders: Sequence[str], sandbox: Sandbox) -> Listed:
    """The files with manifests below each folder, in the order of their names."""
    return {folder: list(below_links(sandbox, folder, _is_manifest)) for folder in folders}


def texts(
    paths: Sequence[str], sandbox: Sandbox | None = None, known: Listed | None = None
) -> Iterator[tuple[str, bytes | Diagnostic]]:
    """Name and content of every file, folders in the order of their names. `known`: what `listed` returned for some folders.

    Instead of the content there is an error where a file or folder is not read (TJ020, TJ029 to TJ035, TJ046 to TJ049), and
    for a folder without any manifest (TJ021).
    """
    reads = sandbox_for(paths) if sandbox is None else sandbox
    for path in paths:
        if path == "-":
            yield STANDARD_INPUT, standard_input(reads)
            continue
        if not os.path.isdir(path):
            yield path, reads.content(path)
            continue
        is_empty = True
        for file in known[path] if known is not None and path in known else below_links(reads, path, _is_manifest):
            is_empty = False
            yield (path, file) if isinstance(file, Diagnostic) else (file, reads.content(file))
        if is_empty:
            yield path, _empty(path)


def text(path: str) -> bytes | Diagnostic:
    """The content of one file or of standard input (`-`), or the error that prevents reading it."""
    sandbox = sandbox_for([path])
    return standard_input(sandbox) if path == "-" else sandbox.content(path)


def good(contents: Iterable[tuple[str, bytes | Diagnostic]], reporter: Reporter) -> Iterator[tuple[str, bytes]]:
    """The files that were read; the errors of the others go to the reporter. Where the time is up, no file comes after it."""
    for file, content in contents:
        if isinstance(content, Diagnostic):
            reporter.add([content])
            if content.code == problems.LATE:
                return
        else:
            yield file, content


def standard_input(sandbox: Sandbox) -> bytes | Diagnostic:
    """What is on standard input, unless it is larger than a file may be (TJ046)."""
    limit = sandbox.budgets.file_size
    content = sys.stdin.buffer.read(limit + 1)
    if len(content) <= limit:
        return content
    return exceeded("file_size", len(content), limit, STANDARD_INPUT, is_least=True)


def absent(paths: Sequence[str]) -> list[Diagnostic]:
    """What is wrong with paths that are only looked into when a name is looked up: an error for each that cannot be read."""
    if not paths:
        return []
    return [content for _, content in texts(paths) if isinstance(content, Diagnostic)]


def _is_manifest(name: str) -> bool:
    return name.endswith(ENDINGS)


def _empty(path: str) -> Diagnostic:
    message = f"{path} contains no file that ends in .yaml, .yml or .json"
    return Diagnostic(problems.EMPTY, message, hint="name the files")
