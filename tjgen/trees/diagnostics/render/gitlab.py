"""Diagnostics -> a Code Quality report of GitLab, which shows them in a merge request."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, Diagnostic
from tjgen.trees.diagnostics.printable import printable_json
from tjgen.trees.diagnostics.render.forge import NOWHERE, Reported, reported
from tjgen.trees.fields.path import Tree

_SEVERITIES = {ERROR: "critical", WARNING: "minor", INFO: "info"}


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The report as text with a line break at the end."""
    return printable_json(json.dumps([_entry(one) for one in reported(diagnostics)], indent=2)) + "\n"


def _entry(one: Reported) -> Tree:
    diagnostic, span = one.diagnostic, one.diagnostic.span
    lines = {"begin": span.line, "end": span.end_line} if span is not None else {"begin": 1}
    return {
        "description": f"{diagnostic.code}: {one.text}",
        "check_name": diagnostic.name or diagnostic.code,
        "fingerprint": one.fingerprint,
        "severity": _SEVERITIES[diagnostic.severity],
        "location": {"path": span.file if span is not None else NOWHERE, "lines": lines},
    }
