"""podGroupPolicy.volcano -> the Volcano PodGroup and the annotation that puts pods into it.

Upstream: pkg/runtime/framework/plugins/volcano, v2.3.0. The queue comes from an annotation of the
JobSet, the priority class from the last job that has one.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.info import Info
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.objects import CreatedObject, created_object
from tjgen.cluster.trainer.resources import gang_resources
from tjgen.cluster.trainer.runtimes import POD_SPEC
from tjgen.trees.fields.managed import Origin, Owners, origins_of
from tjgen.trees.fields.path import Tree

MANAGER = "trainer:volcano"
GROUP_ANNOTATION = "scheduling.k8s.io/group-name"
QUEUE_ANNOTATION = "scheduling.volcano.sh/queue-name"
_POLICY = ("spec", "podGroupPolicy", "volcano")


def enforce_pod_group_policy(info: Info, job: DecodedTrainJob) -> None:
    """The annotation of every pod."""
    if "volcano" in info.pod_group_policy:
        info.pod_annotations[GROUP_ANNOTATION] = job.name


def build(info: Info, job: DecodedTrainJob) -> Iterator[CreatedObject]:
    """Return the PodGroup: the pods of all jobs, their total requests, queue, priority and topology."""
    policy = info.pod_group_policy.get("volcano")
    if policy is None:
        return
    spec: dict[str, Tree] = {
        "minMember": sum(podset.count for podset in info.podsets),
        "minResources": gang_resources(info),
    }
    owners: Owners = {(): (Origin(MANAGER, "runtime", _POLICY),)}
    queue = info.annotations.get(QUEUE_ANNOTATION)
    if queue is not None:
        spec["queue"] = queue
        origins = origins_of(info.owners, ("metadata", "annotations", QUEUE_ANNOTATION))
        owners[("spec", "queue")] = _mine(origins)
    for podset in info.podsets:
        if "priorityClassName" in podset.shape.pod_spec:
            spec["priorityClassName"] = podset.shape.pod_spec["priorityClassName"]
            origins = origins_of(info.owners, (*podset.shape.path, *POD_SPEC, "priorityClassName"))
            owners[("spec", "priorityClassName")] = _mine(origins)
    topology = policy.get("networkTopology")
    if topology is not None:
        spec["networkTopology"] = topology
        owners[("spec", "networkTopology")] = (info.origin(MANAGER, *_POLICY, "networkTopology"),)
    yield created_object(job, "scheduling.volcano.sh/v1beta1", "PodGroup", "", {"spec": spec}, owners)


def _mine(origins: tuple[Origin, ...]) -> tuple[Origin, ...]:
    return tuple([Origin(MANAGER, origin.source, origin.because, origin.mirrors) for origin in origins])
