"""What an experiment gives, and what it should give -> the patch that makes the one the other."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities

_OURS = (("spec", "runtimeRef"),)
"""What a build decides, by the runtime that the experiment names."""


def residue(built: Tree, wanted: Tree) -> list[Tree]:
    """Return the operations of a JSON patch on the spec; none if both are equal."""
    given, wanted_fields = ({"spec": with_canonical_quantities(stated(tree.get("spec") or {}))} for tree in (built, wanted))
    return list(_operations(given, wanted_fields, ()))


def stated(value: Tree) -> Tree:
    """Return a value without nulls, which an API server treats as absent."""
    if value.__class__ is dict:
        return {key: stated(item) for key, item in value.items() if item is not None}
    return [stated(item) for item in value] if value.__class__ is list else value


def in_order_of(wanted: Tree, built: Tree) -> Tree:
    """Return `wanted` with its variables in the order of `built` where the order has no effect."""
    if wanted.__class__ is not dict or built.__class__ is not dict:
        return wanted
    return {
        key: built[key] if key == "env" and _have_same_variables(value, built.get(key)) else in_order_of(value, built.get(key))
        for key, value in wanted.items()
    }


def _have_same_variables(one: Tree, other: Tree) -> bool:
    by_name = _by_name(stated(one))
    return by_name is not None and by_name == _by_name(other)


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


def _by_name(variables: Tree) -> dict[str, Tree] | None:
    """Variables whose order has no effect, by their names; None if one refers to another or occurs twice."""
    if variables.__class__ is not list or "$(" in str(variables):
        return None
    by_name = {str(get(variable, ("name",), None)): variable for variable in variables}
    return by_name if len(by_name) == len(variables) else None


def _pointer(path: tuple[str, ...]) -> str:
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path)
