"""JobSet."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.protocol import BY_RUNTIME, MANAGED, SUSPENDABLE, Conditions, Kind, Pods, RunFacts, takes_effect
from tjgen.trees.fields.path import FieldPath, Tree, get, named

TARGET = "jobset"


def _pods(tree: Tree) -> Iterator[Pods]:
    for job in get(tree, ("spec", "replicatedJobs"), None) or []:
        parallelism = get(job, ("template", "spec", "parallelism"), None)
        count = int(job.get("replicas", 1)) * int(1 if parallelism is None else parallelism)
        path: FieldPath = ("spec", "replicatedJobs", named(job["name"]), "template", "spec", "template")
        yield Pods(job["name"], count, path, get(job, ("template", "spec", "template"), {}))


JOBSET = Kind(
    api_version="jobset.x-k8s.io/v1alpha2",
    name="JobSet",
    plural="jobsets",
    changeable=SUSPENDABLE,
    effect=takes_effect,
    access=MANAGED,
    status=Conditions("Completed", "replicatedJobsStatus"),
    run=RunFacts(
        target=TARGET,
        needs=", and the PodGroup of its gang",
        starter="JobSet",
        page="[queues](../how-to/queues.md)",
        framework="",
        processes=BY_RUNTIME,
        finds_container_by_name=False,
        scheduler="",
        is_preview=True,
        job_owner="JobSet",
        pods=_pods,
        replicas="",
        pod_label="jobset.sigs.k8s.io/jobset-name",
    ),
    controller="jobset",
)
