"""Slices that are folders of one volume, or volumes of their own -> the folder or volume of each task, node, or process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.table import facts_of
from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.data_sections import DataSection
from tjgen.compiler.passes.slice_readers import Cut, index_variable, variable
from tjgen.compiler.volumes.claims import claim, claim_name, slice_claim
from tjgen.compiler.volumes.mounts import places, users_of
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.compiler.volumes.table import source_of
from tjgen.language.setting import Setting
from tjgen.language.slicing import braces, problems
from tjgen.language.spec.objects import Experiment, NewClaim, Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import nodes as nodes_of
from tjgen.trees.workload.workload import PodSet, Workload

_HINT = "set target: jobset, set over: tasks and give each node's work a task, or use deliver: subPath"


def deliver_volumes(
    workload: Workload, experiment: Experiment, cut: Cut, readers: list[PodSet], setting: Setting
) -> Contributions:
    """Every task, or every node, mounts a volume of its own."""
    data, volume = cut.data, experiment.spec.volumes[cut.data.volume]
    if not cut.tasks and not facts_of(experiment.spec.target).is_preview:
        message = "all pods of a run use one template, so they cannot have different volumes"
        yield _problem(message, (*cut.at, "deliver"), _HINT)
        return
    place = source_of(volume).replaceable
    if place is None:
        message = f'volume "{data.volume}" is not a claim, image or hostPath, so `sources` cannot name another one'
        hint = "give each task the volume by its own `volumes`" if cut.tasks else "use a claim, an image or a hostPath"
        yield _problem(message, (*cut.at, "sources"), hint)
        return
    sources, wrong = _sources(cut, volume)
    wrong = wrong or list(_miscounted(cut, sources))
    yield from wrong
    if wrong:
        return
    if cut.tasks:
        for podset in readers:
            path: FieldPath = (*podset.pod, "volumes", named(data.volume), *place)
            yield Contribution(path, sources[cut.position], (*cut.at, "sources", cut.position))
        return
    misfits = list(_misfits(workload, volume, cut, readers))
    yield from misfits
    if not misfits:
        yield from _apart(workload, experiment, cut, readers[0], sources, setting)


def _sources(cut: Cut, volume: Volume) -> tuple[list[str], list[Diagnostic]]:
    """The source of each slice. Numbers in braces are expanded for claims, whose names have no braces."""
    if volume.pvc is None or cut.tasks:
        return list(cut.section.sources), []
    sources: list[str] = []
    for position, text in enumerate(cut.section.sources):
        try:
            sources += braces.expanded(text)
        except ValueError as error:
            at = (*cut.at, "sources", position)
            return [], [_problem(f"the source {text!r} {error}", at, "write it as in corpus-{0..7}")]
    return sources, []


def _miscounted(cut: Cut, sources: Sequence[str]) -> Iterator[Diagnostic]:
    nodes = cut.section.nodes
    if cut.tasks and nodes:
        message = "nodes is for slices over nodes, but these are over tasks"
        yield _problem(message, (*cut.at, "nodes"), "remove nodes, and give each task its own nodeSelector")
    # Several slices may be on one node, or on disks of one path, but not on the same disk.
    disks: Sequence[object] = list(zip(sources, nodes, strict=False)) if sources and nodes and not cut.tasks else sources or nodes
    several = len(disks) - len(set(disks))
    wanted = len(cut.tasks) or cut.slices
    counted = [("sources", sources)] if sources or cut.tasks or not nodes else []
    counted += [("nodes", nodes)] if nodes and not cut.tasks else []
    for field, values in counted:
        if len(values) != wanted or (several and field == counted[0][0]):
            twice = f", {several} of them twice" if several else ""
            message = f"there are {len(values)} {field} for {wanted} {'tasks' if cut.tasks else 'slices'}{twice}"
            hint = f"name one for each of {', '.join(cut.tasks)}, in this order" if cut.tasks else "name one for each slice"
            yield _problem(message, (*cut.at, field), hint)


def _misfits(workload: Workload, volume: Volume, cut: Cut, readers: list[PodSet]) -> Iterator[Diagnostic]:
    """Errors if a JobSet cannot start each node from a job of its own."""
    at: FieldPath = (*cut.at, "deliver")
    if get(workload.ml_policy, ("mpi",), None) is not None:
        yield _problem("mpirun reads one list of hosts for all nodes of a run", at, "set over: tasks, or use deliver: subPath")
    elif cut.section.virtual is not None or cut.slices != nodes_of(workload):
        return  # reported where slices are counted
    elif len(readers) != 1 or get(workload.tree.value, (*readers[0].path, "replicas"), 1) != 1:
        message = f"{len(readers)} roles read the data, but the slices have one order of nodes"
        yield _problem(message, at, f"let one role read it: volumes.{cut.data.volume}.roles")
    elif new_claim(volume) is not None:
        for podset, _ in users_of(workload, cut.data.volume, volume):
            if podset not in readers:
                message = f"role {podset.name} mounts the volume, but only the nodes have slices"
                hint = f"set volumes.{cut.data.volume}.roles: [{readers[0].name}]"
                yield _problem(message, ("spec", "volumes", cut.data.volume), hint)


def _apart(
    workload: Workload, experiment: Experiment, cut: Cut, podset: PodSet, sources: list[str], setting: Setting
) -> Contributions:
    """What the pod of each node has of its own, for the target to write, and its variables."""
    data, volume = cut.data, experiment.spec.volumes[cut.data.volume]
    create = new_claim(volume)
    if create is not None:
        wrong = [*_unbound(create, cut, data), *_whole(experiment, volume, data)]
        yield from wrong
        if wrong:
            return
        yield Contribution(("objects", f"PersistentVolumeClaim/{claim_name(data.volume, create, setting)}"), None, cut.at)
    elif volume.pvc is not None and not sources:
        yield _problem("one claim would be that of all nodes", (*cut.at, "deliver"), "add sources: the claim of each slice")
        return
    place = source_of(volume).replaceable
    assert place is not None, "checked by the caller"
    for position in range(cut.slices):
        of_node: FieldPath = ("apart", podset.name, str(position))
        if sources:
            at: FieldPath = (*cut.at, "sources", position if len(sources) == len(cut.section.sources) else 0)
            value = sources[position]
            if create is not None:
                bound, value = value, slice_claim(claim_name(data.volume, create, setting), position)
                of_claim: FieldPath = ("spec", "volumes", data.volume, "pvc", "create")
                yield from claim(data.volume, create, 1, setting, of_claim, read_only=False, slice_of=position)
                yield Contribution(("objects", f"PersistentVolumeClaim/{value}", "spec", "volumeName"), bound, at)
            yield Contribution((*of_node, "volumes", data.volume), {"path": list(place), "value": value}, at)
        if cut.section.nodes:
            yield Contribution((*of_node, "node"), cut.section.nodes[position], (*cut.at, "nodes", position))
    yield index_variable(workload, podset, cut.at)
    yield variable(podset, data.variable("TJGEN_SLICE_COUNT"), str(cut.slices), cut.at)
    if cut.over == "processes":
        yield variable(podset, data.variable("TJGEN_SLICE_OVER"), "processes", (*cut.at, "over"))


def _unbound(create: NewClaim, cut: Cut, data: DataSection) -> Iterator[Diagnostic]:
    """Errors if the claims could not be bound to the PersistentVolumes that `sources` names."""
    at: FieldPath = ("spec", "volumes", data.volume, "pvc", "create")
    if not cut.section.sources:
        message = f'volume "{data.volume}" is a new claim, so each slice needs the PersistentVolume that holds it'
        yield _problem(message, (*cut.at, "deliver"), "add sources: the PersistentVolume of each slice, or use deliver: subPath")
    elif create.storage_class_name is None:
        message = "a claim binds only to a PersistentVolume of its own storage class, and the cluster would set its default class"
        yield _problem(message, at, 'set storageClassName to that of the PersistentVolumes; "" if they have none')
    elif create.scope == "run":
        message = "a PersistentVolume has one claim, so claims of one run leave none for the next run"
        yield _problem(message, (*at, "scope"), "remove scope")
    elif create.content is not None:
        message = "the PersistentVolumes of `sources` hold the data, so nothing fills their claims"
        yield _problem(message, (*at, "from"), "remove from")


def _whole(experiment: Experiment, volume: Volume, data: DataSection) -> Iterator[Diagnostic]:
    """Errors for programs that would mount one claim of the volume: each slice has a claim of its own."""
    spec = experiment.spec
    prefetches = [] if spec.prefetch is None else [spec.prefetch, *spec.prefetch.sets.values()]
    users: dict[str, tuple[bool, FieldPath]] = {
        "backup": (volume.pvc is not None and volume.pvc.backup is not None, ("volumes", data.volume, "pvc", "backup")),
        "prefetch": (any(one.volume == data.volume for one in prefetches), ("prefetch",)),
        "checkpoints": (spec.checkpoints is not None and spec.checkpoints.volume == data.volume, ("checkpoints", "volume")),
        "monitor.diagnose": (spec.monitor is not None and spec.monitor.diagnose, ("monitor", "diagnose")),
    }
    for field, (is_user, at) in users.items():
        if is_user:
            message = f'{field} needs one claim of volume "{data.volume}", but each slice has a claim of its own'
            yield _problem(message, ("spec", *at), "remove it, or create the claims yourself and name them in sources")


def _problem(message: str, path: FieldPath, hint: str) -> Diagnostic:
    return Diagnostic(problems.NO_VOLUME, message, path=path, hint=hint)


# Slices that are folders -> the mount of each node.

INDEX = "$(INDEX)"


def deliver_folders(workload: Workload, experiment: Experiment, cut: Cut, readers: list[PodSet]) -> Contributions:
    """Every node sees the folder of its slice alone."""
    yield from _folders(workload, cut.data, experiment.spec.volumes[cut.data.volume], cut, readers)


def _folder_of_slice(data: DataSection, position: str) -> str:
    """The folder of one slice below the volume; `position` is its number, or a reference to it."""
    assert data.slices is not None
    folder = (data.slices.folder or INDEX).replace(INDEX, position)
    return "/".join(part.strip("/") for part in (data.path, folder) if part)


def _folders(workload: Workload, data: DataSection, volume: Volume, cut: Cut, readers: list[PodSet]) -> Contributions:
    mounts = list(places(volume, (*SPEC, "volumes", data.volume)))
    if len(mounts) > 1:
        message = f'volume "{data.volume}" is mounted at {len(mounts)} paths, but only one of them could show the slice'
        yield Diagnostic(problems.FOLDER, message, path=mounts[1].because, hint="mount it at one path")
        return
    create = new_claim(volume)
    if create is not None and create.volume_mode == "Block":
        message = f'volume "{data.volume}" is a raw device (volumeMode Block), which has no folders'
        yield Diagnostic(problems.FOLDER, message, path=(*cut.at, "deliver"), hint="use deliver: env with ranges of its blocks")
        return
    [place] = mounts
    at: FieldPath = ("volumeMounts", (("mountPath", place.path),))
    for podset in readers:
        mount: Tree = get(workload.tree.value, (*podset.main, *at), {})
        before = mount.get("subPath") or mount.get("subPathExpr")
        number = str(cut.position) if cut.tasks else "$(TJGEN_SLICE_INDEX)"
        below = _folder_of_slice(data, number)
        if "subPath" in mount:
            yield Contribution((*podset.main, *at, "subPath"), None, cut.at)
        field = "subPath" if cut.tasks and "subPathExpr" not in mount else "subPathExpr"
        yield Contribution((*podset.main, *at, field), f"{before}/{below}" if before else below, (*cut.at, "deliver"))
        yield variable(podset, data.variable("TJGEN_DATA_PATH"), place.path, cut.at)
        if not cut.tasks:
            yield index_variable(workload, podset, cut.at)
        yield variable(podset, data.variable("TJGEN_SLICE_COUNT"), str(len(cut.tasks) or cut.slices), cut.at)
        if cut.over == "processes":
            yield variable(podset, data.variable("TJGEN_SLICE_OVER"), "processes", (*cut.at, "over"))
