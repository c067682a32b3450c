"""The containers of a pod next to its program -> `initContainers` and `sidecars` of the experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.tools.importing.program import program_fields
from tjgen.trees.fields.path import Tree, get

_MOUNT = ("readOnly", "subPath")


def side_containers(template: Tree, main: Tree) -> Iterator[tuple[str, Tree]]:
    """The fields for containers of a pod template other than `main`. Those of a patch, which have no image, stay there."""
    spec = get(template, ("spec",), None) or {}
    containers, init = ([one for one in spec.get(field) or [] if _is_whole(one)] for field in ("containers", "initContainers"))
    mounted = {mount.get("name"): mount for mount in main.get("volumeMounts") or []}
    sidecars = {one["name"]: {"native": False, **_fields(one, mounted)} for one in containers if one is not main}
    sidecars |= {one["name"]: _fields(one, mounted) for one in init if one.get("restartPolicy") == "Always"}
    first = [one for one in init if one.get("restartPolicy") != "Always"]
    if first:
        yield "initContainers", {one["name"]: {**_fields(one, mounted), **_after(first, one)} for one in first}
    if sidecars:
        yield "sidecars", sidecars


def _is_whole(container: Tree) -> bool:
    return container.__class__ is dict and bool(container.get("name")) and bool(container.get("image"))


def _after(containers: Sequence[Tree], one: Tree) -> Tree:
    """The init container before this one, if the order of the alphabet is another one."""
    names = [each["name"] for each in containers]
    position = names.index(one["name"])
    return {"after": [names[position - 1]]} if position and names != sorted(names) else {}


def _fields(container: Tree, mounted: dict[str, Tree]) -> Tree:
    fields = dict(program_fields(container, devices=False))
    mounts: Tree = {}
    for mount in container.get("volumeMounts") or []:
        if mount.get("name") in mounted and not mounted[mount["name"]].get("subPath"):
            more = {field: mount[field] for field in _MOUNT if mount.get(field)}
            path = mount.get("mountPath")
            mounts.setdefault(mount["name"], {"mountPath": path, **more} if more else path)
    if mounts:
        fields["mounts"] = mounts
    if container.get("securityContext"):
        fields["securityContext"] = container["securityContext"]
    return fields
