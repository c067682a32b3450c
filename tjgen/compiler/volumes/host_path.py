"""`hostPath`: a directory or file of the node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.compiler.volumes.protocol import (
    AS_WRITTEN,
    JOB_OF_NODE,
    OF_NODE,
    ClaimSpecs,
    Label,
    Source,
    Storage,
    filled,
    no_objects,
    not_shared,
    present,
    unlimited,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import HostPath, Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree


def _of(volume: Volume) -> HostPath:
    assert volume.host_path is not None
    return volume.host_path


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    return present(path=_of(volume).path, type=_of(volume).type)


def _node_selector(volume: Volume) -> Mapping[str, str]:
    return _of(volume).node_selector


def _storage(name: str, volume: Volume, setting: Setting) -> Storage | None:
    return Storage(("hostPath",), _of(volume).path)


def _problems(name: str, volume: Volume, setting: Setting, at: FieldPath) -> Iterator[Diagnostic]:
    path = _of(volume)
    if not path.type and volume.read_only:
        # Without a type the kubelet checks nothing, and the container engine makes what is missing.
        message = f'volume "{name}" is read from {path.path} of the node: if it does not exist, the pods see an empty folder'
        hint = "add type: Directory, so that pods do not start on nodes without it"
        yield Diagnostic("TJ328", message, path=(*at, "hostPath"), hint=hint)


def _imported(value: Tree) -> Tree | None:
    return value if "type" in value else value.get("path")


def _label(value: Tree, claims: ClaimSpecs) -> Label:
    return Label(f"{value.get('path', '')} of the node", "")


def _driver(volume: Volume, setting: Setting) -> str:
    """No CSI driver is behind a folder of the node."""
    return ""


SOURCE = Source(
    field="hostPath",
    pod_field="hostPath",
    pod_source=_pod_source,
    objects=no_objects,
    node_selector=_node_selector,
    storage=_storage,
    shared_as=not_shared,
    reach=OF_NODE,
    read_only=AS_WRITTEN,
    filled_by=JOB_OF_NODE,
    is_filled=filled,
    is_chowned=False,
    size_limit=unlimited,
    replaceable=("hostPath", "path"),
    driver=_driver,
    problems=_problems,
    imported=_imported,
    label=_label,
)
