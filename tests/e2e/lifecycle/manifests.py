"""A kind, what its pods do, and the fields that a scenario is about -> its manifests, as small as the API server accepts them."""

from __future__ import annotations

from typing import Any, NamedTuple

from tjgen.cluster.outcomes import (
    FAIL_RULE,
    ON_FAILURE,
    OPERATOR_JOBS,
    PER_INDEX,
    POD_DEADLINES,
    POD_DEADLINES_EXIT_CODE,
    SHARED_LIMIT,
)

PODS = 2
"""Pods of each run. An MPIJob has this many workers, and a launcher whose restarts count."""
FOREVER = "forever"
_REPLICAS = {
    "PyTorchJob": ("pytorch", "pytorchReplicaSpecs", {"Master": 1, "Worker": PODS - 1}),
    "TFJob": ("tensorflow", "tfReplicaSpecs", {"Worker": PODS}),
    "XGBoostJob": ("xgboost", "xgbReplicaSpecs", {"Master": 1, "Worker": PODS - 1}),
    "JAXJob": ("jax", "jaxReplicaSpecs", {"Worker": PODS}),
    "PaddleJob": ("paddle", "paddleReplicaSpecs", {"Worker": PODS}),
}
"""Kind of the Training Operator -> name of its container, field of its replicas, and their numbers."""
RESOURCE = {
    "TrainJob": "trainjobs.trainer.kubeflow.org",
    "JobSet": "jobsets.jobset.x-k8s.io",
    "Job": "jobs.batch",
    **{kind: f"{kind.lower()}s.kubeflow.org" for kind in (*OPERATOR_JOBS, "MPIJob")},
}
"""Kind -> what kubectl names it."""
_CLEAN = "None"
"""`cleanPodPolicy`: pods stay, so that they can be counted and deleted."""


class Wanted(NamedTuple):
    """One run of a scenario."""

    kind: str
    name: str
    seconds: str = FOREVER
    """How long a pod runs before it ends."""
    code: int = 0
    """The exit code of its program."""
    limit: int | None = None
    deadline: int | None = None
    ttl: int | None = None
    suspend: bool | None = None
    means: str = ""
    policy: str = ""
    """Restart policy of the pods, if the scenario is about another one than the usual one."""

    def on_failure(self) -> bool:
        """Whether containers start again in their pods."""
        return (self.policy or ("OnFailure" if self.means == ON_FAILURE else "Never")) == "OnFailure"


def suspension(kind: str, suspend: bool | None) -> dict[str, Any]:
    """The field of a kind that suspends it, within its spec."""
    if suspend is None:
        return {}
    return {"suspend": suspend} if kind in ("TrainJob", "JobSet", "Job") else {"runPolicy": {"suspend": suspend}}


def runtimes(wanted: Wanted) -> list[Any]:
    """What must be in the cluster before the run."""
    if wanted.kind != "TrainJob":
        return []
    together = wanted.means not in (SHARED_LIMIT, PER_INDEX, ON_FAILURE)
    policy = {"numNodes": PODS, **({"torch": {}} if together else {})}
    spec = {"mlPolicy": policy, "template": {"spec": _jobset(wanted._replace(suspend=None, deadline=None), ancestor=True)}}
    api = "trainer.kubeflow.org/v1alpha1"
    return [{"apiVersion": api, "kind": "TrainingRuntime", "metadata": {"name": wanted.name}, "spec": spec}]


def manifest(wanted: Wanted) -> Any:
    """The run itself."""
    if wanted.kind == "TrainJob":
        reference = {"apiGroup": "trainer.kubeflow.org", "kind": "TrainingRuntime", "name": wanted.name}
        spec = {"runtimeRef": reference, **_some(activeDeadlineSeconds=wanted.deadline, suspend=wanted.suspend)}
        return _object("trainer.kubeflow.org/v1alpha1", wanted, spec)
    if wanted.kind == "JobSet":
        return _object("jobset.x-k8s.io/v1alpha2", wanted, _jobset(wanted))
    if wanted.kind == "Job":
        own = _some(activeDeadlineSeconds=wanted.deadline, ttlSecondsAfterFinished=wanted.ttl, suspend=wanted.suspend)
        return _object("batch/v1", wanted, {**_job(wanted, "node"), "backoffLimit": wanted.limit or 0, **own})
    return _mpijob(wanted) if wanted.kind == "MPIJob" else _operator_job(wanted)


