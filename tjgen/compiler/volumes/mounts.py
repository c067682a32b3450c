"""A volume of the experiment -> the places where it is mounted, and the pod sets that use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.volumes.protocol import IN_EVERY_MOUNT
from tjgen.compiler.volumes.table import source_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Volume
from tjgen.trees.fields.path import FieldPath, Tree, get, index_of, named
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.roles import members, role
from tjgen.trees.workload.workload import PodSet, Workload


class MountPlace(NamedTuple):
    """One place where a volume is mounted."""

    path: str
    read_only: bool
    sub_path: str | None
    sub_path_expr: str | None
    roles: Sequence[str]
    because: FieldPath
    """What is shown as the cause of the mount."""
    at: FieldPath
    """Where its path is written."""


Users = list[tuple[PodSet, list[MountPlace]]]


def folder_of(path: str | None, volume: Volume) -> str | None:
    """The path of a folder of a volume in the container, at the first place where it is mounted; None if it is not mounted."""
    place = next(places(volume, ()), None)
    if place is None:
        return None
    return "/".join(part.strip("/") if i else part.rstrip("/") for i, part in enumerate((place.path, path)) if part)


def mount_path(volume: Volume | None) -> str | None:
    """The first place where a volume is mounted; None if there is none."""
    place = next(places(volume, ()), None) if volume is not None else None
    return place.path if place is not None else None


def places(volume: Volume, because: FieldPath) -> Iterator[MountPlace]:
    """Where a volume is mounted: at its `mountPath`, then at each path of its `mounts`."""
    only_read = source_of(volume).read_only == IN_EVERY_MOUNT
    if volume.mount_path is not None:
        read_only = volume.read_only or only_read
        yield MountPlace(
            volume.mount_path, read_only, volume.sub_path, volume.sub_path_expr, volume.roles, because, (*because, "mountPath")
        )
    for path, mount in volume.mounts.items():
        read_only = mount.read_only or volume.read_only or only_read
        at = (*because, "mounts", path)
        yield MountPlace(path, read_only, mount.sub_path, mount.sub_path_expr, mount.roles or volume.roles, at, at)


def writing_as(name: str, experiment: Experiment, setting: Setting) -> Setting:
    """As whom a run writes to a volume: where a family goes on from one folder of checkpoints, it has the experiment's name."""
    checkpoints = experiment.spec.checkpoints
    if checkpoints is not None and checkpoints.scope == "family" and checkpoints.volume == name:
        return setting._replace(run=setting.storage)
    return setting


def users_of(workload: Workload, name: str, volume: Volume) -> list[tuple[PodSet, list[MountPlace]]]:
    """The pod sets that use a volume, in the runtime's order, each with its mount points."""
    wanted = [(place, _readers(workload, name, place.roles)) for place in places(volume, (*SPEC, "volumes", name))]
    used = [(podset, [place for place, readers in wanted if podset in readers]) for podset in workload.podsets]
    return [(podset, mounts) for podset, mounts in used if mounts]


def mounted_at(workload: Workload, podset: PodSet, path: str) -> str | None:
    """The volume that the main container has at a path; None if there is none."""
    for mount in mounts_of(workload, podset):
        if folder_path(mount["mountPath"]) == folder_path(path):
            return str(mount["name"])
    return None


def mounts_of(workload: Workload, podset: PodSet) -> list[Tree]:
    """The `volumeMounts` of the main container."""
    return get(workload.tree.value, (*podset.main, "volumeMounts"), None) or []


def folder_path(path: str) -> str:
    """`/data` and `/data/` are two paths to the API server, and one folder to the container."""
    return path.rstrip("/")


def _readers(workload: Workload, name: str, roles: Sequence[str]) -> list[PodSet]:
    if roles:
        return [match for wanted in roles if (match := role(workload, wanted))]
    # A volume that replaces one of the runtime's does so at every mount.
    mounting = [podset for podset in workload.podsets if index_of(mounts_of(workload, podset), named(name)) >= 0]
    return [podset for podset in workload.podsets if podset in mounting or podset in members(workload)]
