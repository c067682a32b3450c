"""Pod specs of a run -> its volumes: what each is, and where which pods find it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.volumes.protocol import ALSO_IN_SOURCE, Label
from tjgen.compiler.volumes.table import with_pod_field
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple


class ReportVolume(NamedTuple):
    """A volume of one or several pod sets."""

    name: str
    source: str
    """What it is, in words."""
    storage: str
    """Size and class, if a claim is created for it."""
    mounts: tuple[tuple[str, bool], ...]
    """Path in a container, and whether it is read-only."""
    podsets: tuple[str, ...]


def volumes(pods: Sequence[tuple[str, Tree]], trees: Sequence[Tree]) -> Iterator[ReportVolume]:
    """Return the volumes of pod sets (name and pod spec), in their order; equal ones of several are listed once.

    `trees` are the objects of the run: a claim among them is a new one.
    """
    claims = {
        str(get(tree, ("metadata", "name"), "")): tree.get("spec") or {}
        for tree in trees
        if tree.get("kind") == "PersistentVolumeClaim"
    }
    by_volume: dict[tuple[str, str, str, tuple[tuple[str, bool], ...]], list[str]] = {}
    for name, pod in pods:
        for volume in pod.get("volumes") or ():
            field = next((key for key in volume if key != "name"), "")
            value, source = volume.get(field) or {}, with_pod_field(field)
            # Manifests have volumes, such as projected ones, that no experiment has as a source.
            label = source.label(value, claims) if source is not None else Label(field, "")
            read_only = source is not None and source.read_only == ALSO_IN_SOURCE and bool(value.get("readOnly"))
            key = (str(volume.get("name", "")), *label, tuple(_mounts(pod, volume, read_only=read_only)))
            by_volume.setdefault(key, []).append(name)
    for (volume_name, words, storage, mounts), podsets in by_volume.items():
        yield ReportVolume(volume_name, words, storage, mounts, tuple(podsets))


def _mounts(pod: Tree, volume: Tree, *, read_only: bool) -> list[tuple[str, bool]]:
    return list(
        dict.fromkeys(
            (str(mount.get("mountPath", "")), read_only or bool(mount.get("readOnly")))
            for container in pod.get("containers") or ()
            for mount in container.get("volumeMounts") or ()
            if mount.get("name") == volume.get("name")
        )
    )
