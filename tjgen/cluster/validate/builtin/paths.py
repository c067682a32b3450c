"""Paths of files in volumes -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (validateLocalDescendingPath, ValidateLocalNonReservedPath).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place


def no_steps_back(path: str, at: Place) -> Iterator[Fault]:
    """`validatePathNoBacksteps`."""
    if ".." in path.split("/"):
        yield at.invalid(path, "must not contain '..'")


def descending(path: str, at: Place) -> Iterator[Fault]:
    """A relative path that stays below (`validateLocalDescendingPath`)."""
    if path.startswith("/"):
        yield at.invalid(path, "must be a relative path")
    yield from no_steps_back(path, at)


def not_reserved(path: str, at: Place) -> Iterator[Fault]:
    """The same, not beginning with two dots either (`ValidateLocalNonReservedPath`)."""
    yield from descending(path, at)
    if path.startswith("..") and not path.startswith("../"):
        yield at.invalid(path, "must not start with '..'")
