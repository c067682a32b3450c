"""Runs as they are shown -> what namespaces take together, and how far quotas and queues are filled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.totals.quotas import Limits, summed, used
from tjgen.compiler.totals.table import Row
from tjgen.compiler.totals.tally import idle, together
from tjgen.language.runs.lock import CURRENT, REQUESTING, SUSPENDED
from tjgen.language.setting import ClusterSettings
from tjgen.tools.report.content import Bar, Shown, Sum
from tjgen.trees.k8s.quantity import Quantity, parse


def _requests(run: Shown) -> bool:
    """Whether a run requests devices: it is current, or superseded or orphaned and not stopped."""
    return run.state in REQUESTING and not run.stopped


def rows(runs: Sequence[Shown]) -> list[Row]:
    """The runs as rows of a summary, in their order."""
    return [
        Row(
            run.name,
            run.state,
            run.totals if _requests(run) else idle(run.totals),
            run.place.environment or "",
            run.cluster,
            run.place.namespace,
            run.place.name,
            run.device_class,
            run.labels,
            run.cost,
            run.project,
        )
        for run in runs
    ]


def sums(runs: Sequence[Shown]) -> list[Sum]:
    """What the runs of each namespace request together, in the order of the runs."""
    groups: dict[tuple[str, str], list[Shown]] = {}
    for run in runs:
        if _requests(run):
            groups.setdefault((run.place.environment or "", run.place.namespace), []).append(run)
    return [
        Sum(
            environment,
            namespace,
            len(group),
            sum(one.state != CURRENT for one in group),
            together([one.totals for one in group]),
        )
        for (environment, namespace), group in groups.items()
    ]


def bars(runs: Sequence[Shown], plans: Sequence[Plan]) -> list[Bar]:
    """The quotas and queues that the Platforms name, and what the runs of all projects take of them."""
    capacity_bars: list[Bar] = []
    places: dict[tuple[str | None, str], ClusterSettings] = {}
    for plan in plans:
        for environment in plan.environments:
            places.setdefault((environment, plan.devices(environment).cluster), plan.cluster(environment))
    for (environment, name), cluster in places.items():
        own = [run for run in runs if (run.place.environment, run.cluster) == (environment, name)]
        for namespace, quota in cluster.quotas.items():
            in_namespace = [one for one in own if one.place.namespace == namespace]
            capacity_bars += _bars(environment, f"namespace {namespace}", quota, in_namespace)
        for queue, capability in cluster.queues.items():
            capacity_bars += _bars(environment, f"queue {queue}", capability, [one for one in own if one.queue == queue])
    return capacity_bars


def _bars(environment: str | None, holder: str, bounds: Limits, runs: Sequence[Shown]) -> Iterator[Bar]:
    takes = [one for run in runs if _requests(run) for one in used(run.totals, bounds)]
    # A run that waits has claims all the same.
    takes += [one for run in runs if run.state == SUSPENDED or run.stopped for one in used(run.totals, bounds) if one[1]]
    amounts = summed(takes)
    for key, limit in bounds.items():
        allowed = parse(limit)
        amount = amounts.get(key, 0)
        share = amount / allowed.nanos if allowed.nanos else float("inf") if amount else 0.0
        yield Bar(environment or "", holder, key, str(Quantity(amount, allowed.format)), str(limit), share)
