"""The schemas that tjgen brings -> the page that lists their kinds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from docs.generate.markdown import NOTICE, code, table
from tjgen.cluster.validate import own

INTRODUCTION = """\
The kinds that `tjgen build` and `tjgen check` know, by the project whose API types their schemas are made from. *Whole* means
that all is checked that the API server checks: types, defaults, rules, names. *Types only* leaves the server's own rules out, and
a check says so (TJ521). A kind that is not here is reported as not checked (TJ520);
[a cluster's own kinds](../how-to/schemas.md) can be imported. `tjgen schemas list` prints the same for a project.
"""


def page() -> str:
    """The page."""
    return "\n".join(["# Kinds that are checked\n", NOTICE, INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    known = sorted(own.known(None), key=lambda one: (one.source, one.api_version, one.kind))
    for source, kinds in groupby(known, lambda one: one.source):
        name, _, version = source.partition(" ")
        yield f"## {name}\n\nFrom {code(version)}.\n"
        yield table(("Kind", "API version", "Checked"), ((code(one.kind), code(one.api_version), one.checked) for one in kinds))
