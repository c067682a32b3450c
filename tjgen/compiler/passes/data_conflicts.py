"""Several data sets of one run -> those that read the same items, or that hide the items of another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from tjgen.compiler.passes import items as sources_of_items
from tjgen.compiler.passes.data_sections import DataSection
from tjgen.compiler.passes.isolation import folder_of_place, joined, met
from tjgen.compiler.volumes.mounts import places
from tjgen.compiler.volumes.table import source_of
from tjgen.language.setting import Setting
from tjgen.language.slicing import problems
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import NamedTuple

_HIDING = ("subPath", "volume")
"""Deliveries after which the volume shows only a slice."""


class _ItemsRead(NamedTuple):
    """What one data set reads."""

    section: DataSection
    source: tuple[str, ...]
    paths: list[str]
    """Below the root of the source."""


def conflicts(experiment: Experiment, sections: Sequence[DataSection], setting: Setting) -> Iterator[Diagnostic]:
    """Each pair of data sets that conflicts, at the later one of them."""
    hidden = list(_hidden(sections))
    yield from hidden
    if hidden:
        return
    reads = [read for one in sections if not one.shared for read in _reads(one, experiment, setting)]
    for one, other in combinations(reads, 2):
        path = met(one.paths, other.paths) if one.source == other.source else None
        if path is not None:
            where = f'{path} of volume "{other.section.volume}"' if path else f'volume "{other.section.volume}"'
            message = f'data sets "{one.section.name}" and "{other.section.name}" both read {where}'
            hint = f"give each data set items of its own, or set {other.section.field}.shared: true if this is intended"
            yield Diagnostic(problems.SAME_ITEMS, message, path=other.section.at, hint=hint)


def _hidden(sections: Sequence[DataSection]) -> Iterator[Diagnostic]:
    for one, other in combinations(sections, 2):
        for hiding in (one, other):
            if one.volume == other.volume and hiding.slices is not None and hiding.slices.deliver in _HIDING:
                reader = other if hiding is one else one
                shown = (
                    f'volume "{hiding.volume}" shows only a slice of data set "{hiding.name}" (deliver: {hiding.slices.deliver})'
                )
                message = f'{shown}, and data set "{reader.name}" reads it, too'
                hint = "add another volume with the same source for one of them"
                yield Diagnostic(problems.HIDDEN, message, path=(*reader.at, "volume"), hint=hint)
                break


def _reads(section: DataSection, experiment: Experiment, setting: Setting) -> Iterator[_ItemsRead]:
    """What a data set reads; nothing if a problem of its items is reported elsewhere."""
    volume = experiment.spec.volumes[section.volume]
    storage = source_of(volume).storage(section.volume, volume, setting)
    place = next(places(volume, section.at), None)
    if storage is None or place is None:
        return
    paths: Sequence[str] = [""]
    if section.items is not None and section.items.count is None:
        known, wrong = sources_of_items.listed(section, setting.directory, setting.sandbox, setting.session)
        if wrong:
            return
        paths = known.paths
    folder = joined(storage.folder, folder_of_place(volume, place.sub_path, place.read_only, setting), section.path)
    yield _ItemsRead(section, storage.key, [joined(folder, path) for path in paths])
