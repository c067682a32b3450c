"""The possible errors of a source text: one table of codes, and the diagnostic for an entry."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Diagnostic, Note, Span
from tjgen.trees.typing import NamedTuple


class SourceProblem(NamedTuple):
    """A code and its meaning."""

    code: str
    meaning: str


SYNTAX = SourceProblem("TJ001", "the text is not valid YAML")
ENCODING = SourceProblem("TJ002", "the file is not text: not UTF-8, binary, or with control characters")
DUPLICATE = SourceProblem("TJ003", "a mapping has the same key twice")
AMBIGUOUS = SourceProblem("TJ004", "an unquoted value that YAML 1.2 and kubectl read differently")
KEY = SourceProblem("TJ005", "a mapping key that is null, a list, a mapping, or too large a number")
ALIAS = SourceProblem("TJ006", "an alias without its anchor, or inside its own anchor")
MERGE = SourceProblem("TJ007", "a merge key whose value is not a mapping or a list of mappings")
LIMIT = SourceProblem("TJ008", "the text is too large, too deep, or grows too much by its aliases")
TAG = SourceProblem("TJ009", "a tag that is unknown or does not fit its value")
NUMBER = SourceProblem("TJ010", "JSON cannot represent .inf and .nan")
VERSION = SourceProblem("TJ011", "a directive that the readers of such files refuse")
SEPARATOR = SourceProblem("TJ012", "text after a document separator, which kubectl refuses")
OVERRIDE = SourceProblem("TJ013", "a merge key after a key that it overrides in kubectl only")
IGNORED_TAG = SourceProblem("TJ014", "a tag that kubectl ignores")
LEFT_OUT = SourceProblem("TJ015", "there are more warnings about the file than are shown")
ESCAPE = SourceProblem("TJ016", "an escape that YAML allows and kubectl refuses")


def diagnostic(
    problem: SourceProblem, message: str, *, span: Span | None, hint: str | None = None, related: tuple[Note, ...] = ()
) -> Diagnostic:
    """The diagnostic of `problem` at `span`."""
    return Diagnostic(problem.code, message, span=span, related=related, hint=hint)
