"""What libyaml says about a text that is not YAML -> a diagnostic in the reader's words, with a hint."""

from __future__ import annotations

from typing import Any

from tjgen.diagnostics.model import Diagnostic, Note
from tjgen.source.problems import SYNTAX, diagnostic
from tjgen.source.text import Text


def explain(error: Any, source: Text) -> Diagnostic:
    """The diagnostic for a scanner's or parser's error."""
    problem = str(error.problem or error.context or "the text is not YAML")
    index = min(error.problem_mark.index, len(source.content))
    message, hint = _words(problem, source.content[index : index + 1])
    related: tuple[Note, ...] = ()
    if error.context and error.context_mark is not None and error.context_mark.index != index:
        related = (Note(error.context, source.span(error.context_mark.index, error.context_mark.index + 1)),)
    return diagnostic(SYNTAX, message, span=source.span(index, index + 1), hint=hint, related=related)


def _words(problem: str, character: str) -> tuple[str, str | None]:
    return problem, None
