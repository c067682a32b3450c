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
from tjgen.trees.typing import NamedTuple

_NAMESPACE, _QUEUE = "namespace", "queue"


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
    """The quotas and queues that the Platforms name, and what the runs of all projects take of them.

    Environments of one cluster share a bound that their Platforms describe alike.
    """
    bounds: dict[_Bound, list[str | None]] = {}
    limits: dict[_Bound, Limits] = {}
    for plan in plans:
        for environment in plan.environments:
            cluster = plan.devices(environment).cluster
            for bound, limit in _bounds(cluster, plan.cluster(environment)):
                sharing = bounds.setdefault(bound, [])
                limits[bound] = limit
                if environment not in sharing:
                    sharing.append(environment)
    capacity_bars: list[Bar] = []
    for bound, environments in bounds.items():
        own = [run for run in runs if run.cluster == bound.cluster and run.place.environment in environments and bound.holds(run)]
        where = ", ".join(environment for environment in environments if environment)
        capacity_bars += _bars(where, f"{bound.kind} {bound.name}", limits[bound], own)
    return capacity_bars


class _Bound(NamedTuple):
    """The quota of a namespace, or the capability of a queue."""

    cluster: str
    kind: str
    name: str
    amounts: tuple[tuple[str, str], ...]

    def holds(self, run: Shown) -> bool:
        """Whether a run of the cluster counts against it."""
        return (run.place.namespace if self.kind == _NAMESPACE else run.queue) == self.name


def _bounds(cluster: str, settings: ClusterSettings) -> Iterator[tuple[_Bound, Limits]]:
    for kind, limits in ((_NAMESPACE, settings.quotas), (_QUEUE, settings.queues)):
        for name, amounts in limits.items():
            yield _Bound(cluster, kind, name, tuple([(key, str(amount)) for key, amount in amounts.items()])), amounts


def _bars(environment: str, holder: str, bounds: Limits, runs: Sequence[Shown]) -> Iterator[Bar]:
    takes = [one for run in runs if _requests(run) for one in used(run.totals, bounds)]
    # A run that waits has claims all the same.
    takes += [one for run in runs if run.state == SUSPENDED or run.stopped for one in used(run.totals, bounds) if one[1]]
    amounts = summed(takes)
    for key, limit in bounds.items():
        allowed = parse(limit)
        amount = amounts.get(key, 0)
        share = amount / allowed.nanos if allowed.nanos else float("inf") if amount else 0.0
        yield Bar(environment, holder, key, str(Quantity(amount, allowed.format)), str(limit), share)
