"""A name, as of a variable, a volume or a limit -> the places in a manifest that have it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.explain.report import Explained
from tjgen.trees.fields.path import FieldPath, Step, parse
from tjgen.trees.typing import NamedTuple

NOUNS = {
    "env": "variable",
    "volumes": "volume",
    "volumeMounts": "volume",
    "containers": "container",
    "initContainers": "container",
    "replicatedJobs": "job",
    "limits": "limit",
    "requests": "request",
    "minResources": "request",
    "labels": "label",
    "matchLabels": "label",
    "annotations": "annotation",
    "data": "file",
    "ports": "port",
}
"""Field that holds named things -> what one of them is called."""
FIELD = "field"


class NamedPart(NamedTuple):
    """One named thing of a manifest."""

    noun: str
    name: str
    path: FieldPath
    """Where it is: the element of a list, or the entry of a map."""


def named(path: FieldPath, value: object) -> Iterator[NamedPart]:
    """The things that a leaf is a part of, outermost first."""
    for length in range(1, len(path) + 1):
        step, field = path[length - 1], path[length - 2] if length > 1 else ""
        noun = NOUNS.get(field, FIELD) if isinstance(field, str) else FIELD
        if isinstance(step, str):
            yield NamedPart(noun, step, path[:length])
        elif noun != FIELD and (name := _name_of(step)) is not None:
            yield NamedPart(noun, name, path[:length])
        elif noun != FIELD and path[length:] == ("name",):
            # A mount is identified by its path, and has the name of its volume.
            yield NamedPart(noun, str(value), path[:length])


def _name_of(step: Step) -> str | None:
    if isinstance(step, tuple):
        for key, value in step:
            if key == "name":
                return str(value)
    return None


def path_of(text: str) -> FieldPath | None:
    """The path that a text with a dot is; None for other texts."""
    try:
        return parse(text) if "." in text else None
    except ValueError:
        return None


def places(leaves: list[Explained], noun: str, name: str) -> dict[NamedPart, list[Explained]]:
    """Return each part with this name, or with this path -> its leaves; `noun` "" matches any."""
    by_name: dict[NamedPart, list[Explained]] = {}
    path = path_of(name)
    by_path = {
        one.path: one
        for leaf in leaves
        for one in named(leaf.path, leaf.value)
        if (one.name == name or one.path == path) and noun in ("", one.noun)
    }
    for leaf in leaves:
        for length in range(1, len(leaf.path) + 1):
            if leaf.path[:length] in by_path:
                by_name.setdefault(by_path[leaf.path[:length]], []).append(leaf)
    return by_name
