"""A build -> the verdicts on its runs, for each cluster of the project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.building.environment import EnvironmentSettings
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Run
from tjgen.compiler.fit.demand import demand_of
from tjgen.compiler.fit.findings import findings
from tjgen.compiler.fit.start import verdicts
from tjgen.compiler.fit.verdicts import FitCluster, FitRun, FitVerdict
from tjgen.language.resolve.project import PlatformDocument
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.typing import NamedTuple


class ClusterFit(NamedTuple):
    """The result for one cluster."""

    platform: str
    cluster: str
    nodes: int
    verdicts: list[FitVerdict]
    diagnostics: list[Diagnostic]


def fit(runs: Sequence[tuple[Plan, Run]]) -> Iterator[ClusterFit]:
    """The result for each cluster: environments and projects of one cluster share its nodes.

    Raises CompileError for an environment without a Platform with nodes (TJ585).
    """
    clusters: dict[tuple[str, str], tuple[PlatformDocument, EnvironmentSettings, list[Run]]] = {}
    for plan, run in runs:
        environment = run.unit.environment
        platform = plan.project.platform(environment)
        if platform is None:
            where = f"environment {environment}" if environment is not None else "the project"
            hint = "add a Platform with nodePools or nodes to platforms in tjgen.yaml"
            raise CompileError([Diagnostic("TJ585", f"{where} has no Platform, so its nodes are unknown", hint=hint)])
        key = (plan.project.cluster(environment), platform.platform.metadata.name)
        known = clusters.setdefault(key, (platform, plan.settings[environment], []))
        known[2].extend(requesting_runs([run]))
    for (cluster, _), (platform, settings, own) in clusters.items():
        yield _fit(cluster, platform, settings, own)


def _fit(cluster: str, platform: PlatformDocument, settings: EnvironmentSettings, runs: Sequence[Run]) -> ClusterFit:
    name = platform.platform.metadata.name
    empty = settings.nodes
    if empty is None:
        hint = "describe them in nodePools, or import them with tjgen nodes import"
        span = platform.document.locate(("metadata", "name"))
        raise CompileError([Diagnostic("TJ585", f"Platform {name} has no nodes", span=span, hint=hint)])
    built = fit_runs(runs, empty)
    results = verdicts([one for _, one in built], empty)
    diagnostics: list[Diagnostic] = []
    for (run, _), verdict in zip(built, results, strict=True):
        diagnostics += findings(verdict, empty, run.variant.tree, run.compiled.sources)
    return ClusterFit(name, cluster, len(empty.cluster.nodes), results, diagnostics)


def requesting_runs(runs: Sequence[Run]) -> list[Run]:
    """The runs that start if they can: neither suspended nor archived."""
    return [run for run in runs if run.state == "active" and not run.is_record]


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
