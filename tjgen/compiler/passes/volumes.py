"""Volumes -> a volume and its mounts in every pod set that uses them, and the claims to create."""

from __future__ import annotations

from collections.abc import Callable

from tjgen.compiler.lower import SPEC, unknown_role
from tjgen.compiler.volumes.claims import own_folder
from tjgen.compiler.volumes.mounts import MountPlace, Users, folder_path, mounts_of, users_of, writing_as
from tjgen.compiler.volumes.protocol import VolumeRequest
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.compiler.volumes.table import pod_source, source_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import at_once, role
from tjgen.trees.workload.workload import PodSet, Workload, is_runtimes


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Each volume under its own name, in the roles that it names or else in all that train."""
    yield from _replaced(workload, experiment)
    taken = _Taken(workload)
    for name, volume in experiment.spec.volumes.items():
        because: FieldPath = (*SPEC, "volumes", name)
        yield from _unknown_readers(workload, volume, because)
        users = users_of(workload, name, volume)
        source, pods = source_of(volume), _pods(workload, name, users, experiment)
        yield from source.objects(VolumeRequest(name, volume, setting, because, pods))
        for podset, mounts in users:
            tree = {"name": name, **pod_source(name, volume, setting)}
            yield Contribution((*podset.pod, "volumes", named(name)), tree, because)
            for label, value in source.node_selector(volume).items():
                at: FieldPath = (*because, source.field, "nodeSelector", label)
                yield Contribution((*podset.pod, "nodeSelector", label), value, at, mirrors=True)
            for place in mounts:
                clash = taken.by(podset, place, name)
                yield clash if clash is not None else _mount(podset, name, volume, place, writing_as(name, experiment, setting))


def _pods(workload: Workload, name: str, users: Users, experiment: Experiment) -> Callable[[], int]:
    """Counts the pods that mount a volume at the same time. Every pod mounts that of the initializers."""
    initializer = experiment.spec.initializer
    is_in_all = initializer is not None and initializer.volume == name
    return lambda: at_once(workload, workload.podsets if is_in_all else [podset for podset, _ in users])


def _replaced(workload: Workload, experiment: Experiment) -> Contributions:
    """Claims that JobSet would make under the name of a volume of the experiment: the pod cannot have both."""
    path: FieldPath = ("runtime", "template", "spec", "volumeClaimPolicies")
    policies = get(workload.tree.value, path, None) or []
    names = {get(template, ("metadata", "name"), None) for policy in policies for template in policy.get("templates") or []}
    for name in experiment.spec.volumes:
        if name in names:
            policies = [one for policy in policies if (one := _without(policy, name))]
            yield Contribution(path, policies or None, (*SPEC, "volumes", name))


def _without(policy: Tree, name: str) -> Tree:
    """The policy without the template `name`; None if it has no other."""
    templates = policy.get("templates") or []
    left = [template for template in templates if get(template, ("metadata", "name"), None) != name]
    return {**policy, "templates": left} if left or not templates else None


def _unknown_readers(workload: Workload, volume: Volume, because: FieldPath) -> Contributions:
    selections = [(volume.roles, because), *((mount.roles, (*because, "mounts", path)) for path, mount in volume.mounts.items())]
    for roles, at in selections:
        for position, wanted in enumerate(roles):
            if role(workload, wanted) is None:
                yield unknown_role(workload, wanted, (*at, "roles", position))


def _mount(podset: PodSet, name: str, volume: Volume, place: MountPlace, setting: Setting) -> Contribution:
    create = new_claim(volume)
    if create is not None and create.volume_mode == "Block":
        device = {"name": name, "devicePath": place.path}
        return Contribution((*podset.main, "volumeDevices", (("devicePath", place.path),)), device, place.because)
    mount = mount_tree(name, volume, place, setting)
    return Contribution((*podset.main, "volumeMounts", (("mountPath", place.path),)), mount, place.because)


def mount_tree(name: str, volume: Volume, place: MountPlace, setting: Setting) -> Tree:
    """An item of `volumeMounts`: the folder of the volume that the run sees at `place`."""
    mount: Tree = {"name": name, "mountPath": place.path}
    if place.read_only:
        mount["readOnly"] = True
    folder = own_folder(new_claim(volume), shared=volume.shared, read_only=place.read_only, setting=setting)
    field, below = ("subPathExpr", place.sub_path_expr) if place.sub_path_expr is not None else ("subPath", place.sub_path)
    if folder is not None or below is not None:
        mount[field] = "/".join(part for part in (folder, below) if part is not None)
    return mount


class _Taken:
    """Which volume is mounted where: those of the runtime and of fields before `volumes`, then one after the other."""

    def __init__(self, workload: Workload) -> None:
        self._by: dict[tuple[str, str], tuple[str, bool]] = {}
        for podset in workload.podsets:
            for mount in mounts_of(workload, podset):
                path = (*podset.main, "volumeMounts", (("mountPath", mount["mountPath"]),))
                theirs = all(is_runtimes(origin) for origin in workload.tree.origins(path))
                self._by[podset.name, folder_path(mount["mountPath"])] = (mount["name"], theirs)

    def by(self, podset: PodSet, place: MountPlace, name: str) -> Diagnostic | None:
        """The clash, where another volume is mounted at the place; else the place is taken from now on."""
        other, theirs = self._by.setdefault((podset.name, folder_path(place.path)), (name, False))
        if other == name:
            return None
        return Diagnostic(
            "TJ305",
            f"{place.path} is mounted twice in {podset.name}: by {other}{' of the runtime' if theirs else ''} and by {name}",
            path=place.at,
            hint=f"use another path, or call the volume {other} to replace it" if theirs else "use another path for one of them",
        )
