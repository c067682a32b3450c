"""A chart as Helm rendered it -> the same with its experiments expanded, and what is wrong with the rest.

Everything that is not for tjgen stays as Helm wrote it, byte for byte.

Helm 4 notes the template of each object in an annotation, and sorts what it gets back by kind (v4.3, pkg/action
`annotateAndMerge`, pkg/release/v1/util `lessByKind`): of kinds that it does not know by their names, so that a TrainJob came
before its TrainingRuntime and would be refused. It keeps the order of a List, and applies that before a TrainJob.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tjgen.cluster.validate.check import check
from tjgen.language.catalog.runtime import is_runtime
from tjgen.tools.hosts.items import HostItem, HostItems, is_source
from tjgen.tools.hosts.rendering import RenderRequest, rendered
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.source.reader import PART, read
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_SEPARATOR = re.compile(r"^---(?=\s|$)[^\S\n]*\n?", re.MULTILINE)
"""What begins a document; three dashes at the beginning of a line are nothing else in YAML."""
_SOURCE = re.compile(r"^# Source: (\S+)$", re.MULTILINE)
_NOTE = "postrenderer.helm.sh/postrender-filename"
"""The annotation of Helm 4."""


class Chart(NamedTuple):
    """What to give back to Helm; nothing if there are errors."""

    text: str
    diagnostics: list[Diagnostic]


def rerendered(text: str, options: RenderRequest, *, checks: bool = True) -> Chart:
    """The chart with its experiments expanded. `checks`: whether the objects of the chart are judged too."""
    kept: list[str] = []
    items: list[HostItem] = []
    diagnostics: list[Diagnostic] = []
    sorts = False
    for chunk in _chunks(text):
        match = _SOURCE.search(chunk)
        documents, problems = read(chunk, match[1] if match else "<stdin>", PART)
        trees = [document.value for document in documents]
        noted = next(filter(None, map(_noted, trees)), None)
        sorts = sorts or noted is not None
        name = match[1] if match else noted or "<stdin>"
        diagnostics += problems
        items += [_item(name, tree, chunk) for tree in trees if tree.__class__ is dict]
        if any(is_source(tree) for tree in trees):
            continue
        kept.append(chunk)
        if checks and trees:
            diagnostics += [one for one in check(chunk, name) if one not in problems]
    parts: list[str] = []
    if not has_errors(diagnostics):
        with HostItems(items) as opened:
            if opened.given:
                built = rendered(options._replace(given=opened.given, overlays=opened.overlays, catalogs=opened.catalogs))
                diagnostics += [opened.named(one) for one in built.diagnostics]
                parts = [dump(tree) for tree in (_in_order(built.objects) if sorts else built.objects)]
    if has_errors(diagnostics):
        return Chart("", diagnostics)
    return Chart(
        "".join(f"---\n{chunk if chunk.endswith(chr(10)) else chunk + chr(10)}" for chunk in [*kept, *parts]), diagnostics
    )


def _chunks(text: str) -> Iterator[str]:
    """The documents as text, with the comments around them."""
    for chunk in _SEPARATOR.split(text):
        if chunk.strip():
            yield chunk


def _noted(tree: Tree) -> str | None:
    """The template of an object, as Helm 4 notes it."""
    annotations = get(tree, ("metadata", "annotations"), None)
    return annotations.get(_NOTE) if annotations.__class__ is dict else None


def _item(file: str, tree: Tree, text: str) -> HostItem:
    name = f"{file} ({get(tree, ('metadata', 'name'), '')})"
    if _noted(tree) is None:
        return HostItem(name, tree, text)
    # A setting of an experiment applies to all its objects.
    annotations = {key: value for key, value in tree["metadata"]["annotations"].items() if key != _NOTE}
    return HostItem(name, {**tree, "metadata": {**tree["metadata"], "annotations": annotations}})


def _in_order(objects: Sequence[Tree]) -> list[Tree]:
    """The objects, with runtimes where Helm 4 cannot sort them behind what needs them."""
    runtimes = [tree for tree in objects if is_runtime(tree)]
    others = [tree for tree in objects if not is_runtime(tree)]
    return [{"apiVersion": "v1", "kind": "List", "items": runtimes}, *others] if runtimes else others
