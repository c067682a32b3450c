"""Budgets: how much input one command accepts, and the diagnostic of an input that exceeds them.

A project sets them in `spec.budgets` of its `tjgen.yaml`. Only the root project counts: a project file in a folder of
experiments does not change what the command accepts.
"""

from __future__ import annotations

import os

from tjgen.trees.ceilings import ceiling
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, Span
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.typing import NamedTuple, Protocol

_MI = 1024 * 1024


class Set(Protocol):
    """Budgets as a project writes them: sizes are quantities."""

    points: int
    tasks: int
    runs: int
    documents: int
    values: int
    file_size: str | int | float
    total_size: str | int | float
    list_size: str | int | float
    files: int
    entries: int
    folder_depth: int
    seconds: int


class CommandBudgets(NamedTuple):
    """The most that one command accepts. Each field is a count unless it names its unit."""

    points: int = 10_000
    """Points of one sweep."""
    tasks: int = 1_000
    """Tasks of one experiment."""
    runs: int = 10_000
    """Runs of one experiment: its tasks times their points."""
    documents: int = 100_000
    """Documents of one file."""
    values: int = 750_000
    """Keys, scalars, lists and mappings of one document or of one item of a List, including those of aliases."""
    file_size: int = 32 * _MI
    """Bytes of one file."""
    total_size: int = 1024 * _MI
    """Bytes of all files that one command reads."""
    list_size: int = 512 * _MI
    """Bytes of one list of data items."""
    files: int = 100_000
    """Files that one command reads."""
    entries: int = 500_000
    """Files and folders in all folders that one command searches."""
    folder_depth: int = 64
    """Levels of folders below a folder that one command reads."""
    seconds: int = 600
    """Seconds of CPU time of one command, for each UNITS of its runs or objects."""

    @classmethod
    def of(cls, spec: Set) -> CommandBudgets:
        """The budgets of a project's `spec.budgets`."""
        return cls(
            points=spec.points,
            tasks=spec.tasks,
            runs=spec.runs,
            documents=spec.documents,
            values=spec.values,
            file_size=parse(spec.file_size).value,
            total_size=parse(spec.total_size).value,
            list_size=parse(spec.list_size).value,
            files=spec.files,
            entries=spec.entries,
            folder_depth=spec.folder_depth,
            seconds=spec.seconds,
        )


DEFAULT = CommandBudgets()
UNITS = 1000
"""A command has the seconds of its budget for each so many runs or objects."""
VALUES_OF_FILE = 4
"""The values of a file are at most so many times those of a document. Text of that many values is larger than the largest file,
unless its values have a character or two: this bounds memory."""


def capped(budgets: CommandBudgets) -> CommandBudgets:
    """The budgets within those of the caller's settings file."""
    limit = ceiling()
    if limit is None or not limit.budgets:
        return budgets
    return budgets._replace(**{field: min(getattr(budgets, field), most) for field, most in limit.budgets.items()})


class _Kind(NamedTuple):
    """How one exceeded budget is reported."""

    code: str
    key: str
    """Its key in `spec.budgets`."""
    unit: str


_KINDS = {
    "file_size": _Kind("TJ046", "fileSize", "bytes"),
    "list_size": _Kind("TJ046", "listSize", "bytes"),
    "entries": _Kind("TJ035", "entries", "files and folders"),
    "files": _Kind("TJ047", "files", "files"),
    "total_size": _Kind("TJ048", "totalSize", "bytes"),
    "folder_depth": _Kind("TJ049", "folderDepth", "levels of folders"),
    "points": _Kind("TJ212", "points", "points"),
    "tasks": _Kind("TJ213", "tasks", "tasks"),
    "runs": _Kind("TJ214", "runs", "runs"),
    "documents": _Kind("TJ215", "documents", "documents"),
    "values": _Kind("TJ216", "values", "values"),
    "seconds": _Kind("TJ217", "seconds", "seconds of CPU time"),
}


def exceeded(
    budget: str,
    count: int,
    limit: int,
    subject: str,
    *,
    is_least: bool = False,
    verb: str = "has",
    span: Span | None = None,
    path: FieldPath | None = None,
    enough: int | None = None,
) -> Diagnostic:
    """The error of one exceeded budget.

    `budget` is a field of `CommandBudgets`, `count` the number that exceeds `limit`, `subject` what has it ("the sweep").
    `is_least`: counting stopped at `count`, so the message has ">=" before it, and
    the hint suggests twice the limit, or else `enough`.
    """
    code, key, unit = _KINDS[budget]
    number = f">= {count}" if is_least else str(count)
    message = f"{subject} {verb} {number} {unit}, more than the budget of {limit}"
    enough = enough or (2 * limit if is_least else count)
    hint = f"reduce it, or write budgets: {{{key}: {enough}}} below spec in tjgen.yaml"
    return Diagnostic(code, message, path=path, span=span, hint=hint)


class Clock:
    """The CPU time of one command or of a part of it. It stops nothing: its callers do, where they can stop.

    The load of the machine does not count, and a command with more work has more time.
    """

    __slots__ = ("_process", "_start", "_subject", "_units", "seconds")

    def __init__(self, seconds: int, subject: str = "the command") -> None:
        """`subject`: what takes the time, in the singular."""
        self.seconds, self._subject, self._units = seconds, subject, 0
        self._process, self._start = os.getpid(), cpu_seconds()

    def count(self, units: int) -> None:
        """Count runs or objects that were begun."""
        self._units += units

    def check(self, span: Span | None = None) -> None:
        """Raise CompileError with the diagnostic of `excess`."""
        problem = self.excess(span)
        if problem is not None:
            raise CompileError([problem])

    def excess(self, span: Span | None = None) -> Diagnostic | None:
        """The error (TJ217) where more time was taken than the budget; `span` is what comes next.

        A worker has the budget for itself.
        """
        if self._process != os.getpid():
            self._process, self._start = os.getpid(), 0.0
        taken = int(cpu_seconds() - self._start)
        limit, twice = self.seconds * (1 + self._units // UNITS), 2 * self.seconds
        if taken < limit:
            return None
        return exceeded("seconds", taken, limit, self._subject, is_least=True, verb="takes", span=span, enough=twice)


def cpu_seconds() -> float:
    """The CPU time of this process and of the processes that it has waited for."""
    return sum(os.times()[:4])
