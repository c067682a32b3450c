"""A pod template, and a name for its main container -> the template with that name."""

from __future__ import annotations

from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree, named
from tjgen.trees.manifests.leaves import leaves

_REFERENCE = "containerName"


def renamed(
    template: Tree, owners: Owners, before: str, after: str, origins: tuple[tuple[Origin, ...], tuple[Origin, ...]]
) -> tuple[Tree, Owners]:
    """A pod template with a container under another name, also where that is referred to.

    `origins` are those of the container, and those of its new name.
    """
    template, owners = referring(template, owners, before, after, origins[1])
    spec = template["spec"]
    containers = [{**one, "name": after} if one.get("name") == before else one for one in spec["containers"]]
    old: FieldPath = ("spec", "containers", named(before))
    new: FieldPath = ("spec", "containers", named(after))
    moved = {(*new, *path[3:]) if path[:3] == old else path: known for path, known in owners.items()}
    moved.setdefault(new, origins[0])
    moved[(*new, "name")] = origins[1]
    return {**template, "spec": {**spec, "containers": containers}}, moved


def referring(tree: Tree, owners: Owners, before: str, after: str, origins: tuple[Origin, ...]) -> tuple[Tree, Owners]:
    """A tree with another `containerName`: of `resourceFieldRef` in variables and volumes, or of a failure policy.

    `origins` are those of the new name.
    """
    places = [path for path, value in leaves(tree) if path[-1:] == (_REFERENCE,) and value == before]
    return _replaced(tree, before, after), {**owners, **dict.fromkeys(places, origins)}


def _replaced(tree: Tree, before: str, after: str) -> Tree:
    if tree.__class__ is list:
        return [_replaced(one, before, after) for one in tree]
    if tree.__class__ is not dict:
        return tree
    return {
        key: after if key == _REFERENCE and value == before else _replaced(value, before, after) for key, value in tree.items()
    }
