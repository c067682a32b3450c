"""Whether the caller trusts the project to run its own Python: `--trusted`, `TJGEN_TRUSTED=1`, or `trusted=True` of the library.

Nothing in a repository can grant this. Without it, no code of an input runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

VARIABLE = "TJGEN_TRUSTED"

_granted: ContextVar[bool] = ContextVar("tjgen_trusted", default=False)


@contextmanager
def granted() -> Iterator[None]:
    """Trust the root project within the `with` statement, in this thread alone."""
    token = _granted.set(True)
    try:
        yield
    finally:
        _granted.reset(token)


def is_granted() -> bool:
    """Whether the caller trusts the root project."""
    return _granted.get()
