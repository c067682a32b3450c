"""`ephemeral`: a claim that is created with each pod and removed with it."""

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
from tjgen.compiler.volumes.pvc import claim_size
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Ephemeral, Volume
from tjgen.trees.fields.path import Tree, get


def _of(volume: Volume) -> Ephemeral:
    assert volume.ephemeral is not None
    return volume.ephemeral


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    spec = present(
        accessModes=_of(volume).access_modes or ["ReadWriteOnce"],
        resources={"requests": {"storage": text(_of(volume).size)}},
        storageClassName=_of(volume).storage_class_name,
    )
    return {"volumeClaimTemplate": {"spec": spec}}


def _size_limit(volume: Volume) -> tuple[str, str | int | float] | None:
    return "ephemeral.size", _of(volume).size


def _label(value: Tree, claims: ClaimSpecs) -> Label:
    return Label("claim of each pod", claim_size(get(value, ("volumeClaimTemplate", "spec"), None)))


SOURCE = Source(
    field="ephemeral",
    pod_field="ephemeral",
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
    imported=None,
    label=_label,
)
