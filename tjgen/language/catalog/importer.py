"""Runtimes as `kubectl get -o yaml` prints them -> clean files of a catalog, marked as the cluster's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.language.catalog import problems
from tjgen.language.catalog.runtime import CLUSTER, ORIGIN, is_runtime
from tjgen.language.catalog.shape import faults
from tjgen.trees.diagnostics.model import Diagnostic, Span, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.files.regular import read_regular
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""A copy of the object that kubectl keeps in it: its values are in the spec already."""

_KEPT = ("name", "namespace", "labels")


class ImportedFile(NamedTuple):
    """A file to write into a catalog folder."""

    path: str
    """Relative to the folder: `<name>.yaml`, or `<namespace>/<name>.yaml` for a namespaced runtime."""
    text: str


def imported(text: str | bytes, file: str) -> tuple[list[ImportedFile], list[Diagnostic]]:
    """The catalog files for the runtimes in `text`: one object, a List, or a stream of either; other kinds are reported."""
    documents, diagnostics = read(text, file, KUBERNETES)
    files: dict[str, ImportedFile] = {}
    for document in documents:
        for path, item in _items(document):
            if not is_runtime(item):
                diagnostics.append(_skipped(item, document.locate((*path, "kind"))))
                continue
            runtime = cleaned(item)
            written = dump(runtime)
            # What would be written is judged, as a later build judges it, but shown where it came from.
            findings = [
                one._replace(span=document.locate((*path, *(one.path or ()))))
                for again in read(written, file, KUBERNETES)[0]
                for one in faults(again)
            ]
            diagnostics += findings
            if has_errors(findings):
                continue
            to = _path(runtime)
            if to in files:
                diagnostics.append(Diagnostic(problems.CLASH, f"{file} has two runtimes for {to}", span=document.locate(path)))
            files.setdefault(to, ImportedFile(to, written))
    if not files and not has_errors(diagnostics):
        diagnostics.append(
            Diagnostic(
                problems.NOTHING,
                f"{file} has no runtime",
                hint="import the output of: kubectl get clustertrainingruntimes -o yaml",
            )
        )
    return list(files.values()), diagnostics


def cleaned(tree: Tree) -> Tree:
    """Return a runtime without the fields that the cluster sets (status, uid, managed fields ...), marked as the cluster's."""
    metadata = tree.get("metadata")
    kept: Tree = {key: get(metadata, (key,)) for key in _KEPT if get(metadata, (key,), None)}
    annotations = get(metadata, ("annotations",), None)
    pairs = annotations.items() if annotations.__class__ is dict else ()
    kept["annotations"] = {**{key: value for key, value in pairs if key != _APPLIED}, ORIGIN: CLUSTER}
    return {"apiVersion": tree["apiVersion"], "kind": tree["kind"], "metadata": kept, "spec": _stated(tree.get("spec"))}


def clashes(directory: str, files: Sequence[ImportedFile]) -> Iterator[Diagnostic]:
    """Return the files in the folder that were not imported for the same runtime: they are handwritten."""
    for file in files:
        path = os.path.join(directory, file.path)
        try:
            before, _ = read(read_regular(path), file.path, KUBERNETES)
        except FileNotFoundError:
            continue
        except OSError as problem:
            yield Diagnostic(problems.CLASH, f"{file.path} cannot be replaced: {(problem.strerror or '').lower()}")
            continue
        if not (len(before) == 1 and is_runtime(before[0].value) and _is_imported(before[0].value)):
            yield Diagnostic(
                problems.CLASH,
                f"{file.path} already exists and was not imported",
                hint="move it away, or import into another folder",
            )


def _items(document: Document) -> Iterator[tuple[FieldPath, Tree]]:
    tree = document.value
    if tree.__class__ is dict and str(tree.get("kind", "")).endswith("List") and tree.get("items").__class__ is list:
        for position, item in enumerate(tree["items"]):
            yield ("items", position), item
    else:
        yield (), tree


def _skipped(item: Tree, span: Span | None) -> Diagnostic:
    kind = item.get("kind") if item.__class__ is dict else None
    what = f"an object of kind {kind}" if kind else "a value that is not an object"
    return Diagnostic(problems.STRANGER, f"{what} is not a runtime and is skipped", span=span)


def _path(runtime: Tree) -> str:
    metadata = runtime["metadata"]
    folder = f"{metadata['namespace']}/" if "namespace" in metadata else ""
    return f"{folder}{metadata['name']}.yaml"


def _is_imported(tree: Tree) -> bool:
    return bool(get(tree, ("metadata", "annotations", ORIGIN), None) == CLUSTER)


def _stated(value: Tree) -> Tree:
    """Return a value without nulls, which have no effect: Go prints `creationTimestamp: null` in every template."""
    if value.__class__ is dict:
        return {key: _stated(item) for key, item in value.items() if item is not None}
    if value.__class__ is list:
        return [_stated(item) for item in value]
    return value
