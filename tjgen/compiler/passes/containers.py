"""Init containers and sidecars of the experiment -> containers in each pod that takes part in the training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.compiler.container import port, probes, resources, sources
from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.volumes import mount_tree
from tjgen.compiler.variables import by_reference, env_item
from tjgen.compiler.volumes.mounts import MountPlace, mounts_of, writing_as
from tjgen.compiler.volumes.table import pod_source
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, ExtraContainer, ExtraMount, InitContainer, Role
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import PodSet, Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Nothing if the experiment has no such containers."""
    spec = experiment.spec
    if any(one.init_containers or one.sidecars for one in (spec, *spec.roles.values())):
        yield from _add_containers(workload, experiment, setting)


_NO_ROLE = Role({})


class _Pod(NamedTuple):
    """A pod set that gets containers, and what they refer to."""

    workload: Workload
    podset: PodSet
    experiment: Experiment
    setting: Setting
    containers: frozenset[str]
    """The names of the containers that the pod has."""
    volumes: frozenset[str]
    mounts: Mapping[str, Tree]
    """Volume -> its first mount in the container of the program."""


def _add_containers(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """The containers in every pod set but those of initializers; those of a role take precedence over the experiment's."""
    spec = experiment.spec
    yield from _wrong(experiment)
    for podset in members(workload):
        pod = _pod(workload, podset, experiment, setting)
        own = spec.roles.get(podset.name, _NO_ROLE)
        at: FieldPath = (*SPEC, "roles", podset.name)
        init = {**spec.init_containers, **own.init_containers}
        for name in _ordered(init)[0]:
            because = (*(at if name in own.init_containers else SPEC), "initContainers", name)
            yield from _container(pod, "initContainers", name, init[name], because)
        for name, sidecar in sorted({**spec.sidecars, **own.sidecars}.items()):
            because = (*(at if name in own.sidecars else SPEC), "sidecars", name)
            more = {"restartPolicy": "Always"} if sidecar.native else {}
            kind = "initContainers" if sidecar.native else "containers"
            yield from _container(pod, kind, name, sidecar, because, more)


def _pod(workload: Workload, podset: PodSet, experiment: Experiment, setting: Setting) -> _Pod:
    tree = get(workload.tree.value, podset.pod, None) or {}
    volumes = frozenset(one.get("name") for one in tree.get("volumes") or [])
    mounts = {one["name"]: one for one in reversed(mounts_of(workload, podset))}
    containers = frozenset(one.get("name") for field in ("containers", "initContainers") for one in tree.get(field) or [])
    return _Pod(workload, podset, experiment, setting, containers, volumes, mounts)


def _ordered(init: Mapping[str, InitContainer]) -> tuple[list[str], list[tuple[str, str]]]:
    """The names, each after those that it waits for, else in the order of the alphabet; and the pairs that close a cycle."""
    placed: dict[str, None] = {}
    visited: set[str] = set()
    cycles = []
    for first in sorted(init):
        path = [first]
        while path:
            name = path[-1]
            visited.add(name)
            ahead = next((one for one in init[name].after if one in init and one not in visited), None)
            if ahead is not None:
                path.append(ahead)
                continue
            path.pop()
            if name not in placed:
                cycles += [(name, one) for one in init[name].after if one in visited and one not in placed]
                placed[name] = None
    return list(placed), cycles


def _wrong(experiment: Experiment) -> Iterator[Diagnostic]:
    """TJ153 for volumes, and TJ155 for init containers, that do not exist or wait for each other."""
    spec = experiment.spec
    for at, holder in ((SPEC, spec), *(((*SPEC, "roles", role), own) for role, own in spec.roles.items())):
        for field, sides in (("initContainers", holder.init_containers), ("sidecars", holder.sidecars)):
            for name, side in sides.items():
                for volume in side.mounts:
                    if volume not in spec.volumes:
                        path: FieldPath = (*at, field, name, "mounts", volume)
                        yield _unknown("TJ153", f'{name} mounts volume "{volume}"', volume, spec.volumes, path)
        known = {**spec.init_containers, **holder.init_containers}
        cycles = set(_ordered(known)[1])
        for name, init in holder.init_containers.items():
            for position, other in enumerate(init.after):
                path = (*at, "initContainers", name, "after", position)
                if other not in known:
                    yield _unknown("TJ155", f'{name} waits for init container "{other}"', other, known, path)
                elif (name, other) in cycles:
                    message = f"init containers {name} and {other} wait for each other"
                    yield Diagnostic("TJ155", message, path=path, hint=f"remove {other} from after")


def _unknown(code: str, what: str, wrong: str, known: Mapping[str, object], path: FieldPath) -> Diagnostic:
    near = nearest(wrong, list(known))
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(known)}" if known else "add it to the experiment"
    return Diagnostic(code, f"{what}, which the experiment does not have", path=path, hint=hint)


