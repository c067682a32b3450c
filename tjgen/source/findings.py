"""What is found wrong while a stream is read -> its diagnostics, so many and no more, in the order of the text."""

from __future__ import annotations

from typing import Any, NoReturn

from tjgen.diagnostics.model import ERROR, CompileError, Diagnostic, Note
from tjgen.source.problems import LEFT_OUT, LIMIT, Problem, diagnostic
from tjgen.source.text import Text

MOST = 200
"""Errors about one stream before reading stops; warnings beyond as many are only counted."""


class Findings:
    """Collects; places are given by the event that is at fault."""

    def __init__(self, source: Text) -> None:
        self._source = source
        self._errors: list[Diagnostic] = []
        self._warnings: list[Diagnostic] = []
        self._left_out = 0

    def add(self, problem: Problem, message: str, event: Any, hint: str, related: tuple[Note, ...] = ()) -> None:
        """Add one. Raises CompileError if there are too many errors."""
        is_error = problem.severity == ERROR
        found = self._errors if is_error else self._warnings
        if len(found) < MOST:
            span = self._source.span(event.start_mark.index, event.end_mark.index)
            found.append(diagnostic(problem, message, span=span, hint=hint, related=related))
        elif is_error:
            self.stop(f"the file has more than {MOST} errors", event, "correct those above first")
        else:
            self._left_out += 1

    def stop(self, message: str, event: Any, hint: str) -> NoReturn:
        """Raise CompileError: a limit is reached."""
        span = self._source.span(event.start_mark.index, event.end_mark.index)
        raise CompileError([diagnostic(LIMIT, message, span=span, hint=hint)])

    def note(self, message: str, event: Any) -> Note:
        """A second place that belongs to a finding."""
        return Note(message, self._source.span(event.start_mark.index, event.end_mark.index))

    def in_order(self) -> list[Diagnostic]:
        """All of them, by place."""
        found = sorted([*self._errors, *self._warnings], key=lambda diagnostic: diagnostic.span or ())
        if self._left_out:
            message = f"{self._left_out} more warnings about this file are left out"
            found.append(diagnostic(LEFT_OUT, message, span=found[-1].span, hint="correct those above first"))
        return found
