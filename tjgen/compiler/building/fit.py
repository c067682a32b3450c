"""A build -> the verdicts on its runs, for each cluster of the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.compiler.building.environment import EnvironmentSettings
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Run
from tjgen.compiler.fit.demand import demand_of
from tjgen.compiler.fit.findings import Others, findings, left_findings, locked_findings
from tjgen.compiler.fit.holders import holders_of
from tjgen.compiler.fit.start import verdicts
from tjgen.compiler.fit.verdicts import FitCluster, FitRun, FitVerdict
from tjgen.language.resolve.project import PlatformDocument
from tjgen.language.runs.lock import ACTIVE
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple


class ClusterFit(NamedTuple):
    """The result for one cluster."""

    platform: str
    cluster: str
    nodes: int
    verdicts: list[FitVerdict]
    diagnostics: list[Diagnostic]


class TreeRun(NamedTuple):
    """A run as the output tree has it."""

    environment: str | None
    namespace: str
    name: str
    queue: str
    manifests: list[Manifest]
    previews: list[Manifest]
    state: str
    """SUPERSEDED or ORPHANED, or another state if no source makes it; empty if it is locked, and its source has other pods."""


class _Cluster(NamedTuple):
    platform: PlatformDocument
    settings: EnvironmentSettings
    runs: list[Run]
    others: list[TreeRun]
    """Runs that no source makes."""


_Locked = Mapping[tuple["str | None", str, str], TreeRun]
"""Environment, namespace and name of a run -> the same run in the tree."""


def fit(
    runs: Sequence[tuple[Plan, Run]],
    of_tree: Sequence[tuple[Plan, TreeRun]] = (),
    is_wanted: Callable[[str], bool] = lambda _: True,
) -> Iterator[ClusterFit]:
    """The result for each cluster: environments and projects of one cluster share its nodes.

    `of_tree`: the runs of output trees that replace `runs` of the same name, or exist in addition to them. The diagnostics are
    those of runs whose name `is_wanted`. Raises CompileError for an environment without a Platform with nodes (TJ585).
    """
    clusters: dict[tuple[str, str], _Cluster] = {}
    for plan, run in runs:
        environment = run.unit.environment
        platform = plan.project.platform(environment)
        if platform is None:
            where = f"environment {environment}" if environment is not None else "the project"
            hint = "add a Platform with nodePools or nodes to platforms in tjgen.yaml"
            raise CompileError([Diagnostic("TJ585", f"{where} has no Platform, so its nodes are unknown", hint=hint)])
        _cluster(clusters, plan, environment, platform).runs.extend(requesting_runs([run]))
    for plan, one in of_tree:
        platform = plan.project.platform(one.environment)
        if one.state and platform is not None:
            _cluster(clusters, plan, one.environment, platform).others.append(one)
    locked = {(one.environment, one.namespace, one.name): one for _, one in of_tree if not one.state}
    for (cluster, _), shared in clusters.items():
        yield _fit(cluster, shared, locked, is_wanted)


def _cluster(
    clusters: dict[tuple[str, str], _Cluster], plan: Plan, environment: str | None, platform: PlatformDocument
) -> _Cluster:
    key = (plan.project.cluster(environment), platform.platform.metadata.name)
    return clusters.setdefault(key, _Cluster(platform, plan.settings[environment], [], []))


def _fit(cluster: str, shared: _Cluster, locked: _Locked, is_wanted: Callable[[str], bool]) -> ClusterFit:
    platform = shared.platform
    name = platform.platform.metadata.name
    empty = shared.settings.nodes
    if empty is None:
        hint = "describe them in nodePools, or import them with tjgen nodes import"
        span = platform.document.locate(("metadata", "name"))
        raise CompileError([Diagnostic("TJ585", f"Platform {name} has no nodes", span=span, hint=hint)])
    # Runs that exist already come first among those of equal priority.
    others = [one for one in (_of_tree(other, empty, other.state) for other in shared.others) if one.demand.number]
    built = fit_runs(shared.runs, empty)
    of_tree = [locked.get((run.unit.environment, run.unit.namespace, run.name)) for run, _ in built]
    placed = [
        one if other is None else _of_tree(other, empty, "locked, source differs")
        for (_, one), other in zip(built, of_tree, strict=True)
    ]
    results = verdicts([*others, *placed], empty)
    left, own = results[: len(others)], results[len(others) :]
    points = Counter(run.unit.key for (run, _), verdict in zip(built, own, strict=True) if verdict.order)
    reports: list[_Report] = []
    for (run, one), other, verdict in zip(built, of_tree, own, strict=True):
        if not is_wanted(run.name):
            continue
        tree, sources = run.variant.tree, run.compiled.sources
        around = Others(holders_of(verdict, left), points[run.unit.key])
        if other is None:
            several = findings(verdict, empty, tree, sources, around)
        else:
            several = locked_findings(verdict, one, empty, tree, sources, around)
        reports += [_Report(run.unit.key, run.name, diagnostic) for diagnostic in several]
    diagnostics = [
        *_of_points(reports),
        *[one for verdict in left if is_wanted(verdict.run.name) for one in left_findings(verdict)],
    ]
    return ClusterFit(name, cluster, len(empty.cluster.nodes), results, diagnostics)


class _Report(NamedTuple):
    experiment: str
    run: str
    diagnostic: Diagnostic


def _of_points(reports: Sequence[_Report]) -> Iterator[Diagnostic]:
    """The diagnostics, those that are equal for several points of a sweep only once."""
    groups: dict[tuple[object, ...], list[_Report]] = {}
    for one in reports:
        own = one.diagnostic
        message = own.message.replace(f"run {one.run}", "run", 1)
        groups.setdefault((one.experiment, own.code, own.span, message, own.hint), []).append(one)
    for group in groups.values():
        first, more = group[0], len(group) - 1
        if not more:
            yield first.diagnostic
            continue
        points = f"run {first.run} (and {more} more point{'s' * (more != 1)} like it)"
        yield first.diagnostic._replace(message=first.diagnostic.message.replace(f"run {first.run}", points, 1))


def _of_tree(one: TreeRun, shared: FitCluster, state: str) -> FitRun:
    demand = demand_of(one.manifests, one.previews, shared.priorities)
    return FitRun(one.name, one.namespace, one.queue, demand, state)


def requesting_runs(runs: Sequence[Run]) -> list[Run]:
    """The runs that start if they can: neither suspended nor archived."""
    return [run for run in runs if run.state == ACTIVE and not run.is_record]


def fit_runs(runs: Sequence[Run], shared: FitCluster) -> list[tuple[Run, FitRun]]:
    """Runs with their pods. A build that refuses a run may leave it without pods, and reports why; such runs are left out."""
    several = [
        FitRun(
            run.name,
            run.unit.namespace,
            run.variant.experiment.spec.schedule.queue or "",
            demand_of(run.compiled.manifests, run.compiled.previews, shared.priorities),
        )
        for run in runs
    ]
    return [(run, one) for run, one in zip(runs, several, strict=True) if one.demand.number]
