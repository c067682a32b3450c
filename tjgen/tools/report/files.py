"""A report -> the SVG files of its pictures: path below a folder, and text."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.report.bounds import bounds
from tjgen.tools.report.content import Report
from tjgen.tools.report.picture import picture
from tjgen.tools.report.svg import document


def pictures(report: Report) -> Iterator[tuple[str, str]]:
    """`[project/][environment/]namespace/run.svg` of each run that shows something, and `totals.svg` if something is bounded."""
    for run in report.runs:
        drawn = picture(run.structure)
        if drawn.marks:
            place = "/".join(part for part in (run.project, run.place.environment, run.place.namespace) if part)
            caption = " · ".join(part for part in (place, run.place.name, run.state) if part)
            yield f"{place}/{run.name}.svg", document(drawn, run.name, caption=caption)
    if report.bars:
        yield (
            "totals.svg",
            document(bounds(report.bars), f"{report.title}: quotas and queues", caption="what current runs request"),
        )
