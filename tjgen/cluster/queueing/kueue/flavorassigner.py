"""Queues and a workload -> the flavor of each of its pod sets, or the sentence of Kueue.

Mirrors kueue v0.19 `pkg/scheduler/flavorassigner/flavorassigner.go` (`findFlavorForPodSets`, `checkFlavorForPodSets`,
`fitsResourceQuota`) and `preemption_oracle.go` for queues with one resource group and the default flavor fungibility.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tjgen.cluster.queueing.kueue.objects import (
    ClusterQueue,
    FlavorResource,
    PodSetRequest,
    Quantities,
    QueuedWorkload,
    ResourceFlavor,
)
from tjgen.cluster.queueing.kueue.preemption import get_targets
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.scheduling.filters.node_affinity import matches_required
from tjgen.cluster.scheduling.filters.taint_toleration import untolerated_taint
from tjgen.cluster.scheduling.node import PODS, shown
from tjgen.cluster.scheduling.pod import REQUIRED
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple

FIT, PREEMPT, NO_FIT = "Fit", "Preempt", "NoFit"
_NO_FIT, _NO_CANDIDATES, _PREEMPT, _RECLAIM, _FIT = range(5)
"""`preemptionMode`, from the worst to the best."""


class _Mode(NamedTuple):
    """`granularMode`."""

    preemption: int
    borrowing: int

    def is_preferred(self, other: _Mode) -> bool:
        """`isPreferred`, with the default preference BorrowingOverPreemption."""
        if _NO_FIT in (self.preemption, other.preemption):
            return self.preemption != _NO_FIT
        return (self.preemption, -self.borrowing) > (other.preemption, -other.borrowing)


class _Attempt(NamedTuple):
    """A flavor for a pod set."""

    position: int
    """In the flavors of the queue."""
    flavor: ResourceFlavor
    mode: _Mode
    """The worst of its resources."""
    contested: Sequence[str]
    """Resources whose quota others use."""
    borrowing: int
    """1 if the queue borrows one of its resources."""


class Assignment(NamedTuple):
    """What Kueue decides about a workload."""

    mode: str
    """FIT, PREEMPT if its queue has the quota but others use it, or NO_FIT."""
    flavors: Mapping[str, ResourceFlavor]
    """Pod set -> its flavor, unless the mode is NO_FIT."""
    message: str = ""
    """The sentence of the condition QuotaReserved."""
    usage: Quantities = MappingProxyType({})
    contested: frozenset[FlavorResource] = frozenset()
    """Quota that others use."""
    borrowing: int = 0
    """1 if the queue borrows for it."""
    last_tried: Mapping[str, int] = MappingProxyType({})
    """`LastTriedFlavorIdx`: pod set -> the position of the last flavor that was tried; -1 if none is left."""

    @property
    def has_pending_flavors(self) -> bool:
        """`PendingFlavors`: whether another attempt may end with other flavors."""
        return any(position != -1 for position in self.last_tried.values())


def assign(workload: QueuedWorkload, snapshot: QueueSnapshot, last_tried: Mapping[str, int] = MappingProxyType({})) -> Assignment:
    """`assignFlavors`: pod sets in order, so that the quota that one takes is not left for the next.

    `last_tried` is the field of the assignment that failed before: the next attempt continues with later flavors.
    """
    queue = snapshot.queues[workload.queue]
    usage: dict[FlavorResource, int] = {}
    flavors: dict[str, ResourceFlavor] = {}
    contested: set[FlavorResource] = set()
    sentences: list[str] = []
    borrowing = 0
    tried: dict[str, int] = {}
    for one in workload.pod_sets:
        requests = _requests(queue, one)
        begin = last_tried.get(one.name, -1) + 1
        attempt, reasons = _find_flavor(snapshot, workload, one.spec, requests, usage, begin)
        if reasons:
            sentences.append(f"couldn't assign flavors to pod set {one.name}: {', '.join(sorted(reasons))}")
        if attempt is None:
            return Assignment(NO_FIT, {}, "; ".join(sentences), last_tried=tried)
        name = attempt.flavor.name
        flavors[one.name] = attempt.flavor
        is_early = attempt.mode.preemption == _FIT and attempt.position < len(queue.flavors) - 1
        tried[one.name] = attempt.position if is_early else -1
        borrowing = max(borrowing, attempt.borrowing)
        contested.update([(name, resource) for resource in attempt.contested])
        for resource, amount in requests.items():
            usage[name, resource] = usage.get((name, resource), 0) + amount
    mode = PREEMPT if contested else FIT
    return Assignment(mode, flavors, "; ".join(sentences), usage, frozenset(contested), borrowing, tried)


def _find_flavor(
    snapshot: QueueSnapshot, workload: QueuedWorkload, spec: Tree, requests: Mapping[str, int], usage: Quantities, begin: int
) -> tuple[_Attempt | None, list[str]]:
    """`findFlavorForPodSets`: the first flavor that fits, or else the best in which preemption could help; and the reasons.

    `begin` is the position of the first flavor to try.
    """
    queue = snapshot.queues[workload.queue]
    covered = {resource for _, quota in queue.flavors for resource in quota}
    undeclared = [resource for resource in sorted(requests) if resource not in covered and requests[resource]]
    if undeclared:
        return None, [f"resource {undeclared[0]} unavailable in ClusterQueue"]
    reasons: list[str] = []
    best: _Attempt | None = None
    for position, (flavor, _) in enumerate(queue.flavors):
        if position < begin:
            continue
        mismatch = _mismatch(spec, flavor)
        if mismatch is not None:
            reasons.append(mismatch)
            continue
        attempt, several = _try_flavor(snapshot, workload, position, requests, usage)
        reasons += several
        if attempt.mode.preemption == _FIT:
            return attempt, []
        if attempt.mode.preemption != _NO_FIT and (best is None or attempt.mode.is_preferred(best.mode)):
            best = attempt
    return best, reasons


def _try_flavor(
    snapshot: QueueSnapshot, workload: QueuedWorkload, position: int, requests: Mapping[str, int], usage: Quantities
) -> tuple[_Attempt, list[str]]:
    """Check the resources of a pod set in one flavor, until one cannot fit."""
    flavor, _ = snapshot.queues[workload.queue].flavors[position]
    worst = _Mode(_FIT, 0)
    contested: list[str] = []
    reasons: list[str] = []
    borrowing = 0
    for resource in sorted(requests):
        key = (flavor.name, resource)
        mode, reason = _fits_resource_quota(snapshot, workload, key, usage.get(key, 0), requests[resource])
        if reason:
            reasons.append(reason)
        if worst.is_preferred(mode):
            worst = mode
        if worst.preemption == _NO_FIT:
            break
        borrowing = max(borrowing, mode.borrowing)
        if mode.preemption != _FIT:
            contested.append(resource)
    return _Attempt(position, flavor, worst, contested, borrowing), reasons


def _fits_resource_quota(
    snapshot: QueueSnapshot, workload: QueuedWorkload, key: FlavorResource, assumed: int, request: int
) -> tuple[_Mode, str]:
    """`fitsResourceQuota`: how a resource can be assigned, and the reason if it does not fit at once."""
    flavor, resource = key
    total = assumed + request
    most = snapshot.potential_available(workload.queue, key)
    if total > most:
        return _Mode(_NO_FIT, 0), (
            f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets requests "
            f"({shown(resource, assumed)}) + current podset request ({shown(resource, request)}) "
            f"> maximum capacity ({shown(resource, most)})"
        )
    borrowing = snapshot.borrowing_level(workload.queue, key, total)
    available = snapshot.available(workload.queue, key)
    if total <= available:
        return _Mode(_FIT, borrowing), ""
    more = shown(resource, total - available)
    reason = f"insufficient unused quota for {resource} in flavor {flavor}, {more} more needed"
    can_borrow = snapshot.queues[workload.queue].preemption.borrow_within_cohort
    if snapshot.nominal(workload.queue, key) >= total or can_borrow:
        return _simulate_preemption(snapshot, workload, key, total), reason
    return _Mode(_NO_FIT, borrowing), reason


def _simulate_preemption(snapshot: QueueSnapshot, workload: QueuedWorkload, key: FlavorResource, amount: int) -> _Mode:
    """`SimulatePreemption`: whether others can be evicted for one resource."""
    targets = get_targets(snapshot, workload, {key: amount}, (key,))
    with snapshot.without(one.admitted for one in targets):
        borrowing = snapshot.borrowing_level(workload.queue, key, amount)
    if not targets:
        return _Mode(_NO_CANDIDATES, borrowing)
    own = any(one.admitted.workload.queue == workload.queue for one in targets)
    return _Mode(_PREEMPT if own else _RECLAIM, borrowing)


def _requests(queue: ClusterQueue, one: PodSetRequest) -> dict[str, int]:
    """The requests, with the number of pods if the queue has a quota for it."""
    if any(PODS in quota for _, quota in queue.flavors):
        return {**one.requests, PODS: one.number}
    return dict(one.requests)


def _mismatch(spec: Tree, flavor: ResourceFlavor) -> str | None:
    """`checkFlavorForPodSets`: why the pods cannot run on the nodes of a flavor."""
    tolerations = [*(spec.get("tolerations") or ()), *flavor.tolerations]
    taint = untolerated_taint(flavor.taints, tolerations)
    if taint is not None:
        words = " ".join([taint.get("key", ""), taint.get("value") or "", taint.get("effect", ""), "<nil>"])
        return f"untolerated taint {{{words}}} in flavor {flavor.name}"
    if not matches_required(_selector(spec, flavor.labels), flavor.labels, ""):
        return f"flavor {flavor.name} doesn't match node affinity"
    return None


def _selector(spec: Tree, labels: Mapping[str, str]) -> Tree:
    """`flavorSelector`: the parts of the selector and the affinity about labels of the flavor."""
    own = {label: value for label, value in (spec.get("nodeSelector") or {}).items() if label in labels}
    kept = []
    for term in get(spec, ("affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms"), None) or ():
        expressions = [one for one in term.get("matchExpressions") or () if one["key"] in labels]
        if not expressions:
            return {"nodeSelector": own}
        kept.append({"matchExpressions": expressions})
    affinity = {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": kept}}}} if kept else {}
    return {"nodeSelector": own, **affinity}


def in_flavor(spec: Tree, flavor: ResourceFlavor) -> Tree:
    """The spec of a pod that Kueue admits to a flavor: with its node labels and tolerations."""
    return {
        **spec,
        "nodeSelector": {**(spec.get("nodeSelector") or {}), **flavor.labels},
        "tolerations": [*(spec.get("tolerations") or ()), *flavor.tolerations],
    }
