"""A pod set and a flavor of its queue -> whether the flavor matches the pods, and whether its quota suffices.

Mirrors kueue v0.19 `pkg/scheduler/flavorassigner/flavorassigner.go` (`checkFlavorForPodSets`, `fitsResourceQuota`) and
`preemption_oracle.go`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.queueing.kueue.objects import FlavorResource, Quantities, QueuedWorkload, ResourceFlavor
from tjgen.cluster.queueing.kueue.preemption import get_targets
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.scheduling.filters.node_affinity import matches_required
from tjgen.cluster.scheduling.filters.taint_toleration import untolerated_taint
from tjgen.cluster.scheduling.node import shown
from tjgen.cluster.scheduling.pod import REQUIRED
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple

MODE_NO_FIT, MODE_NO_CANDIDATES, MODE_PREEMPT, MODE_RECLAIM, MODE_FIT = range(5)
"""`preemptionMode`, from the worst to the best."""


class FlavorMode(NamedTuple):
    """`granularMode`."""

    preemption: int
    borrowing: int

    def is_preferred(self, other: FlavorMode) -> bool:
        """`isPreferred`, with the default preference BorrowingOverPreemption."""
        if MODE_NO_FIT in (self.preemption, other.preemption):
            return self.preemption != MODE_NO_FIT
        return (self.preemption, -self.borrowing) > (other.preemption, -other.borrowing)


class FlavorAttempt(NamedTuple):
    """A flavor for a pod set."""

    position: int
    """In the flavors of the queue."""
    flavor: ResourceFlavor
    mode: FlavorMode
    """The worst of its resources."""
    contested: Sequence[str]
    """Resources whose quota others use."""
    borrowing: int
    """1 if the queue borrows one of its resources."""


def try_flavor(
    snapshot: QueueSnapshot, workload: QueuedWorkload, position: int, requests: Mapping[str, int], usage: Quantities
) -> tuple[FlavorAttempt, list[str]]:
    """Check the resources of a pod set in one flavor, until one cannot fit."""
    flavor, _ = snapshot.queues[workload.queue].flavors[position]
    worst = FlavorMode(MODE_FIT, 0)
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
        if worst.preemption == MODE_NO_FIT:
            break
        borrowing = max(borrowing, mode.borrowing)
        if mode.preemption != MODE_FIT:
            contested.append(resource)
    return FlavorAttempt(position, flavor, worst, contested, borrowing), reasons


def _fits_resource_quota(
    snapshot: QueueSnapshot, workload: QueuedWorkload, key: FlavorResource, assumed: int, request: int
) -> tuple[FlavorMode, str]:
    """`fitsResourceQuota`: how a resource can be assigned, and the reason if it does not fit at once."""
    flavor, resource = key
    total = assumed + request
    most = snapshot.potential_available(workload.queue, key)
    if total > most:
        return FlavorMode(MODE_NO_FIT, 0), (
            f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets requests "
            f"({shown(resource, assumed)}) + current podset request ({shown(resource, request)}) "
            f"> maximum capacity ({shown(resource, most)})"
        )
    borrowing = snapshot.borrowing_level(workload.queue, key, total)
    available = snapshot.available(workload.queue, key)
    if total <= available:
        return FlavorMode(MODE_FIT, borrowing), ""
    more = shown(resource, total - available)
    reason = f"insufficient unused quota for {resource} in flavor {flavor}, {more} more needed"
    can_borrow = snapshot.queues[workload.queue].preemption.borrow_within_cohort
    if snapshot.nominal(workload.queue, key) >= total or can_borrow:
        return _simulate_preemption(snapshot, workload, key, total), reason
    return FlavorMode(MODE_NO_FIT, borrowing), reason


def _simulate_preemption(snapshot: QueueSnapshot, workload: QueuedWorkload, key: FlavorResource, amount: int) -> FlavorMode:
    """`SimulatePreemption`: whether others can be evicted for one resource."""
    targets = get_targets(snapshot, workload, {key: amount}, (key,))
    with snapshot.without(one.admitted for one in targets):
        borrowing = snapshot.borrowing_level(workload.queue, key, amount)
    if not targets:
        return FlavorMode(MODE_NO_CANDIDATES, borrowing)
    own = any(one.admitted.workload.queue == workload.queue for one in targets)
    return FlavorMode(MODE_PREEMPT if own else MODE_RECLAIM, borrowing)


def flavor_mismatch(spec: Tree, flavor: ResourceFlavor) -> str | None:
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
