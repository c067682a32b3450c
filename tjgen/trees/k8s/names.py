"""Jobs of a runtime -> the maximum length of a TrainJob's name, so that the names derived from it stay valid.

JobSet v0.12.0 refuses a JobSet whose longest Job name `NAME-JOB-<replicas-1>` or longest pod name
`NAME-JOB-<replicas-1>-<completions-1>-abcde` has more than 63 characters (pkg/webhooks
`ValidateCreate`), long after the TrainJob was accepted with up to 63.
"""

from __future__ import annotations

from collections.abc import Iterable

LABEL_LENGTH = 63
_POD_SUFFIX = "-abcde"


def job_name(jobset: str, job: str, replica: int) -> str:
    """The name of a Job of a JobSet."""
    return f"{jobset}-{job}-{replica}"


def pod_name(jobset: str, job: str, replica: int, index: int) -> str:
    """A name as long as that of a pod, which ends in five random characters."""
    return f"{job_name(jobset, job, replica)}-{index}{_POD_SUFFIX}"


def longest_trainjob_name(jobs: Iterable[tuple[str, int, int]]) -> int:
    """The greatest length of a TrainJob's name over jobs given as name, replicas and completions."""
    tails = [len(pod_name("", job, replicas - 1, completions - 1)) for job, replicas, completions in jobs]
    return LABEL_LENGTH - max(tails, default=0)
