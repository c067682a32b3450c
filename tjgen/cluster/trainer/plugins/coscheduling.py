"""podGroupPolicy.coscheduling -> the scheduler-plugins PodGroup and the label that puts pods into it.

Upstream: pkg/runtime/framework/plugins/coscheduling, v2.3.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.info import Info
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.objects import CreatedObject, created_object
from tjgen.cluster.trainer.resources import gang_resources
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import Tree

MANAGER = "trainer:coscheduling"
LABEL = "scheduling.x-k8s.io/pod-group"
_POLICY = ("spec", "podGroupPolicy", "coscheduling")


def enforce_pod_group_policy(info: Info, job: DecodedTrainJob) -> None:
    """The label of every pod."""
    if "coscheduling" in info.pod_group_policy or (info.runtime.is_gang and not info.release.labels_gangs_only):
        info.pod_labels[LABEL] = job.name


def build(info: Info, job: DecodedTrainJob) -> Iterator[CreatedObject]:
    """Return the PodGroup: the pods of all jobs and their total requests."""
    policy = info.pod_group_policy.get("coscheduling")
    if policy is None:
        return
    spec: dict[str, Tree] = {
        "minMember": sum(podset.count for podset in info.podsets),
        "minResources": gang_resources(info),
        "scheduleTimeoutSeconds": policy["scheduleTimeoutSeconds"],
    }
    owners: Owners = {
        (): (Origin(MANAGER, "runtime", _POLICY),),
        ("spec", "scheduleTimeoutSeconds"): (info.origin(MANAGER, *_POLICY, "scheduleTimeoutSeconds"),),
    }
    yield created_object(job, "scheduling.x-k8s.io/v1alpha1", "PodGroup", "", {"spec": spec}, owners)
