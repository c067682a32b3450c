"""A case of `clusters.py` and what Volcano's scheduler did -> where `tjgen fit` differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.queueing.volcano.resources import resources_of
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.node import amounts, read_node
from tjgen.cluster.scheduling.pod import read_pod
from tjgen.compiler.fit.demand import Demand, DemandSet, VolcanoGroup
from tjgen.compiler.fit.queues import volcano_cluster
from tjgen.compiler.fit.start import verdicts
from tjgen.compiler.fit.verdicts import WAITS, FitCluster, FitRun, FitVerdict
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.manifests.manifest import Manifest

Tree = dict[str, Any]


def differences(case: Tree, verdict: Tree) -> Iterator[str]:
    """A line for each job about which the prediction and Volcano differ."""
    results = fit(case)
    started = [one.run.name for one in sorted(results, key=lambda one: one.order) if one.order]
    real = [one["name"] for one in verdict["started"]]
    if started != real:
        yield f"starts {real}, here {started}"
        return
    for one in results:
        if one.mode == WAITS and not one.order and one.message not in possible(one.run.name, verdict):
            yield f"{one.run.name}:\n  {possible(one.run.name, verdict)}\n  {one.message}"


def possible(name: str, verdict: Tree) -> list[str]:
    """The events and the condition of a group that does not start."""
    return [*verdict["events"].get(name, ()), verdict["waiting"][name]]


def fit(case: Tree) -> list[FitVerdict]:
    """The predictions for the jobs of a case."""
    nodes = [read_node(one) for one in case["nodes"]]
    queues = {one["metadata"]["name"]: _queue(one["spec"]) for one in case["queues"]}
    volcano = volcano_cluster(PlatformSpec({"queues": queues}), nodes)
    assert volcano is not None, "the case has nodes and queues"
    volcano = volcano._replace(plugin=case["plugin"])
    shared = FitCluster(ScheduledCluster(nodes), QueueSnapshot([]), {}, "lab", {}, {}, volcano)
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
    group = VolcanoGroup(resources_of(least), not job["later"])
    one = DemandSet("main", tuple(pods), manifest, (), ())
    return FitRun(
        job["name"], "vision", job["queue"], Demand((one,), job["priority"], job["pods"], job["minMember"], volcano=group)
    )
