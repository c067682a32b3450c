"""Names derived from the TrainJob's that exceed a limit: its own checks allow 63 characters, later checks allow fewer."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.warnings.subject import ExpandedTrainJob, in_runtime
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.k8s.names import LABEL_LENGTH, longest_trainjob_name


def long_name(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """The TrainJob's checks let 63 characters pass, the JobSet's do not."""
    jobs = [(podset.name, podset.shape.tree.get("replicas", 1), podset.count) for podset in subject.info.podsets]
    most = longest_trainjob_name(jobs)
    if len(subject.job.name) > most:
        yield subject.of_trainjob(
            "TJ852",
            f"the name has {len(subject.job.name)} characters, but with this runtime the JobSet is refused above {most}",
            f"use at most {most} characters",
            ("metadata", "name"),
        )


def long_claim_name(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """JobSet v0.12.0 pkg/webhooks `validateVolumeClaimPolicies`: TEMPLATE-JOBSET has at most 63 characters."""
    for policy in subject.info.spec.get("volumeClaimPolicies") or ():
        for template in policy.get("templates") or ():
            template_name = template["metadata"].get("name", "")
            if len(f"{template_name}-{subject.job.name}") > LABEL_LENGTH:
                most = LABEL_LENGTH - len(template_name) - 1
                yield subject.of_trainjob(
                    "TJ860",
                    f"the name has {len(subject.job.name)} characters, but with claim template {template_name} "
                    f"the JobSet is refused above {most}",
                    f"use at most {most} characters",
                    ("metadata", "name"),
                )


def long_coordinator(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """JobSet v0.12.0 pkg/webhooks `validateCoordinator`: NAME-JOB-REPLICA-POD.SUBDOMAIN is a label of every Job and Pod."""
    coordinator = subject.info.spec.get("coordinator")
    if not coordinator:
        return
    network = subject.info.spec.get("network") or {}
    job, replica, pod = (coordinator.get(field, 0) for field in ("replicatedJob", "jobIndex", "podIndex"))
    endpoint = f"{subject.job.name}-{job}-{replica}-{pod}.{network.get('subdomain') or subject.job.name}"
    if len(endpoint) > LABEL_LENGTH:
        yield subject.of_runtime(
            "TJ861",
            f"the coordinator's address {endpoint} has {len(endpoint)} characters, and a label holds {LABEL_LENGTH}",
            "shorten the TrainJob's name, or name a short subdomain",
            in_runtime(("spec", "coordinator")),
        )
