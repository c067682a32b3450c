"""What keeps a file or a folder from being read: codes TJ020, TJ021, TJ029 to TJ034 and TJ217."""

from __future__ import annotations

from tjgen.trees.budgets import exceeded
from tjgen.trees.diagnostics.model import Diagnostic

UNREADABLE = "TJ020"
EMPTY = "TJ021"
OUTSIDE = "TJ029"
SPECIAL = "TJ030"
LINK = "TJ033"
FOLDER = "TJ034"
LATE = "TJ217"


class UnreadableError(OSError):
    """A file or folder that the sandbox does not read. `strerror` is the reason, as of any OSError."""

    def __init__(self, path: str, diagnostic: Diagnostic, reason: str) -> None:
        super().__init__(None, reason, path)
        self.path = path
        self.diagnostic = diagnostic
        """The error to report where no field of a document names the path."""
        self.reason = reason

    @property
    def is_missing(self) -> bool:
        """Whether the operating system refuses: the file does not exist, or its permissions do not let it be read."""
        return self.diagnostic.code == UNREADABLE


def refused(path: str, code: str, reason: str, hint: str) -> UnreadableError:
    """The error for a path that is not read for a reason."""
    message = f"{path} cannot be read: {reason}"
    return UnreadableError(path, Diagnostic(code, message, hint=hint), reason)


def over_budget(path: str, budget: str, count: int, limit: int, subject: str, verb: str = "has") -> UnreadableError:
    """The error for a path with which a budget is exceeded; `subject` and `verb` as of `budgets.exceeded`."""
    diagnostic = exceeded(budget, count, limit, subject, is_least=True, verb=verb)
    return UnreadableError(path, diagnostic, diagnostic.message)


def is_problem(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic reports that a file or folder was not read."""
    return diagnostic.code in _CODES


_CODES = frozenset((UNREADABLE, EMPTY, OUTSIDE, SPECIAL, LINK, FOLDER, "TJ035", "TJ046", "TJ047", "TJ048", "TJ049", LATE))
