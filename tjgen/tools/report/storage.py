"""Pod specs of a run -> its volumes: what each is, and where which pods find it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple


class Volume(NamedTuple):
    """A volume of one or several pod sets."""

    name: str
    source: str
    """What it is, in words."""
    made: str
    """Size and class, where a claim is made for it."""
    mounts: tuple[tuple[str, bool], ...]
    """Path in a container, and whether it is read-only."""
    podsets: tuple[str, ...]


def volumes(pods: Sequence[tuple[str, Tree]], trees: Sequence[Tree]) -> Iterator[Volume]:
    """The volumes of pod sets (name and pod spec), in their order; the same one of several is told once.

    `trees` are the objects of the run: a claim among them is one that is made.
    """
    claims = {
        str(get(tree, ("metadata", "name"), "")): tree.get("spec") or {}
        for tree in trees
        if tree.get("kind") == "PersistentVolumeClaim"
    }
    found: dict[tuple[str, str, str, tuple[tuple[str, bool], ...]], list[str]] = {}
    for name, pod in pods:
        for volume in pod.get("volumes") or ():
            source, made = _source(volume, claims)
            key = (str(volume.get("name", "")), source, made, tuple(_mounts(pod, volume)))
            found.setdefault(key, []).append(name)
    for (volume_name, source, made, mounts), podsets in found.items():
        yield Volume(volume_name, source, made, mounts, tuple(podsets))


def _mounts(pod: Tree, volume: Tree) -> list[tuple[str, bool]]:
    read_only = bool(get(volume, ("persistentVolumeClaim", "readOnly"), False))
    return list(
        dict.fromkeys(
            (str(mount.get("mountPath", "")), read_only or bool(mount.get("readOnly")))
            for container in pod.get("containers") or ()
            for mount in container.get("volumeMounts") or ()
            if mount.get("name") == volume.get("name")
        )
    )


def _source(volume: Tree, claims: dict[str, Tree]) -> tuple[str, str]:
    kind = next((key for key in volume if key != "name"), "")
    one = volume.get(kind) or {}
    match kind:
        case "persistentVolumeClaim":
            claim = str(one.get("claimName", ""))
            return f"claim {claim}", _made(claims.get(claim))
        case "ephemeral":
            return "claim of each pod", _made(get(one, ("volumeClaimTemplate", "spec"), None))
        case "emptyDir":
            where = "memory" if one.get("medium") == "Memory" else "disk of the node"
            return where, str(one.get("sizeLimit") or "")
        case "configMap":
            return f"ConfigMap {one.get('name', '')}", ""
        case "secret":
            return f"Secret {one.get('secretName', '')}", ""
        case "hostPath":
            return f"{one.get('path', '')} of the node", ""
        case "nfs":
            return f"{one.get('server', '')}:{one.get('path', '')}", ""
        case "image":
            return f"image {one.get('reference', '')}", ""
        case "csi":
            return f"driver {one.get('driver', '')}", ""
        case _:
            return kind, ""


def _made(spec: Tree) -> str:
    if not spec:
        return ""
    size = get(spec, ("resources", "requests", "storage"), "")
    return " ".join(str(word) for word in (size, spec.get("storageClassName") or "") if word)
