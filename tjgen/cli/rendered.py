"""Folders of a command line -> the files in them that kustomize or Helm reads, and that are not manifests themselves.

A patch, the input of a generator, and a template of a chart mean nothing to an API server. What is rendered of them does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from tjgen.cli.folders import ENDINGS
from tjgen.cli.inputs import Listed
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml")
CHART = "Chart.yaml"
_ENTRIES = (*KUSTOMIZATIONS, CHART)
_KINDS = {
    "patches": ("patches", "patchesStrategicMerge", "patchesJson6902"),
    "generator inputs": ("configMapGenerator", "secretGenerator"),
    "configurations": ("configurations", "generators", "openapi", "replacements", "transformers", "validators"),
}
"""What a file is to kustomize -> the fields of kustomization.yaml that name such files."""
_LISTS = ("envs", "files")


class RenderedFiles(NamedTuple):
    """Files that are not manifests, and the folders of charts."""

    files: frozenset[str]
    charts: tuple[str, ...]
    notes: list[Diagnostic]
    """TJ547 for each kustomization and each chart."""

    def has(self, file: str) -> bool:
        """Whether a renderer reads the file, so that its own text is not a manifest."""
        if not self.files and not self.charts:
            return False
        path = os.path.abspath(file)
        return path in self.files or any(path.startswith(chart + os.sep) for chart in self.charts)


def rendered(folders: Listed, sandbox: Sandbox) -> RenderedFiles:
    """What kustomizations and charts below the folders read."""
    files_below = [file for listed_files in folders.values() for file in listed_files if isinstance(file, str)]
    listed_files = [file for file in files_below if file.endswith(_ENTRIES) and os.path.basename(file) in _ENTRIES]
    charts = _outermost([os.path.dirname(file) for file in listed_files if os.path.basename(file) == CHART])
    notes = [_note(chart, "a Helm chart", f"helm template {chart}") for chart in charts]
    files: set[str] = set()
    kept: set[str] = set()
    places = tuple(map(os.path.abspath, charts))
    for file in listed_files:
        if os.path.basename(file) == CHART or os.path.abspath(file).startswith(tuple(place + os.sep for place in places)):
            continue
        folder = os.path.dirname(file)
        inputs = {path: kind for tree in _documents(file, sandbox) for path, kind in _inputs(tree, folder)}
        files |= {os.path.abspath(file), *inputs}
        kept |= {path for tree in _documents(file, sandbox) for path in _resources(tree, folder)}
        if inputs:
            counts = [(list(inputs.values()).count(kind), kind) for kind in _KINDS]
            what = ", ".join(f"{kind}: {count}" for count, kind in counts if count)
            notes.append(_note(folder, f"input of kustomize ({what})", f"kustomize build {folder or '.'}"))
    return RenderedFiles(frozenset(files - kept), places, notes)


def outside_charts(
    contents: Iterator[tuple[str, bytes]], folders: Listed, sandbox: Sandbox, add: Callable[[list[Diagnostic]], None]
) -> Iterator[tuple[str, bytes]]:
    """The files that are not part of a Helm chart, and no template of Helm. `add` gets TJ547 for what is left out."""
    every = rendered(folders, sandbox)
    charts = every._replace(files=frozenset(), notes=every.notes[: len(every.charts)])
    add(charts.notes)
    prefixes = tuple([os.path.join(folder, "") for folder in folders])
    for file, content in contents:
        is_below = file.startswith(prefixes)
        if is_below and charts.has(file):
            continue
        if is_below and is_template(content, file):
            add([template_note(file)])
        else:
            yield file, content


def is_template(content: bytes, file: str) -> bool:
    """Whether the text is a template of Helm: it has actions in double braces, and is not YAML because of them."""
    if b"{{" not in content:
        return False
    return any(one.severity == "error" for one in read(content, file, KUBERNETES)[1])


def template_note(file: str) -> Diagnostic:
    """TJ547 for a template outside the folder of a chart."""
    return _note(file, "a Helm template", "helm template CHART")


def _outermost(folders: Sequence[str]) -> list[str]:
    """The charts that are not part of another one."""
    return [one for one in folders if not any(one != other and one.startswith(other + os.sep) for other in folders)]


def _documents(file: str, sandbox: Sandbox) -> Iterator[dict[str, Tree]]:
    content = sandbox.content(file)
    if isinstance(content, bytes):
        for document in read(content, file, KUBERNETES)[0]:
            if document.value.__class__ is dict:
                yield document.value


def _inputs(tree: dict[str, Tree], folder: str) -> Iterator[tuple[str, str]]:
    """Each file that a kustomization names, and what it is to kustomize."""
    for kind, fields in _KINDS.items():
        for field in fields:
            value = tree.get(field)
            for entry in value if value.__class__ is list else [value]:
                for path in _paths(entry):
                    if path.endswith(ENDINGS):
                        yield os.path.abspath(os.path.join(folder, path)), kind


def _paths(entry: Tree) -> Iterator[str]:
    if entry.__class__ is str:
        yield from _path(entry)
        return
    if entry.__class__ is not dict:
        return
    yield from _path(entry.get("path"))
    yield from _path(entry.get("env"))
    for name in _LISTS:
        items = entry.get(name)
        for item in items if items.__class__ is list else ():
            yield from _path(item.partition("=")[2] or item if item.__class__ is str else None)


def _path(text: Tree) -> Iterator[str]:
    # An entry may hold the patch itself.
    if text.__class__ is str and text and "\n" not in text and "\0" not in text:
        yield text


def _resources(tree: dict[str, Tree], folder: str) -> Iterator[str]:
    for field in ("resources", "bases"):
        value = tree.get(field)
        for entry in value if value.__class__ is list else ():
            for path in _path(entry):
                yield os.path.abspath(os.path.join(folder, path))


def _note(place: str, what: str, command: str) -> Diagnostic:
    message = f"{place or '.'} contains {what}, which is not checked as manifests"
    return Diagnostic("TJ547", message, hint=f"check what it renders: {command} | tjgen check -")
