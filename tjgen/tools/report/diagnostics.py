"""Diagnostics -> their section: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.report.content import Report
from tjgen.tools.report.markup import escape
from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, Diagnostic

_CLASSES = {ERROR: "bad", WARNING: "warn", INFO: "info"}


def section(report: Report) -> Iterator[str]:
    """Return the section; it exists also without diagnostics, and reports that there are none."""
    yield '<section id="diagnostics" aria-labelledby="diagnostics-title">\n<h2 id="diagnostics-title">Diagnostics</h2>\n'
    if not report.diagnostics:
        yield '<p class="none">No problems found.</p>\n</section>\n'
        return
    yield '<ol class="diagnostics">\n'
    ordered = sorted(report.diagnostics, key=lambda one: list(_CLASSES).index(one.severity))
    for one in ordered:
        yield _item(one)
    yield "</ol>\n</section>\n"


def _item(one: Diagnostic) -> str:
    name = f" {escape(one.name)}" if one.name else ""
    lines = [f'<li><p><b class="{_CLASSES[one.severity]}">{one.severity} {escape(one.code)}</b> {escape(one.message)}</p>']
    where = " ".join(str(word) for word in (one.span, one.subject) if word)
    lines.append(f'<p class="where"><code>{escape(where)}</code>{name}</p>')
    lines += [f'<p class="where">{escape(note.message)} <code>{escape(note.span or "")}</code></p>' for note in one.related]
    if one.hint:
        lines.append(f'<p class="hint">{escape(one.hint)}</p>')
    return "\n".join(lines) + "\n"
