"""The entries of codes -> the page of diagnostics, and the table of names and severities that a build loads."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generate import rules
from docs.generate.markdown import NOTICE
from tjgen.trees.diagnostics.codes import ACTIVE, GROUPS, CodeEntry, load_codes

INTRODUCTION = """\
Everything that tjgen reports has a code that never changes its meaning, a severity, a place and, if available, a hint.
Errors end the build before anything is written; warnings do under `--strict`. `policy.severity` of [the project](project.md)
changes the severity of a code or of its name.

A problem that repeats for one cause is shown once, and a note counts the others. `--format json`, `sarif`, `github` and `gitlab`
list every problem.

`tjgen` exits with 0 for no errors, 1 for errors in the input, 2 for an invalid command line, and 3 for an internal error.
"""


TABLE = '''\
"""Code -> name and default severity, generated from codes.toml and rulecodes.toml by `python -m docs.generate`."""

from __future__ import annotations

TABLE = {
'''


def table() -> str:
    """The module with the codes that tjgen reports."""
    rows = [f'    "{one.code}": ("{one.name}", "{one.severity}"),\n' for one in load_codes() if one.status == ACTIVE]
    return f"{TABLE}{''.join(rows)}}}\n"


def page() -> str:
    """The page."""
    return "\n".join(["# Diagnostics\n", NOTICE, INTRODUCTION, *_groups()])


def _groups() -> Iterator[str]:
    for start, title in GROUPS.items():
        entries = [entry for entry in load_codes() if entry.code.startswith(start)]
        if entries:
            yield f"## {start}: {title}\n"
            yield from map(_entry, entries)


def _entry(entry: CodeEntry) -> str:
    more = f"[What the tools do]({rules.page_of(entry.code)})\n\n" if entry.code in rules.codes_of_rules() else ""
    text = f"{entry.meaning}\n\n**To fix it:** {entry.remedy}\n"
    status = "" if entry.status == ACTIVE else f", {entry.status}"
    return (
        f"### {entry.code}\n\n`{entry.name}`, {entry.severity}, since {entry.since}{status}\n\n{text}\n{more}".rstrip("\n") + "\n"
    )
