"""Objects that a controller creates from one object and that differ only by their number, such as the pods of a Job."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.placeholders import PLACEHOLDER_UID
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import MappingProxyType, NamedTuple


class Series(NamedTuple):
    """Objects that one controller creates from one object."""

    manager: str
    """The controller, as `tjgen explain` names it."""
    prefix: str
    """The name of an object without its number and random characters."""
    number: int
    """How many there are: at least one."""
    build: Callable[[int], Tree]
    """Ordinal from 0 -> the object. It has `generateName` if the API server completes its name."""
    source: FieldPath | None = None
    """Path of the template in the object that they are created from: a field of them comes from this path and its own."""
    copied: Mapping[FieldPath, FieldPath] = MappingProxyType({})
    """Fields of them without a template -> the fields of that object that they are copied from."""

    @property
    def kind(self) -> str:
        """The kind of the objects."""
        return str(self.build(0)["kind"])


def single(manager: str, tree: Tree, source: FieldPath | None = None) -> Series:
    """A series of one object."""
    return Series(manager, str(tree["metadata"]["name"]), 1, lambda _: tree, source)


def owned_by(tree: Tree) -> list[Tree]:
    """The reference of `metav1.NewControllerRef`."""
    reference = {"apiVersion": tree["apiVersion"], "kind": tree["kind"], "name": generated(tree["metadata"])}
    return [{**reference, "uid": uid_of(tree), "blockOwnerDeletion": True, "controller": True}]


def uid_of(tree: Tree) -> str:
    """The UID of an object; a placeholder for one that the API server has not stored."""
    return tree["metadata"].get("uid") or PLACEHOLDER_UID


def metadata_of(tree: Tree, name: str) -> dict[str, Tree]:
    """Name and namespace of an object that the controller of `tree` creates."""
    namespace = tree["metadata"].get("namespace")
    return {"name": name, **({"namespace": namespace} if namespace else {})}


def copied_metadata(template: Tree) -> dict[str, Tree]:
    """The metadata that a pod takes over from its template."""
    given = template.get("metadata") or {}
    return {key: given[key] for key in ("labels", "annotations", "finalizers") if given.get(key)}
