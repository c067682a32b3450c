"""Diagnostics: the one type in which every phase says what is wrong, where, and what to do."""

from __future__ import annotations

from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

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


class Diagnostic(NamedTuple):
    """One thing that is wrong.

    `code` is "TJ" and three digits (see docs/reference/diagnostics.md), `message` one sentence in
    the present tense that holds the offending value, `hint` what to do, in the imperative.
    """

    code: str
    severity: str
    message: str
    subject: ObjectRef | None = None
    path: FieldPath | None = None
    span: Span | None = None
    related: tuple[Note, ...] = ()
    hint: str | None = None
    name: str = ""
    """The kebab-case name of the rule, for people: "unknown-field"."""


def error(
    rule: tuple[str, str],
    message: str,
    *,
    path: FieldPath | None = None,
    span: Span | None = None,
    related: tuple[Note, ...] = (),
    hint: str | None = None,
) -> Diagnostic:
    """An error of a rule: its code and its name."""
    code, name = rule
    return Diagnostic(code, ERROR, message, path=path, span=span, related=related, hint=hint, name=name)


def warning(
    rule: tuple[str, str], message: str, *, path: FieldPath | None = None, span: Span | None = None, hint: str | None = None
) -> Diagnostic:
    """A warning of a rule: its code and its name."""
    code, name = rule
    return Diagnostic(code, WARNING, message, path=path, span=span, hint=hint, name=name)


class CompileError(Exception):
    """The input cannot be compiled: the only exception that crosses a phase. Carries diagnostics."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("; ".join(f"{d.span or '-'}: {d.code}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics


def has_errors(diagnostics: list[Diagnostic]) -> bool:
    """Whether one of them is an error."""
    return any(diagnostic.severity == ERROR for diagnostic in diagnostics)
