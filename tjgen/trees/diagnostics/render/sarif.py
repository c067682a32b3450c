"""Diagnostics -> SARIF 2.1.0 (OASIS), the format in which code scanning takes results of any tool.

One run, with the rules that its results name. A result that is in no file is placed in the project file: GitHub refuses
a report that holds a result without a place.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from urllib.parse import quote

from tjgen import __version__
from tjgen.trees.diagnostics.codes import CodeEntry, load_codes
from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, Diagnostic, Span
from tjgen.trees.diagnostics.printable import printable_json
from tjgen.trees.diagnostics.render.forge import NOWHERE, Reported, reported
from tjgen.trees.fields.path import Tree
from tjgen.trees.fields.path import render as render_path

_LEVELS = {ERROR: "error", WARNING: "warning", INFO: "note"}
_PAGE = "docs/reference/diagnostics.md"
_PLACEHOLDER = re.compile(r"\{(\d+)\}")


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The log as text with a line break at the end; only ASCII, also if messages have other characters."""
    reports = list(reported(diagnostics))
    codes = sorted({one.diagnostic.code for one in reports})
    known = {entry.code: entry for entry in load_codes()}
    driver = {"name": "tjgen", "version": __version__, "rules": [_rule(code, known.get(code)) for code in codes]}
    run = {
        "tool": {"driver": driver},
        # Positions count characters, as in all that tjgen prints.
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, codes) for one in reports],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return printable_json(json.dumps(log, indent=2)) + "\n"


def _rule(code: str, entry: CodeEntry | None) -> Tree:
    if entry is None:
        return {"id": code}
    page = f"{_PAGE}#{code.lower()}"
    return {
        "id": code,
        "name": entry.name,
        "shortDescription": {"text": entry.name},
        "fullDescription": {"text": entry.meaning},
        "help": {
            "text": f"{entry.meaning}\n\n{entry.remedy}\n\nSee {page} of tjgen.",
            "markdown": f"{entry.meaning}\n\n**To fix it:** {entry.remedy}\n\nSee `{page}` of tjgen.",
        },
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
        "properties": {"tags": ["kubernetes", "training"]},
    }


def _result(one: Reported, codes: list[str]) -> Tree:
    diagnostic = one.diagnostic
    location: Tree = {"physicalLocation": _physical(diagnostic.span)}
    name = _object(diagnostic)
    if name:
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "resource"}]
    result = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": _plain(one.text)},
        "locations": [location],
        "partialFingerprints": {"tjgenDiagnostic/v1": one.fingerprint},
    }
    notes = [
        {"id": number, "physicalLocation": _physical(note.span), "message": {"text": _plain(note.message)}}
        for number, note in enumerate(diagnostic.related, 1)
        if note.span is not None
    ]
    return {**result, "relatedLocations": notes} if notes else result


def _physical(span: Span | None) -> Tree:
    if span is None:
        return {"artifactLocation": {"uri": NOWHERE, "uriBaseId": "%SRCROOT%"}}
    file, line, column, end_line, end_column = span
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return {"artifactLocation": _artifact(file), "region": region}


def _artifact(file: str) -> Tree:
    path = quote(os.fsencode(file))
    # A file outside the repository is not part of its source, and cannot be shown with it.
    return {"uri": f"file://{path}"} if file.startswith("/") else {"uri": path, "uriBaseId": "%SRCROOT%"}


def _object(diagnostic: Diagnostic) -> str:
    subject = "" if diagnostic.subject is None else str(diagnostic.subject)
    path = "" if diagnostic.path is None else render_path(diagnostic.path)
    return " ".join(part for part in (subject, path) if part)


def _plain(text: str) -> str:
    """Text without placeholders and links (SARIF 3.11.5 and 3.11.6)."""
    text = _PLACEHOLDER.sub(r"{{\1}}", text)
    return text.replace("[", "\\[").replace("]", "\\]") if "](" in text else text
