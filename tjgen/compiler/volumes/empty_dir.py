"""`emptyDir`: an empty directory that lives as long as its pod."""

from __future__ import annotations

from tjgen.compiler.volumes.protocol import (
    AS_WRITTEN,
    NOTHING,
    OF_POD,
    ClaimSpecs,
    Label,
    Source,
    any_node,
    empty,
    no_objects,
    no_problems,
    no_storage,
    not_shared,
    present,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import EmptyDir, Volume
from tjgen.trees.fields.path import Tree


def _of(volume: Volume) -> EmptyDir:
    assert volume.empty_dir is not None
    return volume.empty_dir


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    limit = _of(volume).size_limit
    return present(medium=_of(volume).medium, sizeLimit=text(limit) if limit is not None else None)


def _size_limit(volume: Volume) -> tuple[str, str | int | float] | None:
    limit = _of(volume).size_limit
    return ("emptyDir.sizeLimit", limit) if limit is not None else None


def _imported(value: Tree) -> Tree | None:
    return value if value.keys() <= {"medium", "sizeLimit"} else None


def _label(value: Tree, claims: ClaimSpecs) -> Label:
    medium = "memory" if value.get("medium") == "Memory" else "disk of the node"
    return Label(medium, str(value.get("sizeLimit") or ""))


SOURCE = Source(
    field="emptyDir",
    pod_field="emptyDir",
    pod_source=_pod_source,
    objects=no_objects,
    node_selector=any_node,
    storage=no_storage,
    shared_as=not_shared,
    reach=OF_POD,
    read_only=AS_WRITTEN,
    filled_by=NOTHING,
    is_filled=empty,
    is_chowned=True,
    size_limit=_size_limit,
    replaceable=None,
    driver=None,
    problems=no_problems,
    imported=_imported,
    label=_label,
)
