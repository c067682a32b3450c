"""The files of policies that the caller enforces: `--policy` and TJGEN_POLICY.

They are read before a command reads its input, so nothing in a project can change or remove them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar

File = tuple[str, bytes]
"""The name of a file as diagnostics print it, and its content."""

_files: ContextVar[tuple[File, ...]] = ContextVar("tjgen_policies", default=())


class Enforcing:
    """Enforces the policies of files within a `with` statement, in this thread alone."""

    def __init__(self, given: Sequence[File]) -> None:
        self._given = tuple(given)

    def __enter__(self) -> None:
        self._token = _files.set(self._given)

    def __exit__(self, *_: object) -> None:
        _files.reset(self._token)


def files() -> tuple[File, ...]:
    """The files that the caller enforces."""
    return _files.get()
