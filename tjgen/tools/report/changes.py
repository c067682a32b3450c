"""A comparison -> its section: the change of each run and of the objects that they share, field by field."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.diff.compare import DiffEntry, FieldChange
from tjgen.gitops.diff.words import concealed, meaning, sections, shown_both, summary
from tjgen.tools.report.content import Report
from tjgen.tools.report.fields import place
from tjgen.tools.report.markup import escape, slug
from tjgen.trees.fields.path import render

_HEAD = "<thead><tr><th scope=col>Field<th scope=col>Before<th scope=col>After<th scope=col>Effect</thead>"


def section(report: Report) -> Iterator[str]:
    """The section; nothing if nothing was compared."""
    if not report.changes:
        return
    yield '<section id="changes" aria-labelledby="changes-title">\n'
    yield f'<h2 id="changes-title">Changes since <code>{escape(report.changes[0].earlier)}</code></h2>\n'
    lines = summary(entry for changes in report.changes for entry in changes.entries)
    if lines:
        yield "<ul>\n" + "".join(f"<li>{escape(line)}\n" for line in lines) + "</ul>\n"
    else:
        yield '<p class="none">Nothing differs.</p>\n'
    for changes in report.changes:
        for name, group in sections(changes.entries):
            yield f"<h3>{escape(' / '.join(part for part in (changes.project, name) if part))}</h3>\n"
            for entry in group:
                yield from _entry(entry)
    yield "</section>\n"


def _entry(entry: DiffEntry) -> Iterator[str]:
    rows = [(one.ref.kind, field) for one in entry.objects for field in one.fields]
    words = [refusal for one in entry.objects for refusal in one.words]
    head = f'<span class="name">{escape(entry.name)}</span> <b class="change {slug(entry.kind)}">{escape(meaning(entry))}</b>'
    if not rows and not words:
        yield f'<p class="entry">{head}</p>\n'
        return
    yield f'<details class="entry" open><summary>{head}</summary>\n'
    for refusal in words:
        yield f'<p class="bad">The server refuses: {escape(refusal)}</p>\n'
    if rows:
        yield f"<table>{_HEAD}<tbody>\n"
        for kind, field in rows:
            yield _row(kind, field)
        yield "</table>\n"
    yield "</details>\n"


def _row(kind: str, field: FieldChange) -> str:
    change = concealed(kind, field.change)
    old, new = shown_both(change.before, change.after)
    before, after = f"{escape(old)} {place(field.before)}", f"{escape(new)} {place(field.after)}"
    path = f"{escape(kind)} {escape(render(change.path))}"
    return f"<tr><th scope=row>{path}<td>{before}<td>{after}<td>{escape(field.remark or field.kind)}\n"
