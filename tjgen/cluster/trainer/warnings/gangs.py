"""What pod groups do that shows only in the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.info import KNOWN_ANCESTORS, PodSet
from tjgen.cluster.trainer.plugins.volcano import QUEUE_ANNOTATION
from tjgen.cluster.trainer.runtimes import POD_SPEC
from tjgen.cluster.trainer.warnings.subject import ExpandedTrainJob, in_runtime
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath

_POLICY: FieldPath = ("spec", "podGroupPolicy")


def two_gangs(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """Both plugins act where both policies are set."""
    if len(subject.info.pod_group_policy) > 1:
        yield subject.of_runtime(
            "TJ850",
            "coscheduling and volcano are both set, so every pod belongs to two pod groups",
            "keep the one of your scheduler",
            _POLICY,
        )


def gang_without_replicas(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """minMember sums the counts of the jobs and leaves their replicas out."""
    for podset in subject.info.podsets:
        replicas = podset.shape.tree.get("replicas", 1)
        if replicas > 1 and podset.ancestor not in KNOWN_ANCESTORS:
            yield subject.of_runtime(
                "TJ851",
                f"the pod group counts job {podset.name} once, though it has {replicas} replicas",
                "use parallelism for the number of pods",
                in_runtime((*podset.shape.path, "replicas")),
            )


def gang_in_steps(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """minMember counts the pods of all jobs; JobSet creates those of a waiting job only when the others are ready or complete."""
    waiting = [podset for podset in subject.info.podsets if podset.shape.tree.get("dependsOn")]
    order = (subject.info.spec.get("startupPolicy") or {}).get("startupPolicyOrder")
    in_order = order == "InOrder" and len(subject.info.podsets) > 1
    if not waiting and not in_order:
        return
    members = sum(podset.count for podset in subject.info.podsets)
    late = waiting[0] if waiting else subject.info.podsets[1]
    field = "dependsOn" if waiting else "startupPolicy"
    path = (*late.shape.path, "dependsOn") if waiting else ("spec", "startupPolicy")
    yield subject.of_runtime(
        "TJ853",
        f"the pod group waits for {members} pods, but those of job {late.name} are created after others have run ({field})",
        "remove the pod group, or do the earlier steps in a separate run",
        in_runtime(path),
    )


def gang_without_scheduler(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """Neither plugin sets schedulerName: the default scheduler ignores the PodGroup."""
    default = [one for one in subject.info.podsets if one.shape.pod_spec.get("schedulerName", "") in ("", "default-scheduler")]
    if list(subject.info.pod_group_policy) == ["volcano"] and default:
        yield subject.of_runtime(
            "TJ854",
            f"the pods of {_jobs(default)} go to the default scheduler, which does not support pod groups",
            "set schedulerName: volcano in the pod templates",
            in_runtime((*default[0].shape.path, *POD_SPEC)),
        )


def gang_of_requests(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """minResources sums requests; that a limit without a request is a request becomes true only in the Pod."""
    for podset in subject.info.podsets:
        for container in podset.containers:
            resources = container.tree.get("resources") or {}
            missing = sorted(set(resources.get("limits", ())) - set(resources.get("requests", ())))
            if missing:
                yield subject.of_runtime(
                    "TJ855",
                    f"minResources leaves out {', '.join(missing)} of container {container.name}, "
                    "which has a limit but no request",
                    "also set the request",
                    in_runtime((*container.path, "resources")),
                )
                return


def gang_without_trainjobs_resources(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """newRuntimeInfo before v2.3: gangs are counted before resourcesPerNode is put in, without an mlPolicy in 2.2 as well."""
    release = subject.job.release
    seen = release.shows_resources_to_gangs and subject.info.ml_policy is not None
    if subject.job.resource_lists and not release.merges_resources and not seen:
        yield subject.of_trainjob(
            "TJ858",
            f"with Trainer {release.name} minResources leaves out resourcesPerNode, but has those of the runtime",
            "also set the resources in the runtime",
            ("spec", "trainer", "resourcesPerNode"),
        )


def gang_priorities(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """volcano.go `Build`: every job with a priorityClassName overwrites that of the job before."""
    named = [podset for podset in subject.info.podsets if "priorityClassName" in podset.shape.pod_spec]
    classes = list(dict.fromkeys(podset.shape.pod_spec["priorityClassName"] for podset in named))
    if "volcano" in subject.info.pod_group_policy and len(classes) > 1:
        yield subject.of_runtime(
            "TJ856",
            f"jobs have the priority classes {', '.join(classes)}, and the pod group gets that of the last one, {named[-1].name}",
            "give all jobs the same",
            in_runtime((*named[-1].shape.path, *POD_SPEC, "priorityClassName")),
        )


def unread_queue(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """The queue is read from the annotations of the JobSet, which come from the runtime's template and from patches."""
    if "volcano" not in subject.info.pod_group_policy or QUEUE_ANNOTATION in subject.info.annotations:
        return
    for tree, of in ((subject.job.tree, subject.of_trainjob), (subject.runtime.tree, subject.of_runtime)):
        if QUEUE_ANNOTATION in ((tree.get("metadata") or {}).get("annotations") or {}):
            yield of(
                "TJ857",
                f"the queue in the annotations of the {tree['kind']} itself is not read: the pod group goes to the default queue",
                "put the annotation under spec.template.metadata of the runtime, or into a patch of it",
                ("metadata", "annotations", QUEUE_ANNOTATION),
            )


def _jobs(podsets: list[PodSet]) -> str:
    return f"job{'s' if len(podsets) > 1 else ''} {', '.join(podset.name for podset in podsets)}"
