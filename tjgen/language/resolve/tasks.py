"""A merged experiment with tasks -> the experiment of each task: the task's values over the experiment's values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.language.resolve.layers import Layer, merged, part
from tjgen.language.resolve.places import without_value
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import FieldPath, Tree, get, render
from tjgen.trees.source.document import Document

TASKS: FieldPath = ("spec", "tasks")
MANAGER = "task"
_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?\Z")


def names(tree: Tree) -> list[str]:
    """The names of the tasks, sorted: their order is that of their slices. None if there are no tasks."""
    return sorted(get(tree, TASKS, None) or ())


def at(tree: Managed, name: str, base: Managed) -> Managed:
    """Return the experiment of one task of `tree`: the task's values over `base`.

    Each value keeps the document that sets it, also that of an overlay.
    """
    layers = []
    at_task = (*TASKS, name)
    for path, value in _leaves(get(tree.value, at_task, {}), ()):
        origin = tree.origins((*at_task, *path))[-1]
        layers.append(Layer(MANAGER, origin.source, (part(("spec", *path), value, origin.because),)))
    return merged(base, layers)[0]


def misnamed(tree: Tree) -> list[Diagnostic]:
    """Tasks whose name cannot be part of a run's name."""
    return [
        Diagnostic(
            "TJ351",
            f'"{name}" is not a valid task name: it becomes part of the name of its run',
            path=(*TASKS, name),
            hint="use lower-case letters, digits and '-', beginning with a letter",
        )
        for name in names(tree)
        if not _NAME.match(name)
    ]


def empty(document: Document) -> list[Diagnostic]:
    """TJ366 for tasks without a value."""
    return without_value(
        document, TASKS, "TJ366", "task", lambda name: f"write {name}: {{}} for a task without changes to the experiment"
    )


def swept(tree: Tree, name: str, paths: list[FieldPath]) -> list[Diagnostic]:
    """Return fields of a task that the sweep of the experiment would set too."""
    task = get(tree, (*TASKS, name), {})
    return [
        Diagnostic(
            "TJ352",
            f'task "{name}" and the sweep both set {render(path[1:])}',
            path=(*TASKS, name, *path[1:]),
            hint="set it in only one of them",
        )
        for path in paths
        if path[0] == "spec" and get(task, path[1:], None) is not None
    ]


def _leaves(tree: Tree, path: FieldPath) -> Iterator[tuple[FieldPath, Tree]]:
    """Yield the leaves of nested maps; an empty map is a leaf too."""
    if tree.__class__ is dict and (tree or not path):
        for key, value in tree.items():
            yield from _leaves(value, (*path, key))
    else:
        yield path, tree
