"""Slices that are folders -> the mount of each node."""

from __future__ import annotations

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.data_sections import DataSection
from tjgen.compiler.passes.slice_readers import Cut
from tjgen.compiler.passes.slice_variables import index_variable, variable
from tjgen.compiler.volumes.mounts import places
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.language.slicing import problems
from tjgen.language.spec.objects import Experiment, Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.workload import PodSet, Workload

INDEX = "$(INDEX)"


def deliver(workload: Workload, experiment: Experiment, cut: Cut, readers: list[PodSet]) -> Contributions:
    """Every node sees the folder of its slice alone."""
    yield from _folders(workload, cut.data, experiment.spec.volumes[cut.data.volume], cut, readers)


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
