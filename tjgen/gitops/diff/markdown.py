"""A comparison -> Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.gitops.diff.compare import DiffEntry, FieldChange
from tjgen.gitops.diff.words import concealed, meaning, sections, shown_both, summary
from tjgen.trees.fields.path import MISSING, render


def render_markdown(entries: Sequence[DiffEntry]) -> str:
    """The counts first, then a section for each experiment, with a table of fields for what changed."""
    lines = ["## Training runs", ""]
    lines += [f"- {line}" for line in summary(entries)] or ["Nothing differs."]
    for name, group in sections(entries):
        lines += ["", f"### {_plain(name)}", ""]
        for entry in group:
            lines += _entry(entry)
    return "".join(line + "\n" for line in lines)


def _entry(entry: DiffEntry) -> Iterator[str]:
    yield f"- **{_plain(entry.name)}**: {_plain(meaning(entry))}"
    for one in entry.objects:
        for words in one.words:
            yield f"  - the server rejects: {_code(words)}"
    rows = [(one.ref.kind, field) for one in entry.objects for field in one.fields]
    if rows:
        yield ""
        yield "  | field | before | after | effect | set by |"
        yield "  | --- | --- | --- | --- | --- |"
        for kind, field in rows:
            yield f"  | {' | '.join(_row(kind, field))} |"
        yield ""


def _row(kind: str, field: FieldChange) -> tuple[str, ...]:
    change = concealed(kind, field.change)
    before, after = shown_both(change.before, change.after)
    attributions = [
        f"{label} {_code(attribution.words)}"
        for label, attribution in (("was", field.before), ("is", field.after))
        if attribution is not None
    ]
    return (
        _code(f"{kind} {render(change.path)}"),
        "" if change.before is MISSING or field.is_plain else _code(before),
        "" if change.after is MISSING else _code(after),
        _plain(field.remark or field.kind),
        "<br>".join(attributions),
    )


def _code(text: str) -> str:
    """Text in the type of code, with any marks in it."""
    escaped = text.replace("|", "\\|").replace("\n", " ")
    fence = "``" if "`" in escaped else "`"
    space = " " if escaped[:1] == "`" or escaped[-1:] in ("`", "") else ""
    return f"{fence}{space}{escaped}{space}{fence}"


def _plain(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in text)
