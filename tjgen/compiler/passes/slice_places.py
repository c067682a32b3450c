"""Slices that are folders or volumes of their own -> the mount of each node, or the volume of each task."""

from __future__ import annotations

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.data_sections import DataSection
from tjgen.compiler.passes.slice_readers import Cut
from tjgen.compiler.passes.slice_variables import index_variable, variable
from tjgen.compiler.volumes.mounts import places
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.compiler.volumes.table import source_of
from tjgen.language.slicing import problems
from tjgen.language.spec.objects import Experiment, Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.workload import PodSet, Workload

INDEX = "$(INDEX)"


def deliver(workload: Workload, experiment: Experiment, cut: Cut, readers: list[PodSet]) -> Contributions:
    """Every node sees the folder of its slice alone, or every task mounts a volume of its own."""
    data = cut.data
    volume = experiment.spec.volumes[data.volume]
    if cut.section.deliver == "subPath":
        yield from _folders(workload, data, volume, cut, readers)
    else:
        yield from _volumes(data, volume, cut, readers)


def folder_of_slice(data: DataSection, position: str) -> str:
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
        below = folder_of_slice(data, number)
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


def _volumes(data: DataSection, volume: Volume, cut: Cut, readers: list[PodSet]) -> Contributions:
    if not cut.tasks:
        message = "all pods of a run use one template, so they cannot have different volumes"
        hint = "set over: tasks and give each node's work a task, or use deliver: subPath"
        yield Diagnostic(problems.NO_VOLUME, message, path=(*cut.at, "deliver"), hint=hint)
        return
    place = source_of(volume).replaceable
    if place is None:
        message = f'volume "{data.volume}" is not a claim, image or hostPath, so `sources` cannot name another one'
        hint = "give each task the volume by its own `volumes`"
        yield Diagnostic(problems.NO_VOLUME, message, path=(*cut.at, "sources"), hint=hint)
        return
    sources = cut.section.sources
    if len(sources) != len(cut.tasks) or len(set(sources)) != len(sources):
        twice = f", {len(sources) - len(set(sources))} of them twice" if len(set(sources)) != len(sources) else ""
        message = f"there are {len(sources)} sources for {len(cut.tasks)} tasks{twice}"
        hint = f"name one for each of {', '.join(cut.tasks)}, in this order"
        yield Diagnostic(problems.NO_VOLUME, message, path=(*cut.at, "sources"), hint=hint)
        return
    for podset in readers:
        path: FieldPath = (*podset.pod, "volumes", named(data.volume), *place)
        yield Contribution(path, sources[cut.position], (*cut.at, "sources", cut.position))
