"""`nfs`: a folder that an NFS server exports."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.volumes.protocol import (
    ALSO_IN_SOURCE,
    EVERY_POD,
    JOB,
    ClaimSpecs,
    Label,
    Source,
    Storage,
    any_node,
    filled,
    no_objects,
    present,
    unlimited,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Nfs, Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree


def _of(volume: Volume) -> Nfs:
    assert volume.nfs is not None
    return volume.nfs


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    return present(server=_of(volume).server, path=_of(volume).path, readOnly=volume.read_only or None)


def _storage(name: str, volume: Volume, setting: Setting) -> Storage | None:
    return Storage(("nfs", _of(volume).server), _of(volume).path)


def _shared_as(name: str, volume: Volume, setting: Setting) -> str | None:
    return f"{_of(volume).server}:{_of(volume).path}"


def _driver(volume: Volume, setting: Setting) -> str:
    return "nfs.csi.k8s.io"


def _problems(name: str, volume: Volume, setting: Setting, at: FieldPath) -> Iterator[Diagnostic]:
    path = _of(volume).path
    if not path.startswith("/"):
        message = f'volume "{name}" is the folder {path} of NFS server {_of(volume).server}, but the path is not absolute'
        hint = f"write the path that the server exports, such as path: /{path.removeprefix('./')}"
        yield Diagnostic("TJ238", message, path=(*at, "nfs", "path"), hint=hint)


def _imported(value: Tree) -> Tree | None:
    return {"server": value.get("server"), "path": value.get("path")}


def _label(value: Tree, claims: ClaimSpecs) -> Label:
    return Label(f"{value.get('server', '')}:{value.get('path', '')}", "")


SOURCE = Source(
    field="nfs",
    pod_field="nfs",
    pod_source=_pod_source,
    objects=no_objects,
    node_selector=any_node,
    storage=_storage,
    shared_as=_shared_as,
    reach=EVERY_POD,
    read_only=ALSO_IN_SOURCE,
    filled_by=JOB,
    is_filled=filled,
    is_chowned=False,
    size_limit=unlimited,
    replaceable=None,
    driver=_driver,
    problems=_problems,
    imported=_imported,
    label=_label,
)
