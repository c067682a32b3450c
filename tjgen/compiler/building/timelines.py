"""A build -> the timeline of the runs of each cluster, and the devices that its nodes and queues have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.queueing.kueue.objects import ResourceFlavor
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.validate.builtin.gotext import parse_duration
from tjgen.compiler.building.environment import EnvironmentSettings
from tjgen.compiler.building.fit import fit_runs, requesting_runs
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Run
from tjgen.compiler.fit.findings import findings
from tjgen.compiler.fit.shared_cluster import shared_cluster
from tjgen.compiler.fit.timeline import BOUND, ESTIMATE, UNKNOWN, RunDuration, TimedRun, timeline
from tjgen.compiler.fit.verdicts import FitCluster
from tjgen.compiler.totals.cost import deadline_of, devices_of
from tjgen.language.platform.devices import Accelerator
from tjgen.language.platform.prices import priced_names
from tjgen.language.resolve.project import PlatformDocument
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.typing import NamedTuple

_SECOND = 10**9


class PlannedRun(NamedTuple):
    """A run of a timeline."""

    environment: str
    timed: TimedRun
    devices: Mapping[str, int]
    """Class of devices -> number of all pods."""
    places: Mapping[str, int]
    """Node pool -> number of pods on it, for a run that starts."""
    findings: tuple[Diagnostic, ...]
    """Why it does not start now."""


class ClusterTimeline(NamedTuple):
    """The runs of one cluster."""

    cluster: str
    nodes: int
    """0 if the Platform describes none: only queues count."""
    runs: list[PlannedRun]
    capacity: Mapping[str, int]
    """Class of devices -> devices of all nodes, if they are known."""
    quotas: Mapping[tuple[str, str], int]
    """Class of devices and queue -> the queue's own quota."""


def timelines(runs: Sequence[tuple[Plan, Run]]) -> Iterator[ClusterTimeline]:
    """The timeline of each cluster whose Platform has nodes or queues.

    The environments and projects of one cluster share its nodes.
    """
    clusters: dict[tuple[str, str], tuple[PlatformDocument, EnvironmentSettings, list[Run]]] = {}
    for plan, run in runs:
        environment = run.unit.environment
        platform = plan.project.platform(environment)
        if platform is not None:
            key = (plan.project.cluster(environment), platform.platform.metadata.name)
            known = clusters.setdefault(key, (platform, plan.settings[environment], []))
            known[2].extend(requesting_runs([run]))
    for (cluster, _), (platform, settings, own) in clusters.items():
        spec = platform.platform.spec
        if not own:
            continue
        if settings.nodes is not None:
            yield _timeline(cluster, platform, settings.nodes, own, settings.classes)
        elif spec.queues and not (spec.node_pools or spec.nodes):
            yield _timeline(cluster, platform, shared_cluster([], platform.platform), own, settings.classes)


def _timeline(
    cluster: str, platform: PlatformDocument, shared: FitCluster, runs: Sequence[Run], classes: Mapping[str, Accelerator]
) -> ClusterTimeline:
    built = fit_runs(runs, shared)
    timed = timeline([one for _, one in built], [_duration(run) for run, _ in built], shared)
    pools = [name for name, pool in platform.platform.spec.node_pools.items() for _ in range(pool.count)]
    pools += ["imported"] * (len(shared.cluster.nodes) - len(pools))
    planned = [
        PlannedRun(
            run.unit.environment or "",
            one,
            devices_of(run.compiled.manifests, run.compiled.previews, classes),
            _places(one, pools),
            tuple(findings(one.verdict, shared, run.variant.tree, run.compiled.sources)),
        )
        for (run, _), one in zip(built, timed, strict=True)
    ]
    names = dict.fromkeys(name for one in planned for name in one.devices)
    known = {name: device for each in classes.values() for name, device in priced_names(each)}
    kinds = {name: known.get(name, Accelerator(name, resource=name)) for name in names}
    capacity = {name: _capacity(kind, shared.cluster) for name, kind in kinds.items()} if shared.cluster.nodes else {}
    quotas: dict[tuple[str, str], int] = {}
    for name, kind in kinds.items():
        resource = kind.resource or (kind.dra.device_class_name if kind.dra is not None else "")
        for queue in shared.quotas.queues.values():
            shares = [quota[resource] for flavor, quota in queue.flavors if resource in quota and _matches(kind, flavor)]
            if shares:
                quotas[name, queue.name] = sum(shares)
        quotas |= {(name, queue): limits[resource] for queue, limits in shared.capabilities.items() if resource in limits}
    return ClusterTimeline(cluster, len(shared.cluster.nodes), planned, capacity, quotas)


def _duration(run: Run) -> RunDuration:
    """The estimate of the author, or the deadline."""
    trees = [one.tree for one in run.compiled.manifests]
    for tree in trees:
        text = get(tree, ("spec", "runningEstimate"), None)
        if isinstance(text, str) and (nanoseconds := parse_duration(text)) > 0:
            return RunDuration(ESTIMATE, -(-nanoseconds // _SECOND))
    deadline = deadline_of(trees)
    return RunDuration(BOUND, deadline) if deadline else RunDuration(UNKNOWN)


def _places(one: TimedRun, pools: Sequence[str]) -> dict[str, int]:
    placement = one.at_start.placement if one.at_start is not None else None
    places: dict[str, int] = {}
    for _, position in placement.placed if placement is not None else ():
        places[pools[position]] = places.get(pools[position], 0) + 1
    return places


def _capacity(kind: Accelerator, cluster: ScheduledCluster) -> int:
    """Devices of all nodes of a class."""
    total = 0
    for node in cluster.nodes:
        if kind.node_selector.items() <= node.labels.items():
            total += node.allocatable.get(kind.resource or "", 0)
            total += node.devices.get(kind.dra.device_class_name, 0) if kind.dra is not None else 0
    return total


def _matches(kind: Accelerator, flavor: ResourceFlavor) -> bool:
    """Whether nodes of a flavor may have devices of a class."""
    return all(flavor.labels.get(label, value) == value for label, value in kind.node_selector.items())
