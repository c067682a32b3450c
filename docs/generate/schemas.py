"""The schemas that tjgen brings -> the page that lists their kinds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from docs.generate.markdown import NOTICE, code, table
from tjgen.cluster.validate import own

INTRODUCTION = """\
The kinds that `tjgen build` and `tjgen check` validate, by the project whose API types define their schemas. *Whole* means
that tjgen checks the same as the API server: types, defaults, rules, names. *Types only* leaves out the server's own rules, and
each check reports this (TJ521). Of the admission webhooks of operators, those of Trainer, JobSet and Volcano are included. Other
kinds are reported as not checked (TJ520). You can import [a cluster's own kinds](../how-to/schemas.md). `tjgen schemas list`
prints the same for a project.
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
