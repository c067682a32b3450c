"""An object -> a text that is the same for objects that the server and its webhooks judge alike.

Runs of one experiment differ in texts that may be anything, such as images, arguments and values of variables, and in names. What
a text says, and which names were chosen, is left out here; that two of them are the same name, and how long they are, is kept.
So of a thousand runs a few are looked at closely.
"""

from __future__ import annotations

import re

from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.syntax import label_value

_FREE = ("claimName", "image", "server", "workingDir")
"""Fields of pods that hold any text; an empty one is another thing, and so is one with a blank."""
_LISTS = ("args", "command")
_MAPS = ("annotations", "labels")
_KEPT = ("apiVersion", "kind", "runtimeRef")
"""What decides which rules hold."""
_PLAIN = " \t\n\r"
_LONG = 200
"""Longer texts are taken as they are: there are limits beyond."""
_CHOSEN = re.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*-[a-z0-9]*[0-9][a-z0-9]*")
"""A name of several words with a digit in the last one: no word that a rule could be about."""
_SIZE = re.compile("[1-9][0-9]{0,8}[KMGT]i?")


def likeness(tree: Tree) -> str:
    """The text."""
    names: dict[str, str] = {}
    masked = repr(_masked(tree, "", names))
    name = get(tree, ("metadata", "name"), None)
    # The name of the object stands in others, and in paths.
    return masked.replace(name, f"<{len(name)}>") if name.__class__ is str and name in names else masked


def _masked(value: Tree, key: str, names: dict[str, str]) -> Tree:
    if value.__class__ is str:
        return _free(value) if key in _FREE else _name(value, names)
    if value.__class__ is dict:
        if key in _MAPS:
            return {one: _text(one, text, key, names) for one, text in value.items()}
        if key == "env":
            return {one: _free(item) if one == "value" else _masked(item, one, names) for one, item in value.items()}
        if key == "resources" and list(value) == ["requests"] and value["requests"].__class__ is dict:
            return [(one, _size(item) if one == "storage" else item) for one, item in value["requests"].items()]
        return {one: item if one in _KEPT else _masked(item, one, names) for one, item in value.items()}
    if value.__class__ is list:
        if key in _LISTS:
            return [_free(item) for item in value]
        return [_masked(item, key if key == "env" else "", names) for item in value]
    return value


def _name(text: str, names: dict[str, str]) -> str:
    """A chosen name as its turn in the object and its length; any other text as it is."""
    if "-" not in text or _CHOSEN.fullmatch(text) is None:
        return text
    return names.setdefault(text, f"<{len(names)}:{len(text)}>")


def _text(key: str, text: Tree, where: str, names: dict[str, str]) -> Tree:
    """A label or annotation: what its owner made up may be anything, what another project reads may not."""
    if text.__class__ is not str:
        return text
    if "/" in key and not key.startswith("tjgen.dev/"):
        return _name(text, names)
    return text if where == "labels" and label_value(text) else _free(text)


def _size(value: Tree) -> Tree:
    """The size of a claim, which is compared with nothing where the claim has no limit."""
    return "*" if value.__class__ is str and _SIZE.fullmatch(value) is not None else value


def _free(value: Tree) -> Tree:
    """A text as far as it matters: whether there is one, and whether it is clean at both ends."""
    if value.__class__ is not str or len(value) > _LONG:
        return value
    return (bool(value), value.strip(_PLAIN) == value)
