"""Diagnostics -> JSON for programs: one array, an object for each, in their order.

    [
      {
        "code": "TJ103", "name": "unknown-field", "severity": "error", "message": "...", "hint": "..." or null,
        "place": {"file": "a.yaml", "line": 7, "column": 3, "endLine": 7, "endColumn": 9} or null,
        "path": "spec.imagee" or null,
        "subject": {"apiVersion": "...", "kind": "...", "namespace": "...", "name": "..."} or null,
        "related": [{"message": "...", "place": {...} or null}]
      }
    ]

Lines and columns count from 1, columns in characters, the end is exclusive. Fields may be added in later releases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from tjgen.trees.diagnostics.credentials import concealed
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef, Span
from tjgen.trees.diagnostics.printable import printable_json
from tjgen.trees.fields.path import render as render_path
from tjgen.trees.typing import Any


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The array as text with a line break at the end; only ASCII, also if messages have other characters."""
    return printable_json(json.dumps([_diagnostic(diagnostic) for diagnostic in diagnostics], indent=2)) + "\n"


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity,
        "message": concealed(diagnostic.message),
        "hint": None if diagnostic.hint is None else concealed(diagnostic.hint),
        "place": _place(diagnostic.span),
        "path": None if diagnostic.path is None else render_path(diagnostic.path),
        "subject": _subject(diagnostic.subject),
        "related": [{"message": concealed(note.message), "place": _place(note.span)} for note in diagnostic.related],
    }


def _place(span: Span | None) -> dict[str, Any] | None:
    if span is None:
        return None
    file, line, column, end_line, end_column = span
    return {"file": file, "line": line, "column": column, "endLine": end_line, "endColumn": end_column}


def _subject(subject: ObjectRef | None) -> dict[str, str] | None:
    if subject is None:
        return None
    return {"apiVersion": subject.api_version, "kind": subject.kind, "namespace": subject.namespace, "name": subject.name}
