"""Diagnostics -> workflow commands of GitHub Actions, which become annotations of the lines in a pull request.

    ::error file=a.yaml,line=7,col=3,endLine=7,endColumn=9,title=TJ101 unknown-field::unknown field "imagee"

GitHub shows ten errors and ten warnings of each step; the log has them all.
"""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, Diagnostic
from tjgen.trees.diagnostics.render.forge import Reported, reported

_COMMANDS = {ERROR: "error", WARNING: "warning", INFO: "notice"}


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """A line for each diagnostic, in their order."""
    return "".join(_command(one) for one in reported(diagnostics))


def _command(one: Reported) -> str:
    diagnostic = one.diagnostic
    properties: dict[str, object] = {}
    span = diagnostic.span
    if span is not None:
        properties = {"file": span.file, "line": span.line}
        if span.end_line == span.line:  # columns are refused if there are several lines
            properties |= {"col": span.column, "endLine": span.end_line, "endColumn": span.end_column}
        else:
            properties["endLine"] = span.end_line
    properties["title"] = f"{diagnostic.code} {diagnostic.name}".rstrip()
    parameters = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    notes = "".join(f"\n{note.message}" + (f": {note.span}" if note.span is not None else "") for note in diagnostic.related)
    return f"::{_COMMANDS[diagnostic.severity]} {parameters}::{_data(one.text + notes)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
