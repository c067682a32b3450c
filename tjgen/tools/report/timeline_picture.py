"""Runs in time -> a picture: devices in use by class and queue, a bar for each run, and the bounds of nodes and queues."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.building.timelines import ClusterTimeline, PlannedRun
from tjgen.compiler.fit.timeline import BOUND, ESTIMATE, UNKNOWN
from tjgen.tools.report.canvas import Canvas
from tjgen.tools.report.facts import duration
from tjgen.tools.report.picture import Picture
from tjgen.tools.report.words import counted

KINDS = {
    ESTIMATE: "ends after the estimate of its author",
    BOUND: "ends at its deadline at the latest",
    UNKNOWN: "end unknown: drawn without an end",
}
"""Kind of bar -> its meaning."""
_WIDTH = 760
_LEFT, _RIGHT = 210, 752
_HEIGHT = 72
_ROW = 18
_MOST_ROWS = 40
_STEPS = (60, 300, 900, 3600, 7200, 21600, 43200, 86400, 2 * 86400, 7 * 86400, 14 * 86400, 28 * 86400)


def timeline_picture(cluster: ClusterTimeline) -> Picture | None:
    """The picture of one cluster; None if no run requests devices."""
    names = list(dict.fromkeys(name for run in cluster.runs for name in run.devices))
    if not names:
        return None
    canvas = Canvas(_WIDTH)
    last = max((run.timed.end or 0 for run in cluster.runs), default=0)
    scale = (_RIGHT - _LEFT - 24) / last if last else 0.0
    canvas.y = 14
    _legend(canvas)
    words = []
    for name in names:
        own = [run for run in cluster.runs if run.devices.get(name)]
        words.append(_chart(canvas, f"{name} on all nodes", name, own, cluster.capacity.get(name), scale))
        queues = dict.fromkeys(run.timed.verdict.run.queue for run in own)
        for queue in queues:
            if (name, queue) in cluster.quotas:
                several = [run for run in own if run.timed.verdict.run.queue == queue]
                words.append(
                    _chart(canvas, f"{name} in queue {queue}", name, several, cluster.quotas[name, queue], scale, "quota")
                )
        _rows(canvas, sorted(own, key=_order), scale)
        _axis(canvas, last, scale)
    return Picture(_WIDTH, int(canvas.y), canvas.marks, " ".join(words))


def _order(run: PlannedRun) -> tuple[bool, int, int]:
    start = run.timed.start
    order = run.timed.at_start.order if run.timed.at_start is not None else 0
    return start is None, start or 0, order


def _legend(canvas: Canvas) -> None:
    x = 8.0
    for kind, meaning in KINDS.items():
        canvas.box(x, canvas.y - 9, 14, 10, f"bar-{kind}", radius=2)
        canvas.text(x + 20, meaning, "small soft")
        x += 44 + 6.1 * len(meaning)
    canvas.y += 12


def _chart(
    canvas: Canvas, title: str, name: str, runs: Sequence[PlannedRun], bound: int | None, scale: float, limit: str = "capacity"
) -> str:
    """Draw the devices in use over time, those without a known end below; return the chart in words."""
    steps = _steps(runs, name)
    most = max(sum(heights) for _, heights in steps)
    top = max(most, bound or 0, 1)
    canvas.y += 22
    text = f"{title}: at most {most} in use" + (f", {limit} {bound}" if bound is not None else "")
    canvas.text(8, text, "head", max_width=_RIGHT - 8)
    base = canvas.y + 12 + _HEIGHT
    unit = _HEIGHT / top
    ends = [at for at, _ in steps[1:]]
    for (at, heights), until in zip(steps, [*ends, None], strict=True):
        x = _LEFT + at * scale
        width = (_LEFT + until * scale if until is not None else _RIGHT) - x
        level = base
        for kind, height in zip((UNKNOWN, BOUND, ESTIMATE), heights, strict=True):
            if height:
                level -= height * unit
                canvas.box(x, level, width, height * unit, f"bar-{kind}", radius=0)
    canvas.stroke(_LEFT, base, _RIGHT, base)
    if bound is not None:
        canvas.rule(_LEFT, base - bound * unit, _RIGHT)
        canvas.y = base - bound * unit + 4
        canvas.text(_LEFT - 6, f"{limit} {bound}", "small soft end", max_width=_LEFT)
    if bound is None or (bound - most) * unit > 14:
        canvas.y = base - most * unit + 4
        canvas.text(_LEFT - 6, str(most), "small soft end", max_width=_LEFT)
    canvas.y = base
    return f"{text}."


def _steps(runs: Sequence[PlannedRun], name: str) -> list[tuple[int, tuple[int, int, int]]]:
    """Time -> devices from then on: of runs whose end is unknown, bounded, and estimated."""
    started = [(run.timed.start, run) for run in runs if run.timed.start is not None]
    times = sorted({0, *(start for start, _ in started), *(run.timed.end for _, run in started if run.timed.end is not None)})
    result = []
    for time in times:
        heights = dict.fromkeys((UNKNOWN, BOUND, ESTIMATE), 0)
        for start, run in started:
            if start <= time and (run.timed.end is None or time < run.timed.end):
                heights[run.timed.duration.kind] += run.devices[name]
        result.append((time, (heights[UNKNOWN], heights[BOUND], heights[ESTIMATE])))
    return result


def _rows(canvas: Canvas, runs: Sequence[PlannedRun], scale: float) -> None:
    canvas.y += 8
    for run in runs[:_MOST_ROWS]:
        canvas.y += _ROW
        timed = run.timed
        canvas.text(8, timed.verdict.run.name, "mono small", max_width=_LEFT - 16)
        if timed.start is None:
            canvas.text(_LEFT + 4, timed.verdict.result, "small soft")
            continue
        x = _LEFT + timed.start * scale
        end = _LEFT + timed.end * scale if timed.end is not None else _RIGHT
        canvas.box(x, canvas.y - 10, max(end - x, 2), 12, f"bar-{timed.duration.kind}", radius=2)
    if len(runs) > _MOST_ROWS:
        canvas.y += _ROW
        canvas.text(8, f"and {counted(len(runs) - _MOST_ROWS, 'more run')}, in the table below", "small soft")


def _axis(canvas: Canvas, last: int, scale: float) -> None:
    canvas.y += 8
    canvas.stroke(_LEFT, canvas.y, _RIGHT, canvas.y)
    canvas.y += 14
    canvas.text(_LEFT, "now", "small soft")
    step = next((one for one in _STEPS if last <= 6 * one), -(-last // 6))
    for time in range(step, last + 1, step) if last else ():
        canvas.text(_LEFT + time * scale, duration(time), "small soft end", max_width=80)
    canvas.y += 10
