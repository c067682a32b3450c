"""Entries of folders that a project names -> those that are not read although their author probably means them (TJ696)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.sandbox import Sandbox

SUFFIXES = (".yaml", ".yml")
"""What the names of the files of a folder that are read end in."""
_JSON = ".json"
_SUBMODULE = "160000"
"""The mode of a submodule in an index of Git."""
_BEGINNING = 4096

OF_TJGEN = b"tjgen.dev/"
"""What the apiVersion of an object of tjgen begins with."""
OF_KUBERNETES = b"apiVersion"
"""A field that all objects of Kubernetes have."""


def is_similar(name: str) -> bool:
    """Whether a file of a folder is read, or would be under a similar name."""
    return name.lower().endswith((*SUFFIXES, _JSON))


def files(sandbox: Sandbox, paths: Sequence[str], mark: bytes) -> Iterator[Diagnostic]:
    """TJ696 for each file that contains `mark` near its beginning, in JSON as the beginning of a text."""
    for file in paths:
        stem, suffix = os.path.splitext(file)
        is_json = suffix.lower() == _JSON
        content = sandbox.content(file)
        if not isinstance(content, Diagnostic) and (b'"' + mark if is_json else mark) in content[:_BEGINNING]:
            message = f"{file} is not read: in a folder, only files that end in .yaml or .yml are"
            better = f"{os.path.basename(stem)}{SUFFIXES[0] if is_json else suffix.lower()}"
            hint = f"rename it to {better}{': JSON is also YAML' if is_json else ''}"
            yield Diagnostic("TJ696", message, hint=hint)


def submodules(folders: Sequence[str]) -> Iterator[Diagnostic]:
    """TJ696 for each of these empty folders that is a submodule of Git: a plain clone has no files of submodules."""
    if not folders:
        return
    from tjgen.trees.git import GitError, around  # Git has no empty folders, so few projects do

    for folder in folders:
        try:
            answer = around(folder).run("ls-files", "--stage", "--", os.path.realpath(folder))
        except GitError:
            return
        if answer.stdout.decode(errors="replace").startswith(_SUBMODULE):
            message = f"{folder} is not read: it is a submodule of Git, and this checkout does not contain its files"
            hint = f"run git submodule update --init -- {folder}, or move its files into this repository"
            yield Diagnostic("TJ696", message, hint=hint)
