"""What a container mounts of its pod's volumes -> what the API server has against it.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateVolumeMounts, ValidateVolumeDevices). Some errors are at the
list without an index upstream.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.paths import descending
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.typing import Any

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE = ("Disabled", "Enabled", "IfPossible")


def mounts(container: dict[str, Any], volumes: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateVolumeMounts`, with the list's place."""
    device_paths = {device.get("name", ""): device.get("devicePath", "") for device in container.get("volumeDevices", ())}
    taken: set[str] = set()
    for position, mount in enumerate(container.get("volumeMounts", ())):
        element, name, path = at.item(position), mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            yield element.child("name").required()
        if name not in volumes:
            yield element.child("name").not_found(name)
        if not path:
            yield element.child("mountPath").required()
        if path in taken:
            yield element.child("mountPath").invalid(path, "must be unique")
        taken.add(path)
        if name in device_paths:
            yield element.child("name").invalid(name, "must not already exist in volumeDevices")
        if path in device_paths.values():
            yield element.child("mountPath").invalid(path, "must not already exist as a path in volumeDevices")
        yield from _sub_paths(mount, position, at)
        yield from _propagation(mount, container, Place(f"{at.field}.mountPropagation", (*element.path, "mountPropagation")))
        yield from _recursive(mount, Place(f"{at.field}.recursiveReadOnly", (*element.path, "recursiveReadOnly")))


def _sub_paths(mount: dict[str, Any], position: int, at: Place) -> Iterator[Fault]:
    path, expression = mount.get("subPath", ""), mount.get("subPathExpr", "")
    if path and expression:
        yield at.item(position).child("subPathExpr").invalid(expression, "subPathExpr and subPath are mutually exclusive")
    for name, value in (("subPath", path), ("subPathExpr", expression)):
        if value:
            yield from descending(value, Place(f"{at.field}.{name}", (*at.path, position, name)))


def _propagation(mount: dict[str, Any], container: dict[str, Any], at: Place) -> Iterator[Fault]:
    mode = mount.get("mountPropagation")
    if mode is None:
        return
    if mode not in _PROPAGATIONS:
        yield at.not_supported(mode, _PROPAGATIONS)
    if mode == "Bidirectional" and not container.get("securityContext", {}).get("privileged"):
        yield at.forbidden("Bidirectional mount propagation is available only to privileged containers")


def _recursive(mount: dict[str, Any], at: Place) -> Iterator[Fault]:
    mode = mount.get("recursiveReadOnly", "Disabled")
    if mode not in _RECURSIVE:
        yield at.not_supported(mode, _RECURSIVE)
    elif mode != "Disabled":
        if not mount.get("readOnly"):
            yield at.forbidden("may only be specified when readOnly is true")
        if mount.get("mountPropagation", "None") != "None":
            yield at.forbidden("may only be specified when mountPropagation is None or not specified")


def devices(container: dict[str, Any], volumes: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateVolumeDevices`."""
    mounted = {mount.get("name", ""): mount.get("mountPath", "") for mount in container.get("volumeMounts", ())}
    names: set[str] = set()
    paths: set[str] = set()
    for position, device in enumerate(container.get("volumeDevices", ())):
        element, name, path = at.item(position), device.get("name", ""), device.get("devicePath", "")
        if not name:
            yield element.child("name").required()
        if name in names:
            yield element.child("name").invalid(name, "must be unique")
        if name not in volumes:
            yield element.child("name").not_found(name)
        elif not volumes[name].keys() & {"persistentVolumeClaim", "ephemeral"}:
            message = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            yield element.child("name").invalid(name, message)
        if not path:
            yield element.child("devicePath").required()
        if path in paths:
            yield element.child("devicePath").invalid(path, "must be unique")
        if ".." in path.split("/"):
            yield element.child("devicePath").invalid(path, "can not contain backsteps ('..')")
        else:
            paths.add(path)
        if name in mounted:
            yield element.child("name").invalid(name, "must not already exist in volumeMounts")
        if path in mounted.values():
            yield element.child("devicePath").invalid(path, "must not already exist as a path in volumeMounts")
        if name:
            names.add(name)
