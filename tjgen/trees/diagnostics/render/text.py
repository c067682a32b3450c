"""Diagnostics -> text for people: one line with the place and the message, the line of the file with a caret, the hint.

error[TJ103] examples/a.yaml:7:3: unknown field "imagee"
  7 |   imagee: x
    |   ^^^^^^
  hint: did you mean "image"?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tjgen.trees import regex
from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, Diagnostic, Note, Span
from tjgen.trees.diagnostics.printable import printable, visible
from tjgen.trees.diagnostics.render.excerpt import excerpt
from tjgen.trees.fields.path import render as render_path

_COLORS = {ERROR: "\033[1;31m", WARNING: "\033[1;33m", INFO: "\033[1;36m"}
_OF_SECRETS = ("TJ109", "TJ662")
"""Codes whose place is the secret itself, also where its text does not look like one."""
_BOLD = "\033[1m"
_RESET = "\033[0m"

Read = Callable[[str], "str | None"]


def render(diagnostics: Iterable[Diagnostic], read: Read, *, color: bool = False) -> str:
    """The text of all diagnostics, in their order.

    `read` gives the text of a file, by the name that the spans have, or None where it cannot: the excerpt is then left out.
    """
    lines = _Lines(read)
    return "".join(_diagnostic(diagnostic, lines, color=color) for diagnostic in diagnostics)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """How many there are of each severity: `2 errors, 1 warning`; empty if there are none."""
    severities = [diagnostic.severity for diagnostic in diagnostics]
    counts = ((severities.count(severity), severity) for severity in (ERROR, WARNING))
    return ", ".join(f"{count} {severity}{'s' if count > 1 else ''}" for count, severity in counts if count)


class _Lines:
    """The lines of files, each file read once."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._files: dict[str, list[str]] = {}

    def line(self, span: Span) -> str | None:
        if span.file not in self._files:
            text = self._read(span.file)
            unified = "" if text is None else text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
            self._files[span.file] = unified.split("\n")
        lines = self._files[span.file]
        # The line after a final line break exists for a reader of the file only if it has text.
        return lines[span.line - 1] if 0 < span.line <= len(lines) and (span.line < len(lines) or lines[-1]) else None


def _diagnostic(diagnostic: Diagnostic, lines: _Lines, *, color: bool) -> str:
    tint = _COLORS.get(diagnostic.severity, "") if color else ""
    label = _tinted(f"{diagnostic.severity}[{diagnostic.code}]", tint)
    place = _place(diagnostic)
    message = _tinted(_lines_of(diagnostic.message), _BOLD if color else "")
    out = [f"{label} {place}: {message}\n" if place else f"{label} {message}\n"]
    spans = [span for span in (diagnostic.span, *(note.span for note in diagnostic.related)) if span is not None]
    width = max((len(str(span.line)) for span in spans), default=0)
    if diagnostic.span is not None:
        out.append(_excerpt(diagnostic.span, lines, width, tint, conceals=diagnostic.code in _OF_SECRETS))
        if diagnostic.subject is not None:
            out.append(f"  in: {_object(diagnostic)}\n")
    out += [_note(note, lines, width, tint) for note in diagnostic.related]
    if diagnostic.hint:
        out.append(f"  hint: {_lines_of(diagnostic.hint)}\n")
    return "".join(out)


def _place(diagnostic: Diagnostic) -> str:
    return visible(str(diagnostic.span)) if diagnostic.span is not None else _object(diagnostic)


def _object(diagnostic: Diagnostic) -> str:
    subject = "" if diagnostic.subject is None else str(diagnostic.subject)
    path = "" if diagnostic.path is None else render_path(diagnostic.path)
    return visible(" ".join(part for part in (subject, path) if part))


def _note(note: Note, lines: _Lines, width: int, tint: str) -> str:
    if note.span is None:
        return f"  note: {_lines_of(note.message)}\n"
    return f"  note: {visible(str(note.span))}: {_lines_of(note.message)}\n" + _excerpt(note.span, lines, width, tint)


def _excerpt(span: Span, lines: _Lines, width: int, tint: str, *, conceals: bool = False) -> str:
    line = lines.line(span)
    if line is None:
        return ""
    end = span.end_column if span.end_line == span.line else len(line) + 1
    if conceals:
        # Where the place is a key, its value follows.
        first, last = (end, len(line)) if line[end - 1 : end] == ":" else (span.column - 1, end - 1)
        line = line[:first] + regex.sub(r"\S", "*", line[first:last]) + line[last:]
    shown, before, marked = excerpt(line, span.column, end)
    number = str(span.line).rjust(width)
    carets = _tinted("^" * marked, tint)
    return f"  {number} | {shown}\n".replace("| \n", "|\n") + f"  {' ' * width} | {' ' * before}{carets}\n"


def _lines_of(message: str) -> str:
    return printable(message.rstrip("\n")).replace("\n", "\n    ")


def _tinted(text: str, tint: str) -> str:
    return f"{tint}{text}{_RESET}" if tint else text
