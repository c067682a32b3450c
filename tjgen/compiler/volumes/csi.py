"""`csi`: a volume that a CSI driver makes for each pod, often a mount of storage that the attributes name."""

from __future__ import annotations

from tjgen.compiler.volumes.protocol import (
    ALSO_IN_SOURCE,
    BY_DRIVER,
    NOTHING,
    ClaimSpecs,
    Label,
    Source,
    Storage,
    any_node,
    filled,
    no_objects,
    no_problems,
    not_shared,
    present,
    unlimited,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Csi, Volume
from tjgen.trees.fields.path import Tree


def _of(volume: Volume) -> Csi:
    assert volume.csi is not None
    return volume.csi


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    inline = _of(volume)
    return present(
        driver=inline.driver,
        fsType=inline.fs_type,
        readOnly=volume.read_only or None,
        volumeAttributes=dict(inline.attributes) or None,
        nodePublishSecretRef={"name": inline.secret} if inline.secret is not None else None,
    )


def _storage(name: str, volume: Volume, setting: Setting) -> Storage | None:
    attributes = [f"{key}={value}" for key, value in sorted(_of(volume).attributes.items())]
    return Storage(("csi", _of(volume).driver, *attributes), "")


def _driver(volume: Volume, setting: Setting) -> str:
    return str(_of(volume).driver)


def _label(value: Tree, claims: ClaimSpecs) -> Label:
    return Label(f"driver {value.get('driver', '')}", "")


SOURCE = Source(
    field="csi",
    pod_field="csi",
    pod_source=_pod_source,
    objects=no_objects,
    node_selector=any_node,
    storage=_storage,
    shared_as=not_shared,
    reach=BY_DRIVER,
    read_only=ALSO_IN_SOURCE,
    filled_by=NOTHING,
    is_filled=filled,
    is_chowned=False,
    size_limit=unlimited,
    replaceable=None,
    driver=_driver,
    problems=no_problems,
    imported=None,
    label=_label,
)
