"""Objects that several runs use -> their section: each is shown once."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.report import fields
from tjgen.tools.report.content import Report
from tjgen.tools.report.markup import escape, slug
from tjgen.tools.report.words import counted


def section(report: Report) -> Iterator[str]:
    """The section; nothing if nothing is shared. A link to an object opens it."""
    if not report.shared:
        return
    yield '<section id="shared" aria-labelledby="shared-title">\n<h2 id="shared-title">Shared objects</h2>\n'
    for path, (part, runs) in report.shared.items():
        where = " / ".join(path.split("/")[:-1])
        number = f'<span class="count">{escape(where)}, {counted(runs, "run")}</span>'
        yield f'<details class="object"><summary>{fields.title(part)} {number}</summary>\n<div id="shared-{slug(path)}">\n'
        yield from fields.manifest(part, "")
        yield "</div></details>\n"
    yield "</section>\n"
