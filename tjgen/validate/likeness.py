"""An object -> a text that is the same for objects whose pods the server judges alike.

Runs of one experiment differ in texts that may be anything: images, arguments, values of variables. What stands in them is
left out here, so that of a thousand runs a few are looked at closely.
"""

from __future__ import annotations

from tjgen.fields.path import Tree
from tjgen.k8s.syntax import label_value

_FREE = ("claimName", "image", "server", "value", "workingDir")
"""Fields of pods that hold any text; an empty one is another thing, and so is one with a blank."""
_LISTS = ("args", "command")
_PLAIN = " \t\n\r"


def likeness(tree: Tree) -> str:
    """The text."""
    return repr(_masked(tree, ""))


def _masked(value: Tree, name: str) -> Tree:
    if value.__class__ is dict:
        if name == "labels":
            return {key: _free(text) if not label_value(str(text)) else text for key, text in value.items()}
        return {key: _masked(item, key) for key, item in value.items()}
    if value.__class__ is list:
        return [_free(item) if name in _LISTS else _masked(item, "") for item in value]
    return _free(value) if name in _FREE else value


def _free(value: Tree) -> Tree:
    """A text as far as it matters: whether there is one, and whether it is clean at both ends."""
    return (bool(value), value.strip(_PLAIN) == value) if value.__class__ is str else value
