"""An output tree on disk -> its report: the runs in files and locks, even if the sources have changed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tjgen.cluster.schema.store import OWN
from tjgen.cluster.trainer.release import Release, chosen
from tjgen.cluster.validate.check import check
from tjgen.compiler.building.environment import priced_devices
from tjgen.gitops.diff.compare import compare
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.diff.side import Side, no_attribution, only, place_of
from tjgen.gitops.emit.ondisk import files
from tjgen.gitops.output.inventory import disagreements, entries
from tjgen.gitops.output.planned import bodies_on_disk, body_of
from tjgen.language.catalog.find import Catalog
from tjgen.language.resolve.project import FILE, LoadedProject, alone, find
from tjgen.language.resolve.project_file import load
from tjgen.language.runs.lock import LockedRun
from tjgen.language.runs.store import LockKey, Locks
from tjgen.tools.report.capacity import sums
from tjgen.tools.report.content import Changes, Report
from tjgen.tools.report.run import KnownRun, ReportContext, age, shown
from tjgen.tools.report.shares import parts_of, paths_by_name, several, shared_by
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.files.regular import read_regular
from tjgen.trees.manifests.manifest import RUNS


def is_tree(path: str) -> bool:
    """Whether a folder is an output tree: it has files of ours where such a tree has them, and no project file."""
    if not os.path.isdir(path) or os.path.lexists(os.path.join(path, FILE)):
        return False
    return any(place_of(file) is not None for file in bodies_on_disk(path))


def of_tree(directory: str, *, environments: Sequence[str], against: str | None, trainer: str | None, expanded: bool) -> Report:
    """The report of the tree. Raises CompileError where it, its locks or what it is compared with cannot be read."""
    file = find(directory)
    project, diagnostics = load(file) if file is not None else (alone(), [])
    bodies = bodies_on_disk(directory)
    if environments:
        _known_environments(bodies, environments)
        bodies = only(bodies, environments)
    locks = _locks(project, environments) if file is not None else {}
    known = _known(directory, bodies, locks)
    shared = several(one.files for one in known)
    catalog = Catalog(project.spec.catalogs, project.directory)
    look = ReportContext(
        no_attribution,
        catalog,
        lambda name: _release(project, name, trainer),
        lambda name: priced_devices(project, name),
        lambda name: platform.platform.spec.claims if (platform := project.platform(name)) is not None else {},
        frozenset(shared),
        expanded,
    )
    if file is not None and project.spec.output.directory is not None and _is_output(project, directory):
        stored = Locks(project.directory)
        diagnostics += disagreements(directory, stored.folder, entries(stored, environments))
    versions = {**_release(project, None, trainer).versions, **({OWN: project.schemas} if project.schemas else {})}
    for path in bodies:
        diagnostics += check(read_regular(os.path.join(directory, path)), f"{directory}/{path}", versions=versions)
    runs = [shown(one, look) for one in known]
    changes = _changes(directory, against, Side(directory, bodies, {})) if against is not None else None
    if changes is not None:
        becomes = {(one.place.key, one.name): one for one in changes.entries if one.place.stage == RUNS}
        runs = [run._replace(change=becomes.get((run.place.key, run.name))) for run in runs]
    title = project.document.value.get("metadata", {}).get("name") if project.document is not None else None
    shared_parts = parts_of(shared, bodies, no_attribution)
    subject = f"as they are in {directory}"
    return Report(
        str(title or "Training runs"),
        subject,
        runs,
        shared_parts,
        sums(runs),
        (),
        {},
        diagnostics,
        [changes] if changes is not None else [],
    )


def _known_environments(bodies: Mapping[str, str], wanted: Sequence[str]) -> None:
    known = sorted({place.environment for path in bodies if (place := place_of(path)) is not None and place.environment})
    unknown = [name for name in wanted if name not in known]
    if unknown:
        message = f'the tree has no environment "{unknown[0]}"'
        hint = f"use one of {', '.join(known)}" if known else "remove --env"
        raise CompileError([Diagnostic("TJ262", message, hint=hint)])


def _release(project: LoadedProject, environment: str | None, requested: str | None) -> Release:
    own = project.environment(environment)
    return chosen(requested or (own.trainer if own is not None else None) or project.spec.trainer)


def _is_output(project: LoadedProject, directory: str) -> bool:
    return os.path.realpath(os.path.join(project.directory, str(project.spec.output.directory))) == os.path.realpath(directory)


def _locks(project: LoadedProject, environments: Sequence[str]) -> dict[tuple[str, str], LockedRun]:
    return {(place.key, run.name): run for place, run in entries(Locks(project.directory), environments)}


def _known(directory: str, bodies: Mapping[str, str], locks: Mapping[tuple[str, str], LockedRun]) -> list[KnownRun]:
    own: dict[tuple[LockKey, str], dict[str, str]] = {}
    for path, body in bodies.items():
        at = place_of(path)
        if at is not None and at.stage == RUNS:
            place = LockKey(at.environment or None, at.namespace, at.experiment)
            own.setdefault((place, at.run), {})[path] = body
    result = []
    known = paths_by_name(bodies)
    for (place, name), inside in own.items():
        locked = locks.get((place.key, name))
        folder = next(iter(inside)).rpartition("/")[0]
        source = next((one.source for one in files(directory, folder)), "")
        together = {**shared_by(place, inside, locked, None, known, bodies), **inside}
        result.append(KnownRun(place, name, together, source, f"{directory}/{folder}", locked))
    return sorted(result, key=lambda one: (one.place.environment or "", one.place.namespace, one.place.name, *age(one)))


def _changes(directory: str, against: str, new: Side) -> Changes:
    if os.path.isdir(against):
        return Changes(against, compare(Side(against, bodies_on_disk(against), {}), new))
    repository = Repository.around(directory)
    contents = repository.files(repository.commit(against), repository.path_of(directory))
    bodies = {path: body for path, content in contents.items() if (body := body_of(content)) is not None}
    return Changes(against, compare(Side(against, bodies, {}), new))
