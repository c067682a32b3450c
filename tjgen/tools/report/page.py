"""A report -> one HTML page that needs nothing else: no other file, no network, no JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256

from tjgen.compiler.fit.verdicts import NEVER
from tjgen.gitops.diff.effect import UNCHANGED
from tjgen.tools.report import changes, diagnostics, runs, shared, starts, totals
from tjgen.tools.report.assets import asset
from tjgen.tools.report.content import Report
from tjgen.tools.report.markup import escape
from tjgen.tools.report.pictures import Pictures
from tjgen.tools.report.words import counted
from tjgen.trees.diagnostics.model import ERROR, WARNING

SECTIONS: tuple[Callable[[Report], Iterator[str]], ...] = (
    totals.section,
    starts.section,
    changes.section,
    diagnostics.section,
    shared.section,
)
"""The sections below the runs, in order. Each yields nothing if it has nothing to show."""


def page(report: Report) -> Iterator[str]:
    """The page in parts."""
    style = "\n" + "".join(asset(name) for name in ("colors.css", "page.css", "picture.css"))
    script = "\n" + asset("page.js")
    pictures = Pictures()
    yield "<!DOCTYPE html>\n"
    yield f'<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(report.title)}: tjgen report</title>\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="generator" content="tjgen">\n'
    yield f"<style>{style}</style>\n</head>\n<body>\n"
    yield '<a class="skip" href="#runs">Go to the runs</a>\n'
    yield from _head(report)
    yield "<main>\n"
    yield from runs.section(report, pictures)
    for section in SECTIONS:
        yield from section(report)
    yield "</main>\n<footer><p>Made by tjgen. What a cluster does with the runs is not known here.</p></footer>\n"
    yield pictures.definitions()
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def _policy(style: str, script: str) -> str:
    """Only this very style and script: nothing that an input brings along could run or be fetched."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    from base64 import b64encode

    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _head(report: Report) -> Iterator[str]:
    families = {(run.project, run.place) for run in report.runs}
    yield f"<header>\n<h1>{escape(report.title)}</h1>\n"
    counts = f"{counted(len(report.runs), 'run')} of {counted(len(families), 'experiment')}"
    yield f'<p class="about">{counts}, {escape(report.subject)}</p>\n'
    yield '<nav aria-label="Sections"><ul>\n'
    for target, label in _sections(report):
        yield f'<li><a href="#{target}">{label}</a>\n'
    yield "</ul></nav>\n</header>\n"


def _sections(report: Report) -> Iterator[tuple[str, str]]:
    yield "runs", f"Runs <b>{len(report.runs)}</b>"
    if report.sums or report.bars:
        over = sum(bar.share > 1 for bar in report.bars)
        yield "totals", "Totals" + (f' <b class="bad">{over} over</b>' if over else "")
    if report.timelines:
        never = sum(run.timed.verdict.mode == NEVER for one in report.timelines for run in one.runs)
        yield "starts", "Starts" + (f' <b class="bad">{counted(never, "run")} never</b>' if never else "")
    if report.changes:
        number = sum(one.kind != UNCHANGED for changes in report.changes for one in changes.entries)
        yield "changes", f"Changes <b>{number}</b>"
    errors = sum(one.severity == ERROR for one in report.diagnostics)
    warnings = sum(one.severity == WARNING for one in report.diagnostics)
    counts = [f'<b class="bad">{counted(errors, "error")}</b>'] if errors else []
    counts += [f'<b class="warn">{counted(warnings, "warning")}</b>'] if warnings else []
    yield "diagnostics", " ".join(["Diagnostics", *(counts or ["<b>0</b>"])])
