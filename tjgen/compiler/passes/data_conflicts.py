"""Several data sets of one run -> those that read the same items, or that hide the items of another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.passes import items as sources_of_items
from tjgen.compiler.passes.data_sections import DataSection
from tjgen.compiler.passes.isolation import Source, VolumeUse, folder_of_place, joined, meeting, met
from tjgen.compiler.volumes.mounts import places
from tjgen.compiler.volumes.table import source_of
from tjgen.language.setting import Setting
from tjgen.language.slicing import problems
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import render

_HIDING = ("subPath", "volume")
"""Deliveries after which the volume shows only a slice."""


def conflicts(experiment: Experiment, sections: Sequence[DataSection], setting: Setting) -> Iterator[Diagnostic]:
    """Each pair of data sets that conflicts, at the later one of them."""
    hidden = list(_hidden(sections))
    yield from hidden
    if hidden:
        return
    by_source: dict[Source, list[VolumeUse]] = {}
    for section in sections:
        for use in _reads(section, experiment, setting) if not section.shared else ():
            by_source.setdefault(use.source, []).append(use)
    for uses in by_source.values():
        for one, other in sorted(meeting(uses)):
            path = met(uses[one].paths, uses[other].paths)
            if path is not None:
                yield _overlap(uses[one], uses[other], path)


def _overlap(one: VolumeUse, other: VolumeUse, path: str) -> Diagnostic:
    where = f'{path} of volume "{other.volume}"' if path else f'volume "{other.volume}"'
    message = f'data sets "{one.task}" and "{other.task}" both read {where}'
    hint = f"give each data set items of its own, or set {render(other.at[1:])}.shared: true if this is intended"
    return Diagnostic(problems.SAME_ITEMS, message, path=other.at, hint=hint)


def _hidden(sections: Sequence[DataSection]) -> Iterator[Diagnostic]:
    by_volume: dict[str, list[DataSection]] = {}
    for section in sections:
        by_volume.setdefault(section.volume, []).append(section)
    for volume, readers in by_volume.items():
        hiding = next((one for one in readers if one.slices is not None and one.slices.deliver in _HIDING), None)
        if hiding is None or hiding.slices is None:
            continue
        shown = f'volume "{volume}" shows only a slice of data set "{hiding.name}" (deliver: {hiding.slices.deliver})'
        for reader in readers:
            if reader is not hiding:
                message = f'{shown}, but data set "{reader.name}" also reads it'
                hint = "add another volume with the same source for one of them"
                yield Diagnostic(problems.HIDDEN, message, path=(*reader.at, "volume"), hint=hint)


def _reads(section: DataSection, experiment: Experiment, setting: Setting) -> Iterator[VolumeUse]:
    """What a data set reads, with its name as the task; nothing if a problem of its items is reported elsewhere."""
    volume = experiment.spec.volumes[section.volume]
    storage = source_of(volume).storage(section.volume, volume, setting)
    place = next(places(volume, section.at), None)
    if storage is None or place is None:
        return
    paths: Sequence[str] = [""]
    if section.items is not None and section.items.count is None:
        known, wrong = sources_of_items.listed(section, setting.directory, setting.sandbox, setting.session)
        if has_errors(wrong):
            return
        paths = known.paths
    folder = joined(storage.folder, folder_of_place(volume, place.sub_path, place.read_only, setting), section.path)
    paths = [joined(folder, path) for path in paths]
    yield VolumeUse(section.name, section.volume, storage.key, paths, False, section.at)
