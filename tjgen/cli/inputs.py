"""Paths of a command line -> the files that they mean, with their contents."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from tjgen.cli.folders import below
from tjgen.diagnostics.model import ERROR, Diagnostic

STANDARD_INPUT = "<stdin>"


def texts(paths: Sequence[str]) -> tuple[Iterator[tuple[str, bytes]], list[Diagnostic]]:
    """Name and bytes of every file, folders in the order of their names; TJ020 to TJ022 for what cannot be read."""
    problems: list[Diagnostic] = []
    return _read(paths, problems), problems


def absent(paths: Sequence[str]) -> list[Diagnostic]:
    """TJ020 for each path that is not there: what is only looked into when a name is asked for must not be passed over."""
    problems = []
    for path in paths:
        try:
            os.stat(path)
        except OSError as error:
            problems.append(_unreadable(path, error.strerror))
    return problems


def _read(paths: Sequence[str], problems: list[Diagnostic]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        if path == "-":
            yield STANDARD_INPUT, sys.stdin.buffer.read()
            continue
        files = list(below(path)) if os.path.isdir(path) else [path]
        if not files:
            message = f"{path} holds no file that ends in .yaml, .yml or .json"
            problems.append(Diagnostic("TJ021", ERROR, message, hint="name the files", name="no-manifests"))
        for file in files:
            try:
                with open(file, "rb") as stream:
                    content = stream.read()
            except OSError as error:
                problems.append(_unreadable(file, error.strerror))
            else:
                yield file, content


def _unreadable(path: str, reason: str | None) -> Diagnostic:
    return Diagnostic("TJ020", ERROR, f"{path} cannot be read: {reason}", hint="check the path", name="unreadable-file")
