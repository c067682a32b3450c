"""ConfigMaps and Secrets as sources of volumes: both are files from the keys of an object."""

from __future__ import annotations

from collections.abc import Callable

from tjgen.compiler.volumes.protocol import (
    BY_KUBELET,
    EVERY_POD,
    NOTHING,
    ClaimSpecs,
    Label,
    Source,
    any_node,
    filled,
    no_objects,
    no_problems,
    no_storage,
    not_shared,
    present,
    unlimited,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Files, Volume
from tjgen.trees.fields.path import Tree


def key_source(field: str, *, name_field: str, kind: str, files_of: Callable[[Volume], Files | None]) -> Source:
    """The source of volumes that hold the keys of an object of `kind`.

    `field` is its name in the language and in pods, `name_field` the field of the pod's volume that names the object.
    """

    def pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
        files = files_of(volume)
        assert files is not None
        return {name_field: files.name, **_key_files(files)}

    def imported(value: Tree) -> Tree | None:
        return _imported_files(value.get(name_field), value)

    def label(value: Tree, claims: ClaimSpecs) -> Label:
        return Label(f"{kind} {value.get(name_field, '')}", "")

    return Source(
        field=field,
        pod_field=field,
        pod_source=pod_source,
        objects=no_objects,
        node_selector=any_node,
        storage=no_storage,
        shared_as=not_shared,
        reach=EVERY_POD,
        read_only=BY_KUBELET,
        filled_by=NOTHING,
        is_filled=filled,
        is_chowned=False,
        size_limit=unlimited,
        replaceable=None,
        driver=None,
        problems=no_problems,
        imported=imported,
        label=label,
    )


def _key_files(files: Files) -> dict[str, Tree]:
    """The fields of the pod's volume without the name of the object."""
    items = [{"key": key, "path": path} for key, path in files.items.items()]
    return present(items=items or None, defaultMode=files.default_mode, optional=files.optional)


def _imported_files(name: Tree, value: Tree) -> Tree:
    """The object's name and the fields of the pod's volume, as the language writes them."""
    items = {item.get("key"): item.get("path") for item in value.get("items") or []}
    given = present(items=items or None, defaultMode=value.get("defaultMode"), optional=value.get("optional"))
    return {"name": name, **given} if given else name
