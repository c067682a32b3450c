"""The objects of a run -> the pods that it starts with, as the scheduler reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.controllers.creation import create_pods
from tjgen.cluster.controllers.jobset_pods import EXCLUSIVE
from tjgen.cluster.controllers.volcano import pod_group
from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import Pods
from tjgen.cluster.queueing.volcano.resources import Resources, added, resources_of
from tjgen.cluster.scheduling.node import PODS, amounts
from tjgen.cluster.scheduling.pod import SchedulingPod, read_pod
from tjgen.compiler.totals.tally import claimed_devices
from tjgen.language.spec.objects import NewPriority
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import KUEUE_PRIORITY
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple

Priorities = Mapping[str, NewPriority]
"""PriorityClass -> its value, as far as the Platform has it."""


ANY_TIER = 2**31 - 1
"""Above the tier of any HyperNode."""


class DemandSet(NamedTuple):
    """Pods of one template."""

    role: str
    pods: tuple[SchedulingPod, ...]
    """All pods of the set; equal ones are the same object."""
    manifest: Manifest
    path: FieldPath
    """Path of the template in the manifest."""
    after: tuple[str, ...]
    """Roles that must end before these pods exist."""


class VolcanoGroup(NamedTuple):
    """The PodGroup of Volcano of a run."""

    min_resources: Resources
    has_pods: bool
    """Whether its pods exist before the group is Inqueue."""
    highest_tier: int | None = None
    """The highest tier of HyperNodes that its pods can span: `ANY_TIER` if it only prefers low ones, None without a topology."""


class Demand(NamedTuple):
    """The pods of a run."""

    sets: tuple[DemandSet, ...]
    priority: int
    gang: int
    """Pods that start together or not at all; 0 if each starts by itself."""
    least: int
    """Pods of the gang before which none starts."""
    workload_priority: int = 0
    """Priority in a queue of Kueue."""
    volcano: VolcanoGroup | None = None
    """Its gang of Volcano, if it has one."""

    @property
    def number(self) -> int:
        """Number of all pods."""
        return sum(len(one.pods) for one in self.sets)

    @property
    def kind(self) -> tuple[tuple[str, int], ...]:
        """Equal for runs with equal results of all filters; only for plain pods."""
        return tuple([(one.pods[0].kind, len(one.pods)) for one in self.sets if one.pods])

    @property
    def resources(self) -> Resources:
        """What all pods request, with the resource `pods`, as Volcano counts it."""
        return added(pod_resources(pod) for one in self.sets for pod in one.pods)

    @property
    def highest_tier(self) -> int | None:
        """The highest tier of HyperNodes that the pods can span; None without a network topology."""
        return self.volcano.highest_tier if self.volcano is not None else None

    @property
    def is_plain(self) -> bool:
        """Whether all pods are plain."""
        return all(pod.is_plain for one in self.sets for pod in one.pods)

    def changed(self, change: Callable[[SchedulingPod, str], SchedulingPod]) -> Demand:
        """The run with the result of `change` for each pod and its role. Equal pods stay the same object."""
        sets = []
        for one in self.sets:
            originals = {id(pod): pod for pod in one.pods}
            results = {key: change(pod, one.role) for key, pod in originals.items()}
            sets.append(one._replace(pods=tuple([results[id(pod)] for pod in one.pods])))
        return self._replace(sets=tuple(sets))


def pod_resources(pod: SchedulingPod) -> Resources:
    """What a pod requests, with the resource `pods`, as Volcano counts it."""
    return resources_of({**pod.requests, PODS: 1})


def demand_of(manifests: Sequence[Manifest], previews: Sequence[Manifest], priorities: Priorities) -> Demand:
    """The pods of a run. Raises QuantityError for an amount that is not a quantity."""
    templates = {one.name: one.tree for one in manifests if one.kind == "ResourceClaimTemplate"}
    sets = tuple(
        [
            _set(manifest, pods, templates, priorities)
            for manifest in (*manifests, *previews)
            for pods in pods_of(manifest)
            if pods.number
        ]
    )
    priority = max((one.pods[0].priority for one in sets), default=0)
    groups = [one for one in (*manifests, *previews) if one.kind == "PodGroup"]
    number = sum(len(one.pods) for one in sets)
    least = max((int(get(one.tree, ("spec", "minMember"), None) or 0) for one in groups), default=0)
    jobs = [one for one in manifests if one.api_version.startswith("batch.volcano.sh/")]
    least = max([least, *(int(get(one.tree, ("spec", "minAvailable"), None) or number) for one in jobs)])
    workload_priority = _workload_priority(manifests, priorities, priority)
    return Demand(sets, priority, number if least else 0, least, workload_priority, _volcano_group(groups, jobs))


def _volcano_group(groups: Sequence[Manifest], jobs: Sequence[Manifest]) -> VolcanoGroup | None:
    trees = [one.tree for one in groups if one.api_version.startswith("scheduling.volcano.sh/")]
    trees = trees or [pod_group(one.tree)[0] for one in jobs]
    if not trees:
        return None
    quantities = get(trees[0], ("spec", "minResources"), None) or {}
    tier = tier_of(get(trees[0], ("spec", "networkTopology"), None) or {})
    return VolcanoGroup(resources_of(amounts({name: parse(one) for name, one in quantities.items()})), not jobs, tier)


def tier_of(topology: Tree) -> int | None:
    """The highest tier of HyperNodes that a network topology allows; None if it has no limit (`adjustNetworkTopologySpec`)."""
    return ANY_TIER if topology.get("mode") == "soft" else topology.get("highestTierAllowed")


def _workload_priority(manifests: Sequence[Manifest], priorities: Priorities, priority: int) -> int:
    """The priority in a queue of Kueue: that of the class in the label, or else of the pods."""
    names = [str(get(one.tree, ("metadata", "labels", KUEUE_PRIORITY), "")) for one in manifests]
    return next((priorities[name].value for name in names if name in priorities), priority)


def _set(manifest: Manifest, pods: Pods, templates: Mapping[str, Tree], priorities: Priorities) -> DemandSet:
    devices: dict[str, int] = {}
    for device_class, count in claimed_devices(pods.spec, dict(templates)):
        devices[device_class] = devices.get(device_class, 0) + count
    name = str(pods.spec.get("priorityClassName") or "")
    value = priorities[name].value if name in priorities else _default(priorities)
    tree = {"metadata": {"namespace": manifest.namespace, "name": f"{manifest.name}-{pods.role}"}, "spec": pods.spec}
    one = read_pod(tree, priority=value, devices=devices, has_known_claims=False)
    marks = get(pods.template, ("metadata", "annotations"), None) or {}
    above = get(manifest.tree, ("metadata", "annotations"), None) or {}
    if one.is_plain and EXCLUSIVE not in marks and EXCLUSIVE not in above:
        every = (one,) * pods.number
    else:
        every = tuple(_each(manifest, pods, value, devices)) or (one,) * pods.number
    return DemandSet(pods.role, every, manifest, pods.path, tuple(_after(manifest.tree, pods.role)))


def _each(manifest: Manifest, pods: Pods, priority: int, devices: dict[str, int]) -> Iterator[SchedulingPod]:
    """The pods as their controller creates them, with labels and the affinity of exclusive placement."""
    prefix = f"{manifest.name}-{pods.role}"
    for series in create_pods(manifest.tree):
        if series.prefix == prefix:
            for ordinal in range(series.number):
                tree = series.build(ordinal)
                metadata = {"name": f"{prefix}-{ordinal}", **tree["metadata"], "namespace": manifest.namespace}
                yield read_pod({**tree, "metadata": metadata}, priority=priority, devices=devices)


def _default(priorities: Priorities) -> int:
    return next((one.value for one in priorities.values() if one.global_default), 0)


def _after(tree: Tree, role: str) -> Iterator[str]:
    """The replicated jobs of a JobSet that must be complete before this one is created."""
    for job in get(tree, ("spec", "replicatedJobs"), None) or ():
        if job["name"] == role:
            yield from (one["name"] for one in job.get("dependsOn") or () if one.get("status") == "Complete")
