"""The spec of a JobSet -> how long its name may be.

JobSet v0.12 checks the names of pods only for jobs with `completions` (pkg/webhooks `ValidateCreate`), as those of
Trainer always do; of the others the names of their Jobs have to be labels.
"""

from __future__ import annotations

from tjgen.trees.fields.path import get
from tjgen.trees.k8s.names import LABEL_LENGTH, job_name, pod_name
from tjgen.trees.typing import Any


def longest_jobset_name(spec: Any) -> int:
    """The greatest length of the name, by a spec whose parts may have any type."""
    jobs = spec.get("replicatedJobs") if spec.__class__ is dict else None
    tails = [_tail(job) for job in (jobs if jobs.__class__ is list else ()) if job.__class__ is dict]
    return LABEL_LENGTH - max(tails, default=0)


def _tail(job: dict[str, Any]) -> int:
    name, last = str(job.get("name")), _number(job.get("replicas")) - 1
    completions = get(job, ("template", "spec", "completions"), None)
    return len(job_name("", name, last) if completions is None else pod_name("", name, last, _number(completions) - 1))


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 1
