"""A case of `clusters.py` and what Volcano's scheduler did -> where `tjgen fit` differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.queueing.volcano.resources import resources_of
from tjgen.cluster.scheduling.cluster import ScheduledCluster, SchedulingAttempt
from tjgen.cluster.scheduling.hyper_nodes import HyperNode, read_hyper_nodes
from tjgen.cluster.scheduling.node import Node, amounts, read_node
from tjgen.cluster.scheduling.pod import SchedulingPod, read_pod
from tjgen.compiler.fit.demand import Demand, DemandSet, VolcanoGroup, tier_of
from tjgen.compiler.fit.queues import volcano_cluster
from tjgen.compiler.fit.start import verdicts
from tjgen.compiler.fit.verdicts import WAITS, FitCluster, FitRun, FitVerdict
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.manifests.manifest import Manifest

Tree = dict[str, Any]


def differences(case: Tree, verdict: Tree) -> Iterator[str]:
    """A line for each job about which the prediction and Volcano differ."""
    results = fit(case, verdict)
    started = [one for one in sorted(results, key=lambda one: one.order) if one.order]
    real = [one["name"] for one in verdict["started"]]
    if [one.run.name for one in started] != real:
        yield f"starts {real}, here {[one.run.name for one in started]}"
        return
    for one, its in zip(started, verdict["started"], strict=True):
        assert one.placement is not None, "a job that starts is on nodes"
        nodes = sorted(case["nodes"][position]["metadata"]["name"] for _, position in one.placement.placed)
        if nodes != its["nodes"] and "hyperNodes" in case:
            yield f"{one.run.name} is on {its['nodes']}, here on {nodes}"
    for one in results:
        if one.mode == WAITS and not one.order and one.message not in possible(one.run.name, verdict):
            yield f"{one.run.name}:\n  {possible(one.run.name, verdict)}\n  {one.message}"


def possible(name: str, verdict: Tree) -> list[str]:
    """The events and the condition of a group that does not start."""
    return [*verdict["events"].get(name, ()), *verdict["waiting"][name]]


class _RepeatedChoice(ScheduledCluster):
    """A cluster in which the pods of a job go to the nodes that Volcano selected, if the HyperNode contains them and they fit."""

    def __init__(self, nodes: list[Node], hyper_nodes: Sequence[HyperNode], choices: Mapping[str, Sequence[int]]) -> None:
        super().__init__(nodes, hyper_nodes=hyper_nodes)
        self._choices = choices

    def without_pods(self) -> _RepeatedChoice:
        return _RepeatedChoice(self.nodes, self.hyper_nodes, self._choices)

    def attempt(self, pod: SchedulingPod, within: Sequence[int] | None = None) -> SchedulingAttempt:
        own = self._choices.get(pod.name.rpartition("-")[0], ())
        if own and (within is None or set(own) <= set(within)):
            attempt = super().attempt(pod, own)
            if attempt.node is not None:
                return attempt
        return super().attempt(pod, within)


def fit(case: Tree, verdict: Tree) -> list[FitVerdict]:
    """The predictions for the jobs of a case. `verdict` has the nodes that Volcano selected."""
    nodes = [read_node(one) for one in case["nodes"]]
    queues = {one["metadata"]["name"]: _queue(one["spec"]) for one in case["queues"]}
    volcano = volcano_cluster(PlatformSpec({"queues": queues}), nodes)
    assert volcano is not None, "the case has nodes and queues"
    volcano = volcano._replace(plugin=case["plugin"])
    positions = {node.name: position for position, node in enumerate(nodes)}
    choices = {one["name"]: sorted(positions[name] for name in one["nodes"]) for one in verdict["started"]}
    cluster = _RepeatedChoice(nodes, read_hyper_nodes(case.get("hyperNodes", []), nodes), choices)
    shared = FitCluster(cluster, QueueSnapshot([]), {}, "lab", {}, {}, volcano)
    return verdicts([_run(one) for one in case["jobs"]], shared)


def _queue(spec: Tree) -> Tree:
    own = {key: value for key, value in spec.items() if key in ("weight", "deserved", "priority")}
    if "guarantee" in spec:
        own["guarantee"] = spec["guarantee"]["resource"]
    return {"capability": spec.get("capability", {}), "create": {"volcano": own}}


def _run(job: Tree) -> FitRun:
    container = {"name": "main", "resources": {"requests": job["requests"]}}
    spec = {"containers": [container], "nodeSelector": job.get("selector", {})}
    pods = [
        read_pod({"metadata": {"name": f"{job['name']}-{i}"}, "spec": spec}, priority=job["priority"]) for i in range(job["pods"])
    ]
    manifest = Manifest({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": job["name"]}}, {})
    least = amounts({name: parse(amount) for name, amount in job.get("minResources", {}).items()})
    group = VolcanoGroup(resources_of(least), not job["later"], tier_of(job.get("networkTopology", {})))
    one = DemandSet("main", tuple(pods), manifest, (), ())
    return FitRun(
        job["name"], "vision", job["queue"], Demand((one,), job["priority"], job["pods"], job["minMember"], volcano=group)
    )
