"""Volumes -> a volume and its mounts in every pod set that uses them, and the claims to create."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.lower import SPEC, unknown_role
from tjgen.compiler.passes.claims import claim, own_folder
from tjgen.compiler.passes.sources import source
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Volume
from tjgen.trees.diagnostics.model import ERROR, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, index_of, named
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.roles import at_once, members, role
from tjgen.trees.workload.workload import PodSet, Workload, is_runtimes

Found = Iterator[Contribution | Diagnostic]


class Place(NamedTuple):
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


Users = list[tuple[PodSet, list[Place]]]


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Found:
    """Each volume under its own name, in the roles that it names or else in all that train."""
    yield from _replaced(workload, experiment)
    taken = _Taken(workload)
    for name, volume in experiment.spec.volumes.items():
        because: FieldPath = (*SPEC, "volumes", name)
        yield from _unknown_readers(workload, volume, because)
        users = users_of(workload, name, volume)
        if volume.pvc is not None and volume.pvc.create is not None:
            pods = at_once(workload, _mounting(workload, name, users, experiment))
            at: FieldPath = (*because, "pvc", "create")
            yield from claim(name, volume.pvc.create, pods, setting, at, read_only=volume.read_only)
        if volume.dataset is not None and volume.dataset.create is not None:
            from tjgen.compiler.passes.datasets import dataset  # few clusters have Fluid

            yield from dataset(name, volume.dataset.create, setting, (*because, "dataset", "create"))
        for podset, mounts in users:
            yield Contribution((*podset.pod, "volumes", named(name)), {"name": name, **source(name, volume, setting)}, because)
            if volume.host_path is not None:
                for label, value in volume.host_path.node_selector.items():
                    at = (*because, "hostPath", "nodeSelector", label)
                    yield Contribution((*podset.pod, "nodeSelector", label), value, at, mirrors=True)
            for place in mounts:
                clash = taken.by(podset, place, name)
                yield clash if clash is not None else _mount(podset, name, volume, place, writing_as(name, experiment, setting))


def _mounting(workload: Workload, name: str, users: Users, experiment: Experiment) -> list[PodSet]:
    """The pod sets that mount a volume; that of the initializers is in all of them."""
    initializer = experiment.spec.initializer
    if initializer is not None and initializer.volume == name:
        return list(workload.podsets)
    return [podset for podset, _ in users]


def folder_of(path: str | None, volume: Volume) -> str | None:
    """The path of a folder of a volume in the container, at the first place where it is mounted; None if it is not mounted."""
    place = next(places(volume, ()), None)
    if place is None:
        return None
    return "/".join(part.strip("/") if i else part.rstrip("/") for i, part in enumerate((place.path, path)) if part)


def places(volume: Volume, because: FieldPath) -> Iterator[Place]:
    """Where a volume is mounted: at its `mountPath`, then at each path of its `mounts`."""
    # Kubelet mounts images read only, and Fluid offers data sets as such.
    only_read = volume.image is not None or volume.dataset is not None
    if volume.mount_path is not None:
        read_only = volume.read_only or only_read
        yield Place(
            volume.mount_path, read_only, volume.sub_path, volume.sub_path_expr, volume.roles, because, (*because, "mountPath")
        )
    for path, mount in volume.mounts.items():
        read_only = mount.read_only or volume.read_only or only_read
        at = (*because, "mounts", path)
        yield Place(path, read_only, mount.sub_path, mount.sub_path_expr, mount.roles or volume.roles, at, at)


def writing_as(name: str, experiment: Experiment, setting: Setting) -> Setting:
    """As whom a run writes to a volume: where a family goes on from one folder of checkpoints, it has the experiment's name."""
    asked = experiment.spec.checkpoints
    if asked is not None and asked.scope == "family" and asked.volume == name:
        return setting._replace(run=setting.family)
    return setting


def users_of(workload: Workload, name: str, volume: Volume) -> list[tuple[PodSet, list[Place]]]:
    """The pod sets that use a volume, in the runtime's order, each with the places where it does."""
    wanted = [(place, _readers(workload, name, place.roles)) for place in places(volume, (*SPEC, "volumes", name))]
    used = [(podset, [place for place, readers in wanted if podset in readers]) for podset in workload.podsets]
    return [(podset, mounts) for podset, mounts in used if mounts]


