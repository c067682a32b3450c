"""Diagnostics: the one type in which every phase reports an error, its place, and its fix."""

from __future__ import annotations

from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import Any, NamedTuple, Self

ERROR = "error"
WARNING = "warning"
INFO = "info"


class Span(NamedTuple):
    """A place in a file. Lines and columns count from 1, columns in characters; the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class ObjectRef(NamedTuple):
    """The Kubernetes object or document that a diagnostic is about."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class Note(NamedTuple):
    """A second place that belongs to the diagnostic: "set here", "first defined here"."""

    message: str
    span: Span | None = None


class _Fields(NamedTuple):
    code: str
    severity: str
    message: str
    subject: ObjectRef | None
    path: FieldPath | None
    span: Span | None
    related: tuple[Note, ...]
    hint: str | None


class Diagnostic(_Fields):
    """One thing that is wrong.

    `code` is a key of codes.toml ("TJ" and three digits), which gives the name and the default severity. `message` is one
    sentence in the present tense that holds the offending value, `hint` what to do, in the imperative.
    """

    __slots__ = ()

    def __new__(
        cls,
        code: str,
        message: str,
        subject: ObjectRef | None = None,
        path: FieldPath | None = None,
        span: Span | None = None,
        related: tuple[Note, ...] = (),
        hint: str | None = None,
        *,
        severity: str | None = None,
    ) -> Self:
        """A diagnostic with the default severity of its code, or with `severity` where the case is milder or worse."""
        return super().__new__(cls, code, severity or default_severity(code), message, subject, path, span, related, hint)

    def __getnewargs_ex__(self) -> tuple[Any, Any]:
        return (self.code, *self[2:]), {"severity": self.severity}

    @property
    def name(self) -> str:
        """The kebab-case name of the code, for people: "unknown-field"."""
        return _table()[self.code][0]


def default_severity(code: str) -> str:
    """The severity of a code where nothing raises or lowers it."""
    return _table()[code][1]


def _table() -> dict[str, tuple[str, str]]:
    from tjgen.trees.diagnostics.table import TABLE  # most commands have nothing to report

    return TABLE


class CompileError(Exception):
    """The input cannot be compiled: the only exception that crosses a phase. Carries diagnostics."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("\n".join(_line(one) for one in diagnostics))
        self.diagnostics = diagnostics


def _line(diagnostic: Diagnostic) -> str:
    hint = f" (hint: {diagnostic.hint})" if diagnostic.hint else ""
    return f"{diagnostic.span or '-'}: {diagnostic.code}: {diagnostic.message}{hint}"


def has_errors(diagnostics: list[Diagnostic]) -> bool:
    """Whether one of them is an error."""
    return any(diagnostic.severity == ERROR for diagnostic in diagnostics)