def _container(
    pod: _Pod, kind: str, name: str, side: ExtraContainer, because: FieldPath, more: Mapping[str, Tree] | None = None
) -> Contributions:
    if name in pod.containers:
        message = f'the pods of {pod.podset.name} have another container "{name}"'
        yield Diagnostic("TJ154", message, path=because, hint="give the container another name")
        return
    mounts: list[Tree] = []
    for volume, place in side.mounts.items():
        if volume in pod.experiment.spec.volumes:
            yield from _volume(pod, volume, (*because, "mounts", volume))
            mounts.append(_mount(pod, volume, place, (*because, "mounts", volume)))
    container = {
        "name": name,
        "image": side.image or get(pod.workload.tree.value, (*pod.podset.main, "image"), None),
        **(more or {}),
        **_program(side),
    }
    if mounts:
        container["volumeMounts"] = mounts
    yield Contribution((*pod.podset.pod, kind, named(name)), container, because)


def _program(side: ExtraContainer) -> dict[str, Tree]:
    """The fields that depend on the container alone."""
    fields: dict[str, Tree] = {
        "imagePullPolicy": side.image_pull_policy,
        "command": _list(side.command),
        "args": _list(side.args),
        "workingDir": side.working_dir,
        "env": [env_item(name, side.env[name]) for name in by_reference(side.env)],
        "envFrom": sources(side.env_from),
        "ports": [port(name, described) for name, described in side.ports.items()],
        "resources": resources(side),
        "securityContext": side.security_context,
        **{field: probe for _, field, probe in probes(side.probes)},
    }
    return {field: value for field, value in fields.items() if value not in (None, {}, [])}


def _list(words: Sequence[str]) -> list[str]:
    return list(words)


def _volume(pod: _Pod, name: str, because: FieldPath) -> Contributions:
    """The volume, unless the pod has it: a volume that only such containers mount."""
    if name not in pod.volumes:
        source = pod_source(name, pod.experiment.spec.volumes[name], pod.setting)
        yield Contribution((*pod.podset.pod, "volumes", named(name)), {"name": name, **source}, because)


def _mount(pod: _Pod, name: str, side: ExtraMount, because: FieldPath) -> Tree:
    """The folder that the program sees; for a volume that it does not mount, the folder that it would see."""
    volume = pod.experiment.spec.volumes[name]
    of_program = pod.mounts.get(name)
    if of_program is None:
        place = MountPlace(side.mount_path, side.read_only or volume.read_only, None, None, (), because, because)
        of_program = mount_tree(name, volume, place, writing_as(name, pod.experiment, pod.setting))
    mount = {**of_program, "mountPath": side.mount_path}
    if side.read_only:
        mount["readOnly"] = True
    if side.sub_path is not None:
        field = "subPathExpr" if "subPathExpr" in mount else "subPath"
        mount[field] = "/".join(part for part in (mount.get(field), side.sub_path) if part is not None)
    return mount
