"""ClusterQueues with what they use, and the pod sets of a workload -> the flavor of each pod set, or the sentence of Kueue.

Mirrors kueue v0.19 `pkg/scheduler/flavorassigner/flavorassigner.go` (`findFlavorForPodSets`, `checkFlavorForPodSets`,
`fitsResourceQuota`) and `pkg/cache/scheduler/resource_node.go`, for queues with one resource group, cohorts without limits and
without parents, and the default flavor fungibility. Preemption is not simulated: what needs it waits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tjgen.cluster.scheduling.filters.node_affinity import matches_required
from tjgen.cluster.scheduling.filters.taint_toleration import untolerated_taint
from tjgen.cluster.scheduling.node import shown
from tjgen.cluster.scheduling.pod import REQUIRED
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple

FITS, WAITS, NEVER = "fits", "waits", "never"


class ResourceFlavor(NamedTuple):
    """A kind of nodes."""

    name: str
    labels: Mapping[str, str]
    taints: Sequence[Tree]
    tolerations: Sequence[Tree]


class ClusterQueue(NamedTuple):
    """A queue and its quota."""

    name: str
    flavors: Sequence[tuple[ResourceFlavor, Mapping[str, int]]]
    """Flavors in order of preference, each with its quota: thousandths of a processor, bytes, or whole devices."""
    cohort: str = ""
    is_strict: bool = False
    """Whether a workload that does not fit keeps later ones from starting (StrictFIFO)."""


class PodSetRequest(NamedTuple):
    """Pods that Kueue places in one flavor."""

    name: str
    number: int
    spec: Tree
    requests: Mapping[str, int]
    """Resource -> amount of all its pods, as the quota."""


class QueueAssignment(NamedTuple):
    """What Kueue decides about a workload."""

    mode: str
    """FITS, WAITS for quota that others use, or NEVER."""
    flavors: Mapping[str, ResourceFlavor]
    """Pod set -> its flavor, if the workload fits."""
    message: str = ""
    """The sentence of the condition QuotaReserved."""
    usage: Mapping[tuple[str, str], int] = {}
    """Flavor and resource -> amount."""


class Quotas:
    """The queues of a cluster, and what admitted workloads use."""

    def __init__(self, queues: Sequence[ClusterQueue]) -> None:
        self.queues = {one.name: one for one in queues}
        self._used: _Used = {}

    def assign(self, queue: str, pod_sets: Sequence[PodSetRequest]) -> QueueAssignment:
        """The flavors of the pod sets. A workload that does not fit waits if it would fit without others, or never starts."""
        assignment = self._assign(self.queues[queue], pod_sets, self._used)
        if assignment.mode == FITS or (self._used and self._assign(self.queues[queue], pod_sets, {}).mode == FITS):
            return assignment
        return assignment._replace(mode=NEVER)

    def _assign(self, queue: ClusterQueue, pod_sets: Sequence[PodSetRequest], used: _Used) -> QueueAssignment:
        """`assignFlavors`: pod sets in order, so that the quota that one takes is not left for the next."""
        usage: dict[tuple[str, str], int] = {}
        flavors: dict[str, ResourceFlavor] = {}
        sentences: list[str] = []
        for one in pod_sets:
            flavor, reasons = _flavor(queue, one, usage, self._capacities(queue, used))
            if reasons:
                sentences.append(f"couldn't assign flavors to pod set {one.name}: {', '.join(sorted(reasons))}")
            if flavor is None:
                break
            flavors[one.name] = flavor
            for resource, amount in _requests(queue, one).items():
                usage[flavor.name, resource] = usage.get((flavor.name, resource), 0) + amount
        if sentences:
            return QueueAssignment(WAITS, {}, "; ".join(sentences))
        return QueueAssignment(FITS, flavors, "", usage)

    def admit(self, queue: str, assignment: QueueAssignment) -> None:
        """Reserve the quota of a workload that fits."""
        for (flavor, resource), amount in assignment.usage.items():
            key = (queue, flavor, resource)
            self._used[key] = self._used.get(key, 0) + amount

    def release(self, queue: str, assignment: QueueAssignment) -> None:
        """Return the quota of a workload that ended."""
        for (flavor, resource), amount in assignment.usage.items():
            self._used[queue, flavor, resource] -= amount

    def borrows(self, queue: str, assignment: QueueAssignment) -> bool:
        """Whether the workload would use more than the quota of its own queue."""
        quotas = {flavor.name: quota for flavor, quota in self.queues[queue].flavors}
        return any(
            self._used.get((queue, flavor, resource), 0) + amount > quotas[flavor].get(resource, 0)
            for (flavor, resource), amount in assignment.usage.items()
        )

    def _capacities(self, queue: ClusterQueue, used: _Used) -> _Capacities:
        """What the queue can use with its cohort, what the cohort uses, and its own quota."""
        members = [one for one in self.queues.values() if one.cohort == queue.cohort] if queue.cohort else [queue]

        def of(flavor: str, resource: str) -> tuple[int, int, int]:
            own = sum(quota.get(resource, 0) for each, quota in queue.flavors if each.name == flavor)
            most = sum(quota.get(resource, 0) for one in members for each, quota in one.flavors if each.name == flavor)
            return most, sum(used.get((one.name, flavor, resource), 0) for one in members), own

        return of


_Used = dict[tuple[str, str, str], int]
"""Queue, flavor and resource -> amount."""
_Capacities = Callable[[str, str], tuple[int, int, int]]
"""Flavor and resource -> `potentialAvailable`, what is used of it, and the nominal quota of the queue itself."""


def _flavor(
    queue: ClusterQueue, one: PodSetRequest, usage: Mapping[tuple[str, str], int], capacities: _Capacities
) -> tuple[ResourceFlavor | None, list[str]]:
    """`findFlavorForPodSets`: the first flavor that fits, or else the first in which preemption could help; and the reasons."""
    requests = _requests(queue, one)
    covered = {resource for _, quota in queue.flavors for resource in quota}
    undeclared = [resource for resource in sorted(requests) if resource not in covered and requests[resource]]
    if undeclared:
        return None, [f"resource {undeclared[0]} unavailable in ClusterQueue"]
    reasons: list[str] = []
    best: ResourceFlavor | None = None
    for flavor, _ in queue.flavors:
        reason = _mismatch(one.spec, flavor)
        if reason is not None:
            reasons.append(reason)
            continue
        lacking, is_possible = _lacking(flavor.name, requests, usage, capacities)
        if not lacking:
            return flavor, []
        reasons += lacking
        if is_possible and best is None:
            best = flavor
    return best, reasons


def _lacking(
    flavor: str, requests: Mapping[str, int], usage: Mapping[tuple[str, str], int], capacities: _Capacities
) -> tuple[list[str], bool]:
    """`fitsResourceQuota` for each resource, until one cannot fit: the reasons, and whether preemption could help."""
    reasons: list[str] = []
    for resource in sorted(requests):
        assumed = usage.get((flavor, resource), 0)
        total = assumed + requests[resource]
        most, used, nominal = capacities(flavor, resource)
        if total > most:
            reasons.append(
                f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets requests "
                f"({shown(resource, assumed)}) + current podset request ({shown(resource, requests[resource])}) "
                f"> maximum capacity ({shown(resource, most)})"
            )
            return reasons, False
        if total > most - used:
            more = shown(resource, total - (most - used))
            reasons.append(f"insufficient unused quota for {resource} in flavor {flavor}, {more} more needed")
            if nominal < total:
                return reasons, False
    return reasons, True


def _requests(queue: ClusterQueue, one: PodSetRequest) -> dict[str, int]:
    """The requests, with the number of pods if the queue has a quota for it."""
    if any("pods" in quota for _, quota in queue.flavors):
        return {**one.requests, "pods": one.number}
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