def _object(version: str, wanted: Wanted, spec: Any) -> Any:
    return {"apiVersion": version, "kind": wanted.kind, "metadata": {"name": wanted.name}, "spec": spec}


def _some(**fields: Any) -> dict[str, Any]:
    return {field: value for field, value in fields.items() if value is not None}


def _pod(wanted: Wanted, container: str, *, policy: bool = True) -> Any:
    env = [{"name": "MINICLUSTER_SECONDS", "value": wanted.seconds}, {"name": "MINICLUSTER_EXIT", "value": str(wanted.code)}]
    containers = [{"name": container, "image": "train:1", "command": ["train"], "env": env}]
    spec: Any = {"restartPolicy": "OnFailure" if wanted.on_failure() else "Never"} if policy else {}
    if wanted.means in (POD_DEADLINES, POD_DEADLINES_EXIT_CODE):
        spec["activeDeadlineSeconds"] = wanted.deadline
    return {"spec": {**spec, "containers": containers}}


def _job(wanted: Wanted, container: str) -> Any:
    shape = {"parallelism": PODS, "completions": PODS, "completionMode": "Indexed"}
    return {**shape, "template": _pod(wanted, container)}


def _jobset(wanted: Wanted, *, ancestor: bool = False) -> Any:
    """The spec of a JobSet of one Job; for a runtime the same, with the label by which Trainer finds the Job."""
    limit = wanted.limit or 0
    job = {**_job(wanted, "node"), **_some(activeDeadlineSeconds=wanted.deadline)}
    if ancestor:
        job = {"template": job["template"]}  # Trainer writes the number of pods
    if wanted.means == PER_INDEX:
        job |= {"completionMode": "Indexed", "backoffLimitPerIndex": limit, "maxFailedIndexes": 0}
    else:
        alone = {SHARED_LIMIT: limit, ON_FAILURE: limit * PODS + 1}
        job["backoffLimit"] = alone.get(wanted.means, 0)
    labels = {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}} if ancestor else {}
    spec: Any = {"replicatedJobs": [{"name": "node", "template": {**labels, "spec": job}}]}
    if wanted.means not in (SHARED_LIMIT, PER_INDEX, ON_FAILURE):
        rule = {"name": "deadline", "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]}
        spec |= {"failurePolicy": {"maxRestarts": limit, **({"rules": [rule]} if wanted.means == FAIL_RULE else {})}}
    return {**spec, **_some(ttlSecondsAfterFinished=wanted.ttl, suspend=wanted.suspend)}


def _run_policy(wanted: Wanted, limit: int | None) -> Any:
    own = _some(activeDeadlineSeconds=wanted.deadline, ttlSecondsAfterFinished=wanted.ttl, suspend=wanted.suspend)
    return {"cleanPodPolicy": _CLEAN, **own, **_some(backoffLimit=limit)}


def _operator_job(wanted: Wanted) -> Any:
    container, field, numbers = _REPLICAS[wanted.kind]
    policy = wanted.policy or ("OnFailure" if wanted.on_failure() else "Never")
    template = _pod(wanted, container, policy=False)
    # The operator does not count the restarts of ExitCode.
    limit = None if wanted.limit is None or policy == "ExitCode" else wanted.limit * PODS + 1
    replicas = {name: {"replicas": number, "restartPolicy": policy, "template": template} for name, number in numbers.items()}
    return _object("kubeflow.org/v1", wanted, {"runPolicy": _run_policy(wanted, limit), field: replicas})


def _mpijob(wanted: Wanted) -> Any:
    limit = None if wanted.limit is None else wanted.limit + (1 if wanted.on_failure() else 0)
    launcher = _pod(wanted, "launcher", policy=False)
    worker = {"spec": {"containers": [{"name": "worker", "image": "train:1", "command": ["/usr/sbin/sshd", "-De"]}]}}
    policy = "OnFailure" if wanted.on_failure() else "Never"
    replicas = {
        "Launcher": {"replicas": 1, "restartPolicy": policy, "template": launcher},
        "Worker": {"replicas": PODS, "template": worker},
    }
    return _object("kubeflow.org/v2beta1", wanted, {"runPolicy": _run_policy(wanted, limit), "mpiReplicaSpecs": replicas})