def mounted_at(workload: Workload, podset: PodSet, path: str) -> str | None:
    """The volume that the main container has at a path; None where there is none."""
    for mount in _mounts(workload, podset):
        if _folder(mount["mountPath"]) == _folder(path):
            return str(mount["name"])
    return None


def _readers(workload: Workload, name: str, roles: Sequence[str]) -> list[PodSet]:
    if roles:
        return [found for wanted in roles if (found := role(workload, wanted))]
    # A volume that takes the place of one of the runtime's does so wherever that one is mounted.
    mounting = [podset for podset in workload.podsets if index_of(_mounts(workload, podset), named(name)) >= 0]
    return [podset for podset in workload.podsets if podset in mounting or podset in members(workload)]


def _mounts(workload: Workload, podset: PodSet) -> list[Tree]:
    return get(workload.tree.value, (*podset.main, "volumeMounts"), None) or []


def _replaced(workload: Workload, experiment: Experiment) -> Found:
    """Claims that JobSet would make under the name of a volume of the experiment: the pod cannot have both."""
    path: FieldPath = ("runtime", "template", "spec", "volumeClaimPolicies")
    policies = get(workload.tree.value, path, None) or []
    names = {get(template, ("metadata", "name"), None) for policy in policies for template in policy.get("templates") or []}
    for name in experiment.spec.volumes:
        if name in names:
            policies = [one for policy in policies if (one := _without(policy, name))]
            yield Contribution(path, policies or None, (*SPEC, "volumes", name))


def _without(policy: Tree, name: str) -> Tree:
    """The policy without the template `name`; None where it has no other."""
    templates = policy.get("templates") or []
    left = [template for template in templates if get(template, ("metadata", "name"), None) != name]
    return {**policy, "templates": left} if left or not templates else None


def _unknown_readers(workload: Workload, volume: Volume, because: FieldPath) -> Found:
    asked = [(volume.roles, because), *((mount.roles, (*because, "mounts", path)) for path, mount in volume.mounts.items())]
    for roles, at in asked:
        for position, wanted in enumerate(roles):
            if role(workload, wanted) is None:
                yield unknown_role(workload, wanted, (*at, "roles", position))


def _mount(podset: PodSet, name: str, volume: Volume, place: Place, setting: Setting) -> Contribution:
    create = volume.pvc.create if volume.pvc is not None else None
    if create is not None and create.volume_mode == "Block":
        device = {"name": name, "devicePath": place.path}
        return Contribution((*podset.main, "volumeDevices", (("devicePath", place.path),)), device, place.because)
    mount: Tree = {"name": name, "mountPath": place.path}
    if place.read_only:
        mount["readOnly"] = True
    folder = own_folder(create, shared=volume.shared, read_only=place.read_only, setting=setting)
    field, below = ("subPathExpr", place.sub_path_expr) if place.sub_path_expr is not None else ("subPath", place.sub_path)
    if folder is not None or below is not None:
        mount[field] = "/".join(part for part in (folder, below) if part is not None)
    return Contribution((*podset.main, "volumeMounts", (("mountPath", place.path),)), mount, place.because)


class _Taken:
    """Which volume is mounted where: those of the runtime and of fields before `volumes`, then one after the other."""

    def __init__(self, workload: Workload) -> None:
        self._by: dict[tuple[str, str], tuple[str, bool]] = {}
        for podset in workload.podsets:
            for mount in _mounts(workload, podset):
                path = (*podset.main, "volumeMounts", (("mountPath", mount["mountPath"]),))
                theirs = all(is_runtimes(origin) for origin in workload.tree.origins(path))
                self._by[podset.name, _folder(mount["mountPath"])] = (mount["name"], theirs)

    def by(self, podset: PodSet, place: Place, name: str) -> Diagnostic | None:
        """The clash, where another volume is mounted at the place; else the place is taken from now on."""
        other, theirs = self._by.setdefault((podset.name, _folder(place.path)), (name, False))
        if other == name:
            return None
        return Diagnostic(
            "TJ305",
            ERROR,
            f"{place.path} is mounted twice in {podset.name}: by {other}{' of the runtime' if theirs else ''} and by {name}",
            path=place.at,
            hint=f"use another path, or call the volume {other} to replace it" if theirs else "use another path for one of them",
            name="mount-path-taken",
        )


def _folder(path: str) -> str:
    """`/data` and `/data/` are two paths to the API server, and one folder to the container."""
    return path.rstrip("/")
