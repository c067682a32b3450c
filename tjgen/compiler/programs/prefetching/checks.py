"""The prefetches of an experiment -> what is wrong with each, and with several of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs.prefetching import job, nodes, problems
from tjgen.compiler.programs.prefetching.mounts import parts
from tjgen.compiler.programs.prefetching.sections import PrefetchSection, filled_by
from tjgen.compiler.volumes.claims import access_modes, own_folder
from tjgen.compiler.volumes.mounts import mount_path, places
from tjgen.compiler.volumes.protocol import DATA_LOAD, JOB, JOB_OF_NODE, NOTHING
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.language.resolve.volume_paths import leads_out, within
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, PrefetchSource, Volume
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath

_PATTERN = regex.compile(r"[*?\[]|\{[^{}]*(,|\.\.)[^{}]*\}")
"""What a shell expands."""


def problems_of(sections: Sequence[PrefetchSection], experiment: Experiment) -> Iterator[Diagnostic]:
    """What is wrong with the prefetches, independent of the cluster."""
    for section in sections:
        yield from _section(section, experiment)
    yield from _overlaps(sections)
    yield from _order(sections, experiment)
    yield from nodes.order_problems(sections, experiment)


def _section(section: PrefetchSection, experiment: Experiment) -> Iterator[Diagnostic]:
    fields, at = section.fields, section.at
    known = experiment.spec.volumes
    if fields.volume is None:
        if section.name or fields.source is not None or fields.command or not _has_cache(experiment):
            message = f"{section.field} sets no volume for the data"
            hint = "add volume" if section.name else "add volume, or remove all fields except cache"
            yield Diagnostic(problems.NOTHING, message, path=at, hint=hint)
        return
    source = fields.source
    named: tuple[tuple[str | None, FieldPath], ...] = (
        (fields.volume, (*at, "volume")),
        (source.volume if source is not None else None, (*at, "source", "volume")),
    )
    for name, place in named:
        if name is not None and name not in known:
            message = f'the experiment has no volume "{name}"'
            hint = f"use one of {', '.join(known)}" if known else "add it to volumes"
            yield Diagnostic(problems.VOLUME, message, path=place, hint=hint)
            return
    kind = filled_by(section, experiment)
    yield from nodes.problems_of(section, experiment)
    if kind == DATA_LOAD:
        if source is not None or fields.command:
            message = f'volume "{fields.volume}" is a data set of Fluid, which defines where the data comes from'
            hint = "remove source and command, and set it in the mounts of the data set"
            yield Diagnostic(problems.SOURCE, message, path=at, hint=hint)
        return
    if kind == NOTHING:
        message = f'volume "{fields.volume}" is filled by a pod of its own, which cannot reach it'
        hint = "use pvc, nfs or hostPath, or use cache for data on each node"
        yield Diagnostic(problems.NODES, message, path=(*at, "volume"), hint=hint)
    if source is None and not fields.command:
        message = f"{section.field} sets no source of the data"
        yield Diagnostic(problems.NOTHING, message, path=at, hint="add source, or an image and a command that fetch the data")
    elif source is not None and source.uri is not None and not fields.command:
        yield from _store(source, source.uri, (*at, "source"))
    if source is not None and source.volume == fields.volume:
        message = f'volume "{fields.volume}" is both the source and the destination'
        yield Diagnostic(problems.SOURCE, message, path=(*at, "source", "volume"), hint="name another volume")
    folders: list[tuple[str | None, str | None, FieldPath]] = [(fields.path, fields.volume, at)]
    folders += [(source.path, source.volume, (*at, "source"))] if source is not None else []
    for path, name, place in folders:
        if path is not None and leads_out(path):
            message = f"path {path} points outside the volume"
            hint = within(path, mount_path(known.get(name or "")))
            yield Diagnostic(problems.PATH, message, path=(*place, "path"), hint=hint)
    if source is not None:
        yield from _paths(source.paths, (*at, "source", "paths"), literal=not fields.command)


def _has_cache(experiment: Experiment) -> bool:
    return experiment.spec.prefetch is not None and experiment.spec.prefetch.cache is not None


def _store(source: PrefetchSource, uri: str, at: FieldPath) -> Iterator[Diagnostic]:
    known = job.remote(uri)
    if known is None:
        message = f'no built-in program reads "{uri}"'
        *most, last = [f"{scheme}://" for scheme in job.STORES if scheme not in job.UNENCRYPTED]
        hint = f"use {', '.join(most)} or {last}, or set image and command"
        yield Diagnostic(problems.SOURCE, message, path=at, hint=hint)
    elif source.paths and not known.store.workers:
        message = f"source.paths selects files of a folder, and {uri} is fetched as a whole"
        folders = ", ".join(f"{scheme}://" for scheme, store in job.STORES.items() if store.workers)
        yield Diagnostic(problems.PATHS, message, path=(*at, "paths"), hint=f"remove paths, or use {folders} or a volume")


def _paths(paths: Sequence[str], at: FieldPath, *, literal: bool) -> Iterator[Diagnostic]:
    """Paths that leave the source, that no list of files can have, that are meant as patterns, or that are part of each other.

    `literal` is false if a command of the experiment reads them: it may expand patterns.
    """
    usable = []
    for position, path in enumerate(paths):
        place: FieldPath = (*at, position)
        if leads_out(path):
            message = f"path {path} points outside the source"
            yield Diagnostic(problems.PATH, message, path=place, hint="name a file or folder of the source")
        elif "/".join(parts(path)) != path or path.strip() != path or not path.isprintable():
            message = f'"{path}" is not a normalized path'
            hint = f"write {'/'.join(parts(path.strip())) or 'the path of a file or folder'}"
            yield Diagnostic(problems.PATHS, message, path=place, hint=hint)
        elif literal and (mark := _PATTERN.search(path)) is not None:
            folder = path[: mark.start()].rpartition("/")[0]
            message = f"source.paths has the pattern {path}, but each entry must be the name of one file or folder"
            whole = f"write {folder} to copy that folder" if folder else "remove paths to copy the whole source"
            yield Diagnostic(problems.PATHS, message, path=place, hint=f"{whole}, or list each file")
        else:
            usable.append(position)
    for inner, outer in _nested([parts(paths[position]) for position in usable]):
        path, position = paths[usable[inner]], usable[inner]
        message = f"source.paths has {path}, which {paths[usable[outer]]} contains"
        yield Diagnostic(problems.PATHS, message, path=(*at, position), hint=f"remove {path}")


def _overlaps(sections: Sequence[PrefetchSection]) -> Iterator[Diagnostic]:
    """Prefetches whose data is in one place of a volume."""
    placed = [section for section in sections if section.fields.volume is not None]
    for inner, outer in _nested([[section.volume, *parts(section.fields.path or "")] for section in placed]):
        one, other = placed[inner], placed[outer]
        message = f'{one.field} and {other.field} both fill {one.fields.path or "all"} of volume "{one.volume}"'
        hint = "give each a path of its own, such as " + " and ".join(sorted((one.name, other.name)))
        yield Diagnostic(problems.OVERLAP, message, path=(*one.at, "path" if one.fields.path else "volume"), hint=hint)


def _nested(paths: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """The position of each path that equals another path or is part of it, and the position of that other path."""
    outer: int | None = None
    for position in sorted(range(len(paths)), key=lambda one: list(paths[one])):
        if outer is not None and paths[position][: len(paths[outer])] == paths[outer]:
            yield position, outer
        else:
            outer = position


def _order(sections: Sequence[PrefetchSection], experiment: Experiment) -> Iterator[Diagnostic]:
    """Different priorities of a Job and a DataLoad, which do not wait for each other."""
    first: dict[str, PrefetchSection] = {}
    for section in sections:
        kind = filled_by(section, experiment)
        if kind in (JOB, JOB_OF_NODE, DATA_LOAD):
            first.setdefault(DATA_LOAD if kind == DATA_LOAD else JOB, section)
    if len(first) > 1 and len({section.fields.priority for section in sections}) > 1:
        message = f"{first[JOB].field} is a Job and {first[DATA_LOAD].field} a DataLoad of Fluid, which cannot be ordered"
        later = max(first.values(), key=sections.index)
        yield Diagnostic(problems.ORDER, message, path=later.at, hint="remove priority")


def warnings_of(section: PrefetchSection, volume: Volume, setting: Setting) -> Iterator[Diagnostic]:
    """What keeps the runs from the data of a Job, or its workers from each other."""
    create = new_claim(volume)
    for place in places(volume, (*SPEC, "volumes", section.volume)):
        if own_folder(create, shared=volume.shared, read_only=place.read_only, setting=setting) is not None:
            message = (
                f'the runs see only their own folders of volume "{section.volume}", but the prefetch does not '
                f"write to these folders"
            )
            yield Diagnostic(problems.UNSEEN, message, path=place.because, hint="add readOnly: true, or shared: true")
            return
    if create is not None and section.fields.workers > 1:
        modes = set(access_modes(create, section.fields.workers, setting, read_only=volume.read_only))
        if modes <= {"ReadWriteOnce", "ReadWriteOncePod"}:
            claim = f'the claim of volume "{section.volume}" is {", ".join(sorted(modes))}'
            message = f"{claim}, which {section.fields.workers} workers write to"
            hint = "use ReadWriteMany, or workers: 1"
            yield Diagnostic(problems.ONE_NODE, message, path=(*section.at, "workers"), hint=hint)
