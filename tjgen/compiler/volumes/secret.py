"""`secret`: the keys of a Secret, as files."""

from __future__ import annotations

from tjgen.compiler.volumes.key_files import imported_files, key_files
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
    unlimited,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Volume
from tjgen.trees.fields.path import Tree


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.secret is not None
    return {"secretName": volume.secret.name, **key_files(volume.secret)}


def _imported(value: Tree) -> Tree | None:
    return imported_files(value.get("secretName"), value)


def _label(value: Tree, made: ClaimSpecs) -> Label:
    return Label(f"Secret {value.get('secretName', '')}", "")


SOURCE = Source(
    field="secret",
    pod_field="secret",
    pod_source=_pod_source,
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
    imported=_imported,
    label=_label,
)
