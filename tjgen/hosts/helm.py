"""A chart as Helm rendered it -> the same with its experiments expanded, and what is wrong with the rest.

Everything that is not for tjgen stays as Helm wrote it, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.diagnostics.model import Diagnostic, has_errors
from tjgen.fields.path import get
from tjgen.hosts.items import Item, Items, is_source
from tjgen.hosts.rendering import Asked, rendered
from tjgen.source.reader import KUBERNETES, read
from tjgen.source.writer import dump
from tjgen.typing import NamedTuple
from tjgen.validate.check import check

_SEPARATOR = re.compile(r"^---(?=\s|$)[^\S\n]*\n?", re.MULTILINE)
"""What begins a document; three dashes at the beginning of a line are nothing else in YAML."""
_SOURCE = re.compile(r"^# Source: (\S+)$", re.MULTILINE)


class Chart(NamedTuple):
    """What to give back to Helm; nothing where there are errors."""

    text: str
    diagnostics: list[Diagnostic]


def rerendered(text: str, asked: Asked, *, checks: bool = True) -> Chart:
    """The chart with its experiments expanded. `checks`: whether the objects of the chart are judged too."""
    kept: list[str] = []
    items: list[Item] = []
    diagnostics: list[Diagnostic] = []
    for chunk in _chunks(text):
        found = _SOURCE.search(chunk)
        name = found[1] if found else "<stdin>"
        documents, problems = read(chunk, name, KUBERNETES)
        diagnostics += problems
        trees = [document.value for document in documents]
        items += [Item(_called(name, tree), tree, chunk) for tree in trees if tree.__class__ is dict]
        if any(is_source(tree) for tree in trees):
            continue
        kept.append(chunk)
        if checks and trees:
            diagnostics += [one for one in check(chunk, name) if one not in problems]
    made: list[str] = []
    if not has_errors(diagnostics):
        with Items(items) as opened:
            if opened.given:
                built = rendered(asked._replace(given=opened.given, overlays=opened.overlays, catalogs=opened.catalogs))
                diagnostics += [opened.named(one) for one in built.diagnostics]
                made = [dump(tree) for tree in built.objects]
    if has_errors(diagnostics):
        return Chart("", diagnostics)
    return Chart(
        "".join(f"---\n{chunk if chunk.endswith(chr(10)) else chunk + chr(10)}" for chunk in [*kept, *made]), diagnostics
    )


def _chunks(text: str) -> Iterator[str]:
    """The documents as text, with the comments around them."""
    for chunk in _SEPARATOR.split(text):
        if chunk.strip():
            yield chunk


def _called(file: str, tree: object) -> str:
    return f"{file} ({get(tree, ('metadata', 'name'), '')})"
