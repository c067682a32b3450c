"""What the caller's settings file (TJGEN_SETTINGS) allows at most. No file of a repository can change it."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar

from tjgen.trees.typing import NamedTuple


class Ceiling(NamedTuple):
    """The limits of a settings file. A limit that the file does not set is None."""

    file: str
    trusts: bool
    """Whether the caller can let the Python of the root project run."""
    budgets: Mapping[str, int]
    """Field of `CommandBudgets` -> its highest value."""
    readable: tuple[str, ...] | None
    """The real paths of the folders that projects can list in `readable`."""
    allow: tuple[str, ...] | None
    """What the policy of a root project can allow."""

    def is_readable(self, real: str) -> bool:
        """Whether a project can list a folder, by its real path."""
        return self.readable is None or any(f"{real}/".startswith(f"{one.rstrip('/')}/") for one in self.readable)


_ceiling: ContextVar[Ceiling | None] = ContextVar("tjgen_ceiling", default=None)


class Limiting:
    """Applies the limits of a settings file within a `with` statement, in this thread alone."""

    def __init__(self, given: Ceiling) -> None:
        self._given = given

    def __enter__(self) -> None:
        self._token = _ceiling.set(self._given)

    def __exit__(self, *_: object) -> None:
        _ceiling.reset(self._token)


def ceiling() -> Ceiling | None:
    """The limits of the caller; None without a settings file."""
    return _ceiling.get()
