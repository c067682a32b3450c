"""Plans of projects -> the report of the runs of their sources, and of the other runs that stay in their output trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built, ProjectFindings, Result, Run, Watch
from tjgen.compiler.building.timelines import timelines
from tjgen.gitops.diff.compare import compare
from tjgen.gitops.diff.side import Side, only, place_of
from tjgen.gitops.emit.ondisk import files
from tjgen.gitops.output.attributions import Attributions
from tjgen.gitops.output.layout import path_of, run_folder
from tjgen.gitops.output.planned import bodies_on_disk, plan_side
from tjgen.language.catalog.find import Catalog
from tjgen.language.runs.lock import LockedRun
from tjgen.language.runs.store import LockKey
from tjgen.tools.report.capacity import bars, sums
from tjgen.tools.report.content import Changes, Report, SharedPart, Shown
from tjgen.tools.report.run import KnownRun, ReportContext, age, shown
from tjgen.tools.report.shares import parts_of, paths_by_name, several, shared_by
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.manifests.manifest import RUNS
from tjgen.trees.session import Session
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple


class ReportOptions:
    """What a report is wanted of. `against` is a revision or a folder; `expanded` shows fields of previews."""

    __slots__ = ("against", "directory", "expanded")

    def __init__(self, directory: str | None, against: str | None, *, expanded: bool) -> None:
        self.directory = directory
        self.against = against
        self.expanded = expanded


class ProjectPart(NamedTuple):
    """What a report shows of one project."""

    plan: Plan
    runs: Sequence[Shown]
    shared: Mapping[str, SharedPart]
    built: Sequence[Run]
    changes: Changes | None
    diagnostics: Sequence[Diagnostic]


def of_build(plan: Plan, wanted: ReportOptions, watch: Watch | None = None, results: Iterable[Result] | None = None) -> Report:
    """The report of one project. Without an output tree, it is that of `results`, if they are given.

    Raises CompileError where locks, the tree, or what it is compared with cannot be read.
    """
    return report_of(plan, [part_of(plan, wanted, watch, results)])


def report_of(plan: Plan, parts: Sequence[ProjectPart], problems: Sequence[Diagnostic] = ()) -> Report:
    """The report of a project, or of the projects of a workspace, whose plan is `plan`. Quotas and queues are those of all."""
    runs = [run for part in parts for run in part.runs]
    document = plan.project.document
    title = document.value.get("metadata", {}).get("name") if document is not None else None
    return Report(
        str(title or "Training runs"),
        _subject(plan),
        runs,
        {path: one for part in parts for path, one in part.shared.items()},
        sums(runs),
        bars(runs, [part.plan for part in parts]),
        {
            name: rate
            for part in parts
            for environment in part.plan.environments
            for name, rate in part.plan.cluster(environment).bandwidth.items()
        },
        list(dict.fromkeys([*problems, *(one for part in parts for one in part.diagnostics)])),
        [part.changes for part in parts if part.changes is not None],
        list(timelines([(part.plan, run) for part in parts for run in part.built])),
    )


def part_of(
    plan: Plan, wanted: ReportOptions, watch: Watch | None = None, results: Iterable[Result] | None = None
) -> ProjectPart:
    """What a report shows of one project. Raises CompileError as `of_build` does."""
    units: list[Built] = []
    if wanted.directory is not None:
        side, diagnostics = plan_side(plan, wanted.directory, units.append, watch)
    else:
        side, diagnostics = _built_alone(plan, units, build(plan, Session(), watch=watch) if results is None else results)
    changes, problems = _changes(plan, wanted, side)
    known = _known(plan, side, units, wanted.directory)
    versions = plan.release_of(plan.environments[0]).versions
    catalog = Catalog(plan.project.spec.catalogs, plan.project.directory, versions=versions)
    shared = several(one.files for one in known)
    look = ReportContext(
        side.attribution_of,
        catalog,
        plan.release_of,
        plan.devices,
        lambda environment: plan.cluster(environment).claims,
        frozenset(shared),
        wanted.expanded,
    )
    entries = {(one.place.key, one.name): one for one in changes.entries if one.place.stage == RUNS} if changes else {}
    project = plan.project.name_in_workspace
    prefix = f"{project}/" if project else ""
    runs = [shown(one, look)._replace(change=entries.get((one.place.key, one.name)), project=project) for one in known]
    return ProjectPart(
        plan,
        [one._replace(uses=tuple(prefix + path for path in one.uses)) for one in runs] if prefix else runs,
        {prefix + path: one for path, one in parts_of(shared, side.bodies, side.attribution_of).items()},
        [run for unit in units for run in unit.runs],
        changes,
        [*diagnostics, *problems],
    )


def _subject(plan: Plan) -> str:
    environments = ", ".join(name for name in plan.environments if name)
    return "built from the sources" + (f", in {environments}" if environments else "")


def _built_alone(plan: Plan, units: list[Built], results: Iterable[Result]) -> tuple[Side, list[Diagnostic]]:
    """A build without an output tree: what is built is all that there is."""
    diagnostics: list[Diagnostic] = []
    for built in results:
        diagnostics += built.diagnostics
        if not isinstance(built, ProjectFindings):
            units.append(built)
    return side_of([run for unit in units for run in unit.runs]), diagnostics


def side_of(runs: Sequence[Run]) -> Side:
    """Runs as one side of a comparison, without locks."""
    attributions = Attributions()
    attributions.add(runs)
    bodies = {path_of(manifest, run): dump(manifest.tree) for run in runs for manifest in run.compiled.manifests}
    return Side("this build", bodies, {}, attributions.find)


def _changes(plan: Plan, wanted: ReportOptions, new: Side) -> tuple[Changes | None, list[Diagnostic]]:
    if wanted.against is None or wanted.directory is None:
        return None, []
    import os

    problems: list[Diagnostic] = []
    if os.path.isdir(wanted.against):
        old = Side(wanted.against, bodies_on_disk(wanted.against), {})
    else:
        from tjgen.gitops.output.earlier import earlier  # it builds the sources of then

        old, problems = earlier(wanted.against, plan, wanted.directory, new)
    old = old._replace(bodies=only(old.bodies, plan.environments))
    new = new._replace(bodies=only(new.bodies, plan.environments))
    return Changes(wanted.against, compare(old, new), plan.project.name_in_workspace), problems


def _known(plan: Plan, side: Side, units: Sequence[Built], directory: str | None) -> list[KnownRun]:
    """Every run of the units, and of a whole project every run that the tree or a lock has."""
    built: dict[tuple[str, str], Run] = {(unit.unit.key, run.name): run for unit in units for run in unit.runs}
    problems = {unit.unit.key: tuple(unit.diagnostics) for unit in units}
    sources = {unit.unit.key: unit.unit.source for unit in units}
    places = {
        unit.unit.key: LockKey(unit.unit.environment, unit.unit.namespace, unit.unit.name) for unit in units if unit.unit.name
    }
    locked: dict[tuple[str, str], LockedRun] = {
        (key, run.name): run for key, lock in side.locks.items() for run in lock.runs.values()
    }
    own: dict[tuple[str, str], dict[str, str]] = {}
    for path, body in only(side.bodies, plan.environments).items():
        at = place_of(path)
        if at is not None and at.stage == RUNS:
            places.setdefault(at.key, LockKey(at.environment or None, at.namespace, at.experiment))
            own.setdefault((at.key, at.run), {})[path] = body
    known = paths_by_name(side.bodies)
    names = {**dict.fromkeys(own), **dict.fromkeys(built), **dict.fromkeys(key for key in locked if key[0] in places)}
    result = []
    for key, name in names:
        if not plan.whole and key not in sources:
            continue
        place, lock, run = places[key], locked.get((key, name)), built.get((key, name))
        files_of = own.get((key, name), {})
        together = {**shared_by(place, files_of, lock, run, known, side.bodies), **files_of}
        source = sources.get(key) or _source(directory, run_folder(place, name))
        where = f"{directory}/{run_folder(place, name)}" if directory is not None and files_of else ""
        result.append(KnownRun(place, name, together, source, where, lock, run, problems.get(key, ()) if run is not None else ()))
    return sorted(result, key=lambda one: _order(one, plan))


def _source(directory: str | None, folder: str) -> str:
    """The file that the header of a run's files names."""
    return next((file.source for file in files(directory, folder)), "") if directory is not None else ""


def _order(one: KnownRun, plan: Plan) -> tuple[object, ...]:
    environments = plan.environments
    at = environments.index(one.place.environment) if one.place.environment in environments else len(environments)
    return (at, one.place.namespace, one.place.name, *age(one))
