"""What is found wrong while a stream is read -> its diagnostics, so many and no more, in the order of the text."""

from __future__ import annotations

from tjgen.trees.budgets import VALUES_OF_FILE, exceeded
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic, Note, default_severity
from tjgen.trees.source.problems import LEFT_OUT, LIMIT, SourceProblem, diagnostic
from tjgen.trees.source.text import Text
from tjgen.trees.typing import Any, NoReturn

MOST = 200
"""Errors about one stream before reading stops; warnings beyond as many are only counted."""

Range = tuple[int, int]
"""The index of the first character, and of the one after the last."""


def extent(event: Any) -> Range:
    """Return the place of the text of an event."""
    return event.start_mark.index, event.end_mark.index


class SourceFindings:
    """Collects, with a limit."""

    def __init__(self, source: Text) -> None:
        self._source = source
        self._errors: list[Diagnostic] = []
        self._warnings: list[Diagnostic] = []
        self._left_out = 0

    def add(self, problem: SourceProblem, message: str, where: Range, hint: str, related: tuple[Note, ...] = ()) -> None:
        """Add one. Raises CompileError if there are too many errors."""
        is_error = default_severity(problem.code) == ERROR
        reported = self._errors if is_error else self._warnings
        if len(reported) < MOST:
            reported.append(diagnostic(problem, message, span=self._source.span(*where), hint=hint, related=related))
        elif is_error:
            self.stop(f"the file has more than {MOST} errors", where, "correct those above first")
        else:
            self._left_out += 1

    def stop(self, message: str, where: Range, hint: str) -> NoReturn:
        """Raise CompileError: a limit is reached."""
        raise CompileError([diagnostic(LIMIT, message, span=self._source.span(*where), hint=hint)])

    def exceed(self, budget: str, count: int, limit: int, where: Range) -> NoReturn:
        """Raise CompileError: the stream has at least `count` of something, more than its budget."""
        span = self._source.span(*where)
        raise CompileError([exceeded(budget, count, limit, "the file", is_least=True, span=span)])

    def exceed_values(self, count: int, most: int, budget: int, where: Range) -> NoReturn:
        """Raise CompileError: the stream has `count` values, more than `most`, the most at the end of the document or item."""
        of_file, span = budget * VALUES_OF_FILE, self._source.span(*where)
        if count > of_file:
            raise CompileError([exceeded("values", count, of_file, "the file", is_least=True, span=span, enough=2 * budget)])
        values = count - most + budget
        raise CompileError([exceeded("values", values, budget, "an object of the file", is_least=True, span=span)])

    def note(self, message: str, where: Range) -> Note:
        """A second place that belongs to a finding."""
        return Note(message, self._source.span(*where))

    def in_order(self) -> list[Diagnostic]:
        """All of them, by place."""
        diagnostics = sorted([*self._errors, *self._warnings], key=lambda diagnostic: diagnostic.span or ())
        if self._left_out:
            message = f"{self._left_out} more warnings about this file are left out"
            diagnostics.append(diagnostic(LEFT_OUT, message, span=diagnostics[-1].span, hint="correct those above first"))
        return diagnostics
