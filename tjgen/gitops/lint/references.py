"""An object of a scene -> the claims, ConfigMaps and Secrets that it names in its pods, and the objects that name one."""

from __future__ import annotations

from tjgen.cluster.validate.references import ObjectReference, references
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.scene import AppliedObject, Kind, Scene
from tjgen.trees.fields.path import FieldPath


def named_by(scene: Scene, item: AppliedObject) -> list[ObjectReference]:
    """What an object names in its `spec`, and what a TrainJob names through its runtime; the paths are those of the object."""
    references = list(_own(item))
    runtime = scene.runtime_of(item) if item.kind == TRAINJOB else None
    if runtime is not None:
        references += [one._replace(path=("spec", "runtimeRef")) for one in _own(runtime)]
    return references


def _own(item: AppliedObject) -> list[ObjectReference]:
    return list(references(item.tree.get("spec"), ("spec",)))


class Users:
    """Who names what in a scene. A runtime is not a user: it has no pods without a run."""

    def __init__(self, scene: Scene, *kinds: Kind) -> None:
        self._by_identity: dict[tuple[Kind, str, str], list[tuple[AppliedObject, FieldPath]]] = {}
        for item in scene.items:
            if item.kind[0] == TRAINJOB[0] and item.kind != TRAINJOB:
                continue
            for one in named_by(scene, item):
                if not kinds or one.kind in kinds:
                    self._by_identity.setdefault((one.kind, item.namespace, one.name), []).append((item, one.path))

    def of(self, item: AppliedObject) -> list[tuple[AppliedObject, FieldPath]]:
        """The objects that name `item`, each with the place."""
        return self._by_identity.get(item.identity, [])
