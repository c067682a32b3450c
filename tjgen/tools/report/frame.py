"""Pages, and the results of comparisons -> HTML that a notebook shows in a frame of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tjgen.tools.report import changes
from tjgen.tools.report.assets import asset
from tjgen.tools.report.content import Changes, Report
from tjgen.tools.report.markup import quoted


def framed(parts: Iterable[str], title: str) -> str:
    """A page in a frame, so that its styles and those of the notebook do not mix."""
    style = "width: 100%; height: 34rem; border: 1px solid #8884; resize: vertical"
    return f'<iframe title={quoted(title)} sandbox="allow-scripts" style="{style}" srcdoc={quoted("".join(parts))}></iframe>'


def changes_page(compared: Changes) -> Iterator[str]:
    """A page that shows only what differs from something earlier."""
    report = Report("", "", (), {}, (), (), {}, (), [compared])
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>tjgen diff</title>\n'
    yield f"<style>\n{asset('colors.css')}{asset('page.css')}</style>\n</head>\n<body>\n<main>\n"
    yield from changes.section(report)
    yield "</main>\n</body>\n</html>\n"
