"""What pod groups and names do that shows only in the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.diagnostics.model import Diagnostic
from tjgen.k8s.names import longest_trainjob_name
from tjgen.trainer.info import KNOWN_ANCESTORS
from tjgen.trainer.surprises.subject import Subject, in_runtime


def two_gangs(subject: Subject) -> Iterator[Diagnostic]:
    """Both plugins act where both policies are set."""
    if len(subject.info.pod_group_policy) > 1:
        yield subject.of_runtime(
            "TJ850",
            "two-gangs",
            "coscheduling and volcano are both set, so every pod belongs to two pod groups",
            "keep the one of your scheduler",
            ("spec", "podGroupPolicy"),
        )


def gang_without_replicas(subject: Subject) -> Iterator[Diagnostic]:
    """minMember sums the counts of the jobs and leaves their replicas out."""
    for podset in subject.info.podsets:
        replicas = podset.shape.tree.get("replicas", 1)
        if replicas > 1 and podset.ancestor not in KNOWN_ANCESTORS:
            yield subject.of_runtime(
                "TJ851",
                "gang-without-replicas",
                f"the pod group counts job {podset.name} once, though it has {replicas} replicas",
                "use parallelism for the number of pods",
                in_runtime((*podset.shape.path, "replicas")),
            )


def long_name(subject: Subject) -> Iterator[Diagnostic]:
    """The TrainJob's checks let 63 characters pass, the JobSet's do not."""
    jobs = [(podset.name, podset.shape.tree.get("replicas", 1), podset.count) for podset in subject.info.podsets]
    most = longest_trainjob_name(jobs)
    if len(subject.job.name) > most:
        yield subject.of_trainjob(
            "TJ852",
            "name-too-long-for-pods",
            f"the name has {len(subject.job.name)} characters, but with this runtime the JobSet is refused above {most}",
            f"use at most {most} characters",
            ("metadata", "name"),
        )
