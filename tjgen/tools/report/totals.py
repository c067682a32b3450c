"""What runs take -> the section of totals: a table of namespaces, and a bar for each bound of a quota or queue."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tjgen.compiler.totals.table import cells, columns, line
from tjgen.compiler.totals.tally import together
from tjgen.tools.report.bounds import percent
from tjgen.tools.report.capacity import rows
from tjgen.tools.report.content import Bar, Report
from tjgen.tools.report.markup import escape


def section(report: Report) -> Iterator[str]:
    """Return the section, or no text for a report without runs and without bounds."""
    if not report.sums and not report.bars:
        return
    yield '<section id="totals" aria-labelledby="totals-title">\n<h2 id="totals-title">Totals</h2>\n'
    about = "Requests of all runs that are not stopped, including superseded and orphaned ones. A shared claim counts once."
    yield f'<p class="about">{about}</p>\n'
    if report.sums:
        yield from _table(report)
    if report.runs:
        yield from _all_runs(report)
    for (environment, holder), group in groupby(report.bars, lambda bar: (bar.environment, bar.holder)):
        where = f" in {environment}" if environment else ""
        yield f'<div class="bounds"><h3>{escape(holder[:1].upper() + holder[1:])}{escape(where)}</h3>\n<ul>\n'
        for bar in group:
            yield _bar(bar)
        yield "</ul></div>\n"
    yield "</section>\n"


def _table(report: Report) -> Iterator[str]:
    lines = [(one.environment, one.namespace, one.runs, one.left, one.totals) for one in report.sums]
    # Environments may be in different clusters, so no row combines two of them.
    for environment in dict.fromkeys(one.environment for one in report.sums):
        own = [one for one in report.sums if one.environment == environment]
        if len(own) > 1:
            whole = together([one.totals for one in own])
            lines.append((environment, "together", sum(one.runs for one in own), sum(one.left for one in own), whole))
    heads = columns([one[4] for one in lines], report.bandwidths)
    yield '<div class="wide" tabindex="0" role="region" aria-label="Totals by namespace"><table class="totals"><thead><tr>'
    yield "".join(f"<th scope=col>{escape(head)}" for head in ("NAMESPACE", "RUNS", *heads))
    yield "</thead><tbody>\n"
    for environment, namespace, runs, left, totals in lines:
        where = " / ".join(part for part in (environment, namespace) if part)
        cells = [f"{runs} ({left} superseded or orphaned)" if left else str(runs), *line(totals, heads, report.bandwidths)]
        yield f"<tr><th scope=row>{escape(where)}{''.join(f'<td>{escape(cell)}' for cell in cells)}\n"
    yield "</table></div>\n"


def _all_runs(report: Report) -> Iterator[str]:
    """The table of `tjgen build --summary`."""
    summary = cells(rows(report.runs), report.bandwidths, report.by)
    label = "Runs and totals of each cluster"
    yield f'<details class="all-runs"{" open" if report.by else ""}><summary>{label}</summary>\n'
    yield f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table class="totals"><thead><tr>'
    yield "".join(f"<th scope=col{_kind(i, summary.texts)}>{escape(head)}" for i, head in enumerate(summary.heads))
    yield "</thead><tbody>\n"
    for name, lines in (("", summary.runs), (' class="sum"', summary.totals)):
        for line_of_cells in lines:
            yield f"<tr{name}>"
            yield "".join(f"<td{_kind(i, summary.texts)}>{escape(cell)}" for i, cell in enumerate(line_of_cells))
            yield "\n"
    yield "</table></div></details>\n"


def _kind(column: int, texts: int) -> str:
    return " class=text" if column < texts else ""


def _bar(bar: Bar) -> str:
    over = bar.share > 1
    width = min(bar.share, 1) * 100
    fill = f'<rect class="{"full" if over else "fill"}" width="{width:.1f}" height="6" rx="1"/>'
    track = '<rect class="track" width="100" height="6" rx="1"/>'
    drawn = f'<svg class="bar picture" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">{track}{fill}</svg>'
    share = f'<b class="bad">{percent(bar)}</b>' if over else percent(bar)
    amount = f"<b>{escape(bar.used)}</b> of {escape(bar.allowed)}"
    return f"<li><span>{escape(bar.key)}</span> <span>{amount}</span> <span>{share}</span>{drawn}\n"
