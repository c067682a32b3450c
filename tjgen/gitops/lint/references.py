"""An object -> the other objects that it names in its pods: claims, ConfigMaps and Secrets, wherever pods stand in it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint.kinds import CLAIM, CONFIGMAP, SECRET, TRAINJOB
from tjgen.gitops.lint.scene import Item, Kind, Scene
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import NamedTuple

_FIELDS: dict[str, tuple[Kind, str]] = {
    "persistentVolumeClaim": (CLAIM, "claimName"),
    "configMap": (CONFIGMAP, "name"),
    "configMapRef": (CONFIGMAP, "name"),
    "configMapKeyRef": (CONFIGMAP, "name"),
    "secret": (SECRET, "secretName"),
    "secretRef": (SECRET, "name"),
    "secretKeyRef": (SECRET, "name"),
}
"""A field of pods that names an object -> its kind, and the field of the name."""


class Reference(NamedTuple):
    """An object that is named, and where."""

    kind: Kind
    name: str
    path: FieldPath


def references(tree: Tree, path: FieldPath = ()) -> Iterator[Reference]:
    """Everything that `tree` names. The sources of a projected volume name what they read like variables do."""
    if tree.__class__ is dict:
        for key, value in tree.items():
            if value.__class__ is dict:
                if key in _FIELDS:
                    kind, field = _FIELDS[key]
                    name = value.get(field) or value.get("name")
                    if name.__class__ is str:
                        yield Reference(kind, str(name), (*path, key))
                yield from references(value, (*path, key))
            elif value.__class__ is list:
                yield from references(value, (*path, key))
    elif tree.__class__ is list:
        for position, item in enumerate(tree):
            if item.__class__ is dict or item.__class__ is list:
                yield from references(item, (*path, position))


def named_by(scene: Scene, item: Item) -> list[Reference]:
    """What an object names in its `spec`, and what a TrainJob names through its runtime; the paths are those of the object."""
    found = list(_own(item))
    runtime = scene.runtime_of(item) if item.kind == TRAINJOB else None
    if runtime is not None:
        found += [one._replace(path=("spec", "runtimeRef")) for one in _own(runtime)]
    return found


def _own(item: Item) -> Iterator[Reference]:
    return references(item.tree.get("spec"), ("spec",))


class Users:
    """Who names what in a scene. A runtime is no user: it has no pods without a run."""

    def __init__(self, scene: Scene, *kinds: Kind) -> None:
        self._found: dict[tuple[Kind, str, str], list[tuple[Item, FieldPath]]] = {}
        for item in scene.items:
            if item.kind[0] == TRAINJOB[0] and item.kind != TRAINJOB:
                continue
            for one in named_by(scene, item):
                if not kinds or one.kind in kinds:
                    self._found.setdefault((one.kind, item.namespace, one.name), []).append((item, one.path))

    def of(self, item: Item) -> list[tuple[Item, FieldPath]]:
        """The objects that name `item`, each with the place."""
        return self._found.get(item.identity, [])
