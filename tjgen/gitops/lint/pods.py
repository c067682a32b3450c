"""An item -> its containers, with their paths, for pods at any depth; and their images."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.scene import AppliedObject
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import Any

_LISTS = ("containers", "initContainers")


def containers(item: AppliedObject) -> Iterator[tuple[FieldPath, dict[str, Any]]]:
    """Return every container, and the trainer and initializers of a TrainJob, each of which represents one."""
    if item.kind == TRAINJOB:
        for path in (("spec", "trainer"), ("spec", "initializer", "dataset"), ("spec", "initializer", "model")):
            pod_containers = item.map(*path)
            if pod_containers:
                yield path, pod_containers
    for place in _paths(item.tree):
        yield place, get(item.tree, place)


def images(item: AppliedObject) -> Iterator[tuple[FieldPath, str]]:
    """Every image that is named."""
    for path, container in containers(item):
        image = container.get("image")
        if image.__class__ is str and image:
            yield (*path, "image"), str(image)


def strings(tree: Tree, path: FieldPath = ()) -> Iterator[tuple[FieldPath, str]]:
    """Every text of a tree, with its place."""
    if tree.__class__ is str:
        yield path, str(tree)
    elif tree.__class__ is dict:
        for key, value in tree.items():
            yield from strings(value, (*path, key))
    elif tree.__class__ is list:
        for position, value in enumerate(tree):
            yield from strings(value, (*path, position))


def _paths(tree: Tree) -> list[FieldPath]:
    """The paths of the containers of a manifest."""
    return [path for path, _ in _below(tree.get("spec"), ("spec",))]


def _below(tree: Tree, path: FieldPath) -> Iterator[tuple[FieldPath, dict[str, Any]]]:
    if tree.__class__ is dict:
        for key, value in tree.items():
            if key in _LISTS and value.__class__ is list:
                for position, one in enumerate(value):
                    if one.__class__ is dict:
                        yield (*path, key, position), one
            elif value.__class__ is dict or value.__class__ is list:
                yield from _below(value, (*path, key))
    elif tree.__class__ is list:
        for position, value in enumerate(tree):
            if value.__class__ is dict:
                yield from _below(value, (*path, position))
