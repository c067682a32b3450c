"""ClusterQueues with what they use, and the pod sets of a workload -> the flavor of each pod set, or the sentence of Kueue.

Mirrors kueue v0.19 `pkg/scheduler/flavorassigner/flavorassigner.go` (`findFlavorForPodSets`, `checkFlavorForPodSets`,
`fitsResourceQuota`) and `pkg/cache/scheduler/resource_node.go`, for queues with one resource group, cohorts without limits and
without parents, and the default flavor fungibility. Preemption is not simulated: what needs it waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.scheduling.filters.node_affinity import matches_required
from tjgen.cluster.scheduling.filters.taint_toleration import is_tolerated
from tjgen.cluster.scheduling.node import shown
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple

FITS, WAITS, NEVER = "fits", "waits", "never"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_HARD = ("NoSchedule", "NoExecute")


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
    cause: str = ""
    """Pod set that does not fit."""


class Quotas:
    """The queues of a cluster, and what admitted workloads use."""

    def __init__(self, queues: Sequence[ClusterQueue]) -> None:
        self.queues = {one.name: one for one in queues}
        self._used: dict[tuple[str, str, str], int] = {}

    def assign(self, queue: str, pod_sets: Sequence[PodSetRequest]) -> QueueAssignment:
        """The flavors of the pod sets, in order: the quota that one takes is not left for the next."""
        own = self.queues[queue]
        usage: dict[tuple[str, str], int] = {}
        flavors: dict[str, ResourceFlavor] = {}
        for one in pod_sets:
            mode, flavor, reasons = self._flavor(own, one, usage)
            if flavor is None:
                sentence = f"couldn't assign flavors to pod set {one.name}: {', '.join(sorted(reasons))}"
                return QueueAssignment(mode, {}, sentence, {}, one.name)
            flavors[one.name] = flavor
            for resource, amount in _requests(own, one).items():
                usage[flavor.name, resource] = usage.get((flavor.name, resource), 0) + amount
        return QueueAssignment(FITS, flavors, "", usage)

    def admit(self, queue: str, assignment: QueueAssignment) -> None:
        """Reserve the quota of a workload that fits."""
        for (flavor, resource), amount in assignment.usage.items():
            key = (queue, flavor, resource)
            self._used[key] = self._used.get(key, 0) + amount

    def borrows(self, queue: str, assignment: QueueAssignment) -> bool:
        """Whether the workload would use more than the quota of its own queue."""
        quotas = {flavor.name: quota for flavor, quota in self.queues[queue].flavors}
        return any(
            self._used.get((queue, flavor, resource), 0) + amount > quotas[flavor].get(resource, 0)
            for (flavor, resource), amount in assignment.usage.items()
        )

    def _flavor(
        self, queue: ClusterQueue, one: PodSetRequest, usage: Mapping[tuple[str, str], int]
    ) -> tuple[str, ResourceFlavor | None, list[str]]:
        requests = _requests(queue, one)
        covered = {resource for _, quota in queue.flavors for resource in quota}
        for resource in sorted(requests):
            if resource not in covered and requests[resource]:
                return NEVER, None, [f"resource {resource} unavailable in ClusterQueue"]
        reasons: list[str] = []
        waits = False
        for flavor, _ in queue.flavors:
            reason = _mismatch(one.spec, flavor)
            if reason is not None:
                reasons.append(reason)
                continue
            mode, reason = self._fits(queue, flavor.name, requests, usage)
            if mode == FITS:
                return FITS, flavor, []
            reasons += [reason]
            waits = waits or mode == WAITS
        return WAITS if waits else NEVER, None, reasons

    def _fits(
        self, queue: ClusterQueue, flavor: str, requests: Mapping[str, int], usage: Mapping[tuple[str, str], int]
    ) -> tuple[str, str]:
        """`fitsResourceQuota` for all resources: the worst result, with the reason of the first resource that has it."""
        waiting = ""
        for resource in sorted(requests):
            assumed = usage.get((flavor, resource), 0)
            total = assumed + requests[resource]
            most, used = self._capacity(queue, flavor, resource)
            if total > most:
                return NEVER, (
                    f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets requests "
                    f"({shown(resource, assumed)}) + current podset request ({shown(resource, requests[resource])}) "
                    f"> maximum capacity ({shown(resource, most)})"
                )
            if total > most - used and not waiting:
                more = shown(resource, total - (most - used))
                waiting = f"insufficient unused quota for {resource} in flavor {flavor}, {more} more needed"
        return (WAITS, waiting) if waiting else (FITS, "")

    def _capacity(self, queue: ClusterQueue, flavor: str, resource: str) -> tuple[int, int]:
        """What the queue can use of a flavor with its cohort, and what the cohort uses (`potentialAvailable`, `available`)."""
        members = [one for one in self.queues.values() if one.cohort == queue.cohort] if queue.cohort else [queue]
        most = sum(quota.get(resource, 0) for one in members for own, quota in one.flavors if own.name == flavor)
        return most, sum(self._used.get((one.name, flavor, resource), 0) for one in members)


def _requests(queue: ClusterQueue, one: PodSetRequest) -> dict[str, int]:
    """The requests, with the number of pods if the queue has a quota for it."""
    if any("pods" in quota for _, quota in queue.flavors):
        return {**one.requests, "pods": one.number}
    return dict(one.requests)


def _mismatch(spec: Tree, flavor: ResourceFlavor) -> str | None:
    """`checkFlavorForPodSets`: why the pods cannot run on the nodes of a flavor."""
    tolerations = [*(spec.get("tolerations") or ()), *flavor.tolerations]
    for taint in flavor.taints:
        if taint.get("effect") in _HARD and not is_tolerated(taint, tolerations):
            words = " ".join([taint.get("key", ""), taint.get("value") or "", taint.get("effect", ""), "<nil>"])
            return f"untolerated taint {{{words}}} in flavor {flavor.name}"
    if not matches_required(_selector(spec, flavor.labels), flavor.labels, ""):
        return f"flavor {flavor.name} doesn't match node affinity"
    return None


def _selector(spec: Tree, labels: Mapping[str, str]) -> Tree:
    """`flavorSelector`: only what the selector and the affinity say about labels of the flavor."""
    own = {label: value for label, value in (spec.get("nodeSelector") or {}).items() if label in labels}
    kept = []
    for term in get(spec, ("affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms"), None) or ():
        expressions = [one for one in term.get("matchExpressions") or () if one["key"] in labels]
        if not expressions:
            return {"nodeSelector": own}
        kept.append({"matchExpressions": expressions})
    affinity = {"affinity": {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": kept}}}} if kept else {}
    return {"nodeSelector": own, **affinity}


def in_flavor(spec: Tree, flavor: ResourceFlavor) -> Tree:
    """The spec of a pod that Kueue admits to a flavor: with its node labels and tolerations."""
    return {
        **spec,
        "nodeSelector": {**(spec.get("nodeSelector") or {}), **flavor.labels},
        "tolerations": [*(spec.get("tolerations") or ()), *flavor.tolerations],
    }
