"""Timelines of clusters -> the section on pods and starts: a picture and a table for each cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.compiler.building.timelines import ClusterTimeline, PlannedRun
from tjgen.compiler.fit.timeline import BOUND, UNKNOWN
from tjgen.compiler.fit.verdicts import NEVER
from tjgen.tools.report.content import Report
from tjgen.tools.report.facts import duration
from tjgen.tools.report.markup import escape, quoted
from tjgen.tools.report.timeline_picture import timeline_picture
from tjgen.tools.report.words import counted

_ABOUT = (
    "The order in which tjgen fit predicts that the runs start, if all are submitted now and nothing else runs. The ends of runs "
    "are bounds (deadlines), estimates, or unknown, and so are the starts of runs after them."
)
_HEADS = ("Run", "Pods", "Queue", "Flavors", "Nodes", "Result", "Starts", "Ends", "Reason")


def section(report: Report) -> Iterator[str]:
    """The section; nothing if no Platform has nodes or queues. Clusters are apart, and nothing combines two of them."""
    if not report.timelines:
        return
    yield '<section id="starts" aria-labelledby="starts-title">\n<h2 id="starts-title">Pods and starts</h2>\n'
    yield f'<p class="about">{_ABOUT}</p>\n'
    for cluster in report.timelines:
        yield from _cluster(cluster)
    yield "</section>\n"


def _cluster(cluster: ClusterTimeline) -> Iterator[str]:
    starting = sum(run.timed.verdict.order > 0 for run in cluster.runs)
    nodes = counted(cluster.nodes, "node") if cluster.nodes else "nodes unknown, so only queues count"
    yield f"<h3>{escape(cluster.cluster)}</h3>\n"
    yield f'<p class="about">{nodes}; {starting} of {counted(len(cluster.runs), "run")} can start now</p>\n'
    picture = timeline_picture(cluster)
    if picture is not None:
        label = quoted(f"Devices over time on {cluster.cluster}. {picture.words}")
        size = f'width="{picture.width}" height="{picture.height}" viewBox="0 0 {picture.width} {picture.height}"'
        region = f'<div class="wide" tabindex="0" role="region" aria-label={quoted(f"Picture of {cluster.cluster}")}>'
        yield f'{region}<svg class="picture" {size} role="img" aria-label={label}>{picture.marks}</svg></div>\n'
    yield f'<div class="wide" tabindex="0" role="region" aria-label={quoted(f"Starts on {cluster.cluster}")}>'
    yield '<table class="starts"><thead><tr>'
    yield "".join(f"<th scope=col>{head}" for head in _HEADS) + "</thead><tbody>\n"
    for run in cluster.runs:
        yield from _row(run)
    yield "</table></div>\n"


def _row(run: PlannedRun) -> Iterator[str]:
    timed = run.timed
    verdict = timed.verdict
    own = verdict.run
    title = " / ".join(part for part in (run.environment, own.namespace, own.name) if part)
    flavors = (timed.at_start or verdict).flavors
    cells = [
        ", ".join(f"{one.role} x {len(one.pods)}" for one in own.demand.sets),
        own.queue or "-",
        ", ".join(flavors) or "-",
        _places(run.places),
    ]
    yield f"<tr><th scope=row>{escape(title)}{''.join(f' <td>{escape(cell)}' for cell in cells)}"
    result = escape(verdict.result)
    yield f' <td><b class="bad">{result}</b>' if verdict.mode == NEVER else f" <td>{result}"
    yield f" <td>{escape(_start(run))} <td>{escape(_end(run))} <td>"
    evictable = (timed.at_start or verdict).evictable_by
    if evictable:
        yield f"<p>Can be evicted by {escape(', '.join(evictable))}"
    for one in run.findings:
        yield f"<p>{escape(one.message)}<p><code>{escape(one.span or '')}</code>"
        yield f'<p class="hint">{escape(one.hint)}' if one.hint else ""
    yield "\n"


def _places(places: Mapping[str, int]) -> str:
    return ", ".join(f"{pool} x {number}" for pool, number in places.items()) or "-"


def _start(run: PlannedRun) -> str:
    start = run.timed.start
    return "-" if start is None else f"after {duration(start)}" if start else "now"


def _end(run: PlannedRun) -> str:
    timed = run.timed
    if timed.start is None:
        return "-"
    if timed.duration.kind == UNKNOWN or timed.end is None:
        return "unknown"
    return f"after {'at most ' if timed.duration.kind == BOUND else 'about '}{duration(timed.end)}"
