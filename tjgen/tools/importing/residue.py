"""What an experiment gives, and what it should give -> the patch that makes the one the other."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import find
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities

_OURS = (("spec", "runtimeRef"),)
"""What a build decides, by the runtime that the experiment names."""


def residue(built: Tree, wanted: Tree) -> list[Tree]:
    """Return the operations of a JSON patch on the spec; none if a cluster stores both as equal."""
    given, wanted_fields = ({"spec": with_canonical_quantities(stated(tree.get("spec") or {}))} for tree in (built, wanted))
    schema = find(str(wanted.get("apiVersion")), str(wanted.get("kind"))) or {}
    stored = [with_defaults(tree, schema) for tree in (given, wanted_fields)]
    return [one for one in _operations(given, wanted_fields, ()) if not _is_default(one, *stored)]


def stated(value: Tree) -> Tree:
    """Return a value without nulls, which an API server treats as absent."""
    if value.__class__ is dict:
        return {key: stated(item) for key, item in value.items() if item is not None}
    return [stated(item) for item in value] if value.__class__ is list else value


def _is_default(operation: Tree, given: Tree, wanted: Tree) -> bool:
    """Whether the API server stores the same value in both without the operation: it sets a default."""
    path = tuple(step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:])
    return bool(operation["op"] != "replace" and get(given, path) == get(wanted, path))


def _operations(given: Tree, wanted: Tree, path: tuple[str, ...]) -> Iterator[Tree]:
    for key in [*wanted, *(key for key in given if key not in wanted)]:
        location = (*path, key)
        if location in _OURS:
            continue
        if key not in wanted:
            yield {"op": "remove", "path": _pointer(location)}
        elif key not in given:
            yield {"op": "add", "path": _pointer(location), "value": wanted[key]}
        elif given[key].__class__ is dict and wanted[key].__class__ is dict:
            yield from _operations(given[key], wanted[key], location)
        elif given[key] != wanted[key] or given[key].__class__ is not wanted[key].__class__:
            yield {"op": "replace", "path": _pointer(location), "value": wanted[key]}


def _pointer(path: tuple[str, ...]) -> str:
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path)
