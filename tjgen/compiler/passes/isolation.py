"""The runs of an experiment with tasks -> whether two tasks read the same data, or one writes where another reads or writes.

What a task reads and writes are paths on a source: a claim, a folder of nodes, an export, an image. Two paths
meet when they are the same, or one is a folder that the other is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes import items as sources_of_items
from tjgen.compiler.passes.data_sections import DataSection, data_sections
from tjgen.compiler.passes.slice_readers import Cut
from tjgen.compiler.passes.slices import part_of_task
from tjgen.compiler.volumes.claims import own_folder
from tjgen.compiler.volumes.mounts import places
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.compiler.volumes.table import source_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Volume
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

Source = tuple[str, ...]


class VolumeUse(NamedTuple):
    """What one run does with a source."""

    task: str
    volume: str
    source: Source
    paths: Sequence[str]
    """Below the root of the source."""
    writes: bool
    at: FieldPath
    """The field of the experiment that sets it."""
    share: tuple[str, int] | None = None
    """What is divided by arithmetic, and which part of it: parts of one division have nothing in common."""


_MOST = 8
"""Overlaps of one use that are reported: the others have the same cause."""


def overlaps(runs: Iterable[tuple[Experiment, Setting]]) -> Iterator[tuple[str, Diagnostic]]:
    """Overlaps of two tasks, each once, with the later task, in whose experiment the diagnostic's path is."""
    by_source: dict[Source, list[VolumeUse]] = {}
    for experiment, setting in runs:
        for use in _uses(experiment, setting):
            by_source.setdefault(use.source, []).append(use)
    for uses in by_source.values():
        reported = set()
        for one, other in sorted(meeting(uses)):
            use, later = uses[one], uses[other]
            path = None if (use.task, later.task, use.volume, later.volume) in reported else met(use.paths, later.paths)
            if path is not None:
                reported.add((use.task, later.task, use.volume, later.volume))
                yield later.task, _overlap(use, later, path)


def meeting(uses: Sequence[VolumeUse]) -> Iterator[tuple[int, int]]:
    """The positions of two uses of different tasks that have a path in common, of each use with a few earlier ones."""
    index = UsesByPath()
    for number, use in enumerate(uses):
        candidates: set[int] = set()
        for path in dict.fromkeys(use.paths):
            for earlier in index.meeting(path, use.share):
                if uses[earlier].task != use.task:
                    candidates.add(earlier)
                if len(candidates) >= _MOST:
                    break
            if len(candidates) >= _MOST:
                break
        yield from ((earlier, number) for earlier in candidates)
        for path in dict.fromkeys(use.paths):
            index.add(path, use.share, number)


def met(one: Sequence[str], other: Sequence[str]) -> str | None:
    """A path that both have, as it is or in a folder; None if there is none."""
    for above, below in ((set(one), other), (set(other), one)):
        same = next((path for path in below if path in above), None)
        if same is not None:
            return same
        # Many items are in few folders: each folder is looked at once.
        for folder in dict.fromkeys([path.rpartition("/")[0] for path in below if path]):
            if any(one in above for one in _upwards(folder)):
                return next(path for path in below if path.rpartition("/")[0] == folder)
    return None


def _upwards(folder: str) -> Iterator[str]:
    yield folder
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _uses(experiment: Experiment, setting: Setting) -> Iterator[VolumeUse]:
    sections = data_sections(experiment)
    for name, volume in experiment.spec.volumes.items():
        storage = source_of(volume).storage(name, volume, setting)
        if storage is None:
            continue
        at: FieldPath = (*SPEC, "volumes", name)
        for place in places(volume, at):
            folder = folder_of_place(volume, place.sub_path, place.read_only, setting)
            for data in sections if place.at == next(places(volume, at)).at else ():
                read = _read(data, experiment, setting) if data.volume == name and not data.shared else None
                if read is not None:
                    paths = [joined(storage.folder, folder, data.path, path) for path in read.paths]
                    yield VolumeUse(setting.task, name, read.source or storage.key, paths, False, data.at, read.share)
            if not place.read_only and not volume.shared and place.sub_path_expr is None:
                yield VolumeUse(setting.task, name, storage.key, [joined(storage.folder, folder)], True, place.because)


def folder_of_place(volume: Volume, sub_path: str | None, read_only: bool, setting: Setting) -> str:
    """The folder of a volume that one mount of it shows."""
    return joined(own_folder(new_claim(volume), shared=volume.shared, read_only=read_only, setting=setting), sub_path)


