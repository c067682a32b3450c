"""What ConfigMaps and Secrets have in common as volumes: files made of their keys."""

from __future__ import annotations

from tjgen.compiler.volumes.protocol import present
from tjgen.language.spec.objects import Files
from tjgen.trees.fields.path import Tree


def key_files(files: Files) -> dict[str, Tree]:
    """The fields of the pod's volume, but for the name of the object."""
    items = [{"key": key, "path": path} for key, path in files.items.items()]
    return present(items=items or None, defaultMode=files.default_mode, optional=files.optional)


def imported_files(name: Tree, value: Tree) -> Tree:
    """The object's name and the fields of the pod's volume, in the words of the language."""
    items = {item.get("key"): item.get("path") for item in value.get("items") or []}
    given = present(items=items or None, defaultMode=value.get("defaultMode"), optional=value.get("optional"))
    return {"name": name, **given} if given else name
