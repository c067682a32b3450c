"""Fields of manifests -> their values without secrets, for everything that is printed."""

from __future__ import annotations

from tjgen.trees.diagnostics import credentials
from tjgen.trees.diagnostics.suspected import is_suspected
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.placeholders import RANDOM

HIDDEN = "********"
_OF_SECRET = ("data", "stringData")


def without_secrets(value: Tree, path: FieldPath, kind: str = "") -> Tree:
    """The value at `path` of an object of `kind`: asterisks instead of secrets, passwords, private keys and tokens."""
    if kind == "Secret" and path and path[0] in _OF_SECRET:
        return _hidden(value)
    if value.__class__ is str:
        name = _variable(path)
        return HIDDEN if name is not None and is_suspected(name, value) else credentials.concealed(value)
    if value.__class__ is dict:
        named = value.get("name") if value.get("value").__class__ is str else None
        steps = {"value": (*path, (("name", named),), "value")} if named.__class__ is str else {}
        return {key: without_secrets(one, steps.get(key, (*path, key)), kind) for key, one in value.items()}
    if value.__class__ is list:
        return [without_secrets(one, (*path, number), kind) for number, one in enumerate(value)]
    return value


def _variable(path: FieldPath) -> str | None:
    """The name of the variable whose value is at `path`."""
    step = path[-2] if len(path) > 1 and path[-1] == "value" else None
    if not isinstance(step, tuple):
        return None
    return next((str(text) for key, text in step if key == "name"), None)


def _hidden(value: Tree) -> Tree:
    if value.__class__ is dict:
        return {key: _hidden(one) for key, one in value.items()}
    return HIDDEN if value.__class__ is str and value not in ("", RANDOM) else value
