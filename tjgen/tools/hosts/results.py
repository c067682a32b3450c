"""A diagnostic -> a result, as the specification of functions has it: message, severity, object, field, file."""

from __future__ import annotations

from tjgen.tools.hosts.items import HostItem
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get, render

_PATHS = ("internal.config.kubernetes.io/path", "config.kubernetes.io/path")
_INDEXES = ("internal.config.kubernetes.io/index", "config.kubernetes.io/index")


def result_of(diagnostic: Diagnostic, item: HostItem | None) -> Tree:
    """What is given back of a diagnostic about one of the objects, or about something else."""
    result: Tree = {"message": diagnostic.message, "severity": diagnostic.severity}
    if item is not None:
        tree = item.original or item.tree
        reference = {"apiVersion": tree.get("apiVersion"), "kind": tree.get("kind")}
        for key in ("namespace", "name"):
            value = get(tree, ("metadata", key), None)
            if value:
                reference[key] = value
        result["resourceRef"] = reference
        file = file_of(tree)
        if file:
            result["file"] = file
    elif diagnostic.span is not None:
        result["file"] = {"path": diagnostic.span.file}
    if diagnostic.path:
        result["field"] = {"path": render(diagnostic.path)}
    tags = {"code": diagnostic.code, "rule": diagnostic.name}
    if diagnostic.hint:
        tags["hint"] = diagnostic.hint
    return {**result, "tags": tags}


def file_of(tree: Tree) -> Tree:
    """The file that an object is from, by its annotations; None where it is from none."""
    annotations = annotations_of(tree)
    path = next((annotations[key] for key in _PATHS if key in annotations), None)
    index = next((annotations[key] for key in _INDEXES if key in annotations), None)
    if path is None:
        return None
    return {"path": path, "index": int(index)} if index is not None and str(index).isdigit() else {"path": path}


def annotations_of(tree: Tree) -> dict[str, str]:
    """The annotations of an object of any kind."""
    annotations = get(tree, ("metadata", "annotations"), None)
    return annotations if annotations.__class__ is dict else {}
