"""The mounts of the main containers -> warnings about those below a read-only mount, where the container may not start."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.volumes.mounts import folder_path, mounts_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.workload import PodSet, Workload

_PREFETCH: FieldPath = (*SPEC, "prefetch")
_PREPARED = ("configMap", "secret", "downwardAPI", "projected")
"""Volumes in which the kubelet creates the folders of other mounts (`MakeNestedMountpoints`, kubernetes pkg/volume/util)."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """Report mounts whose folder the container runtime cannot create (TJ239)."""
    del setting
    known = experiment.spec.volumes
    if not any(volume.read_only or volume.mounts or volume.image for volume in known.values()):
        return
    reported = set[str]()
    for podset in workload.podsets:
        for outer, inner in _nested(workload, podset):
            because = _field(workload, podset, inner)
            if because is None or inner["mountPath"] in reported:
                continue
            reported.add(inner["mountPath"])
            folder = folder_path(inner["mountPath"]).removeprefix(f"{folder_path(outer['mountPath'])}/")
            message = (
                f"{inner['mountPath']} is below {outer['mountPath']}, which is read-only: "
                f'the container starts only if volume "{outer["name"]}" has the folder {folder}'
            )
            hint = f"mount it outside of {outer['mountPath']}, or create {folder} on the volume before the run"
            yield Diagnostic("TJ239", message, path=because, hint=hint)


def _field(workload: Workload, podset: PodSet, mount: Tree) -> FieldPath | None:
    """The field of the experiment that causes a mount; None if there is none, or if a program of tjgen creates its folder."""
    at: FieldPath = (*podset.main, "volumeMounts", (("mountPath", mount["mountPath"]),))
    because = next((origin.because for origin in workload.tree.origins(at) if origin.source == EXPERIMENT), None)
    if because is None or (because[:2] == _PREFETCH and "cache" not in because):
        return None
    return because[:3] if because[1] == "volumes" else because


def _nested(workload: Workload, podset: PodSet) -> Iterator[tuple[Tree, Tree]]:
    """A read-only mount and one below it, if the runtime must create the folder of the second one."""
    mounts = mounts_of(workload, podset)
    volumes = {volume["name"]: volume for volume in get(workload.tree.value, (*podset.pod, "volumes"), None) or []}
    by_folder = {folder_path(mount["mountPath"]): mount for mount in mounts}
    for inner in mounts:
        outer = _around(folder_path(inner["mountPath"]), by_folder)
        if outer is None or not outer.get("readOnly"):
            continue
        volume = volumes.get(outer["name"], {})
        if not any(kind in volume for kind in _PREPARED):
            yield outer, inner


def _around(folder: str, by_folder: dict[str, Tree]) -> Tree | None:
    """The mount of the nearest folder above a folder."""
    while folder := folder.rpartition("/")[0]:
        if folder in by_folder:
            return by_folder[folder]
    return None