class _Read(NamedTuple):
    """What a task reads below the folder of the data."""

    paths: Sequence[str]
    source: Source | None = None
    """A source of its own, instead of that of the volume."""
    share: tuple[str, int] | None = None


_ALL = _Read([""])


def _read(data: DataSection, experiment: Experiment, setting: Setting) -> _Read | None:
    """The items of the task; None where something is wrong with them, which is reported elsewhere."""
    slices = data.slices
    tasks = sorted(experiment.spec.tasks) if slices is not None and slices.over == "tasks" else []
    position = tasks.index(setting.task) if tasks else 0
    if slices is not None and slices.deliver == "volume":
        if not tasks:  # each node has a volume of its own
            return _ALL
        return _Read([""], ("own", slices.sources[position])) if position < len(slices.sources) else None
    if slices is not None and slices.deliver == "subPath":
        from tjgen.compiler.passes.slice_volumes import INDEX

        return _Read([(slices.folder or INDEX).replace(INDEX, str(position))]) if tasks else _ALL
    if data.items is None:
        return _ALL
    if slices is not None and slices.deliver == "range":
        cut_key = f"{slices.by} {len(tasks)} {slices.weights} {data.items.pattern} {data.items.count}"
        return _Read([""], None, (cut_key, position)) if tasks else _ALL
    known, problems = sources_of_items.listed(data, setting.directory, setting.sandbox, setting.session)
    if has_errors(problems):
        return None
    if slices is None or not tasks:
        return _Read(known.paths)
    part, _ = part_of_task(known, Cut(data, 1, 1, tasks, position), setting)
    return None if part is None else _Read(part.paths)


def joined(*parts: str | None) -> str:
    """A path of several parts, some of which may be empty."""
    return "/".join([stripped for part in parts if part and (stripped := part.strip("/"))])


def _overlap(one: VolumeUse, other: VolumeUse, path: str) -> Diagnostic:
    where = f'{path} of volume "{other.volume}"' if path else f'volume "{other.volume}"'
    if not one.writes and not other.writes:
        message = f'tasks "{one.task}" and "{other.task}" both read {where}'
        field = ".".join(map(str, other.at[len(SPEC) :]))
        hint = f"divide the items over tasks, give each task items of its own, or set {field}.shared: true if this is intended"
        return Diagnostic("TJ363", message, path=other.at, hint=hint)
    doing = "writes to" if one.writes and other.writes else "reads"
    first, second = (one, other) if one.writes else (other, one)
    both = f'tasks "{one.task}" and "{other.task}" both write to {where}'
    message = both if doing == "writes to" else f'task "{first.task}" can write to {where}, which task "{second.task}" reads'
    hint = "add readOnly: true, give each task a subPath or volume of its own, or set shared: true if this is intended"
    return Diagnostic("TJ364", message, path=other.at, hint=hint)


# Paths on one source -> the uses that meet: of the same path, of a folder that it is in, or of what is in it.
#
# Parts of one division by number have nothing in common (slicing/ranges.py shows it), so they do not meet.

Share = tuple[str, int] | None
"""What is divided, and which part of it."""

_Uses = dict[str, dict[int, list[int]]]
"""Division, part of it -> uses. Uses that are not part of a division are parts of one of their own."""


class UsesByPath:
    """An index of uses, which have numbers."""

    __slots__ = ("_at", "_below")

    def __init__(self) -> None:
        self._at: dict[str, _Uses] = {}
        self._below: dict[str, _Uses] = {}

    def add(self, path: str, share: Share, number: int) -> None:
        """Take the use of a path."""
        _put(self._at, path, share, number)
        for folder in _above(path):
            _put(self._below, folder, share, number)

    def meeting(self, path: str, share: Share) -> Iterator[int]:
        """The uses that meet a use of a path. One that meets it in several ways comes several times."""
        for place in (path, *_above(path)):
            yield from _others(self._at.get(place, {}), share)
        yield from _others(self._below.get(path, {}), share)


def _put(index: dict[str, _Uses], path: str, share: Share, number: int) -> None:
    division, part = share or ("", 0)
    index.setdefault(path, {}).setdefault(division, {}).setdefault(part, []).append(number)


def _others(uses: _Uses, share: Share) -> Iterator[int]:
    for division, parts in uses.items():
        if share is not None and division == share[0]:
            yield from parts.get(share[1], ())
        else:
            for numbers in parts.values():
                yield from numbers


def _above(path: str) -> Iterator[str]:
    """The folders that a path is in, the root "" last."""
    while path:
        path = path.rpartition("/")[0]
        yield path
