"""The table of what happens to a run: kind, release of its controller, and event -> result, with the evidence.

Everything that tjgen states or assumes about the end of a run reads this table: the fields that it writes, its diagnostics and
hints, `lint`, and the page about failures. A row with the evidence SEEN repeats a record of the rig, a cluster with the real
controllers, in `tests/e2e/lifecycle/results.yaml`; a test compares the two. Another row names the source that was read. What has
no row is unknown, and no promise is based on it.

To add a release or an event, add its rows here, add a scenario to `tests/e2e/lifecycle/scenarios.py`, and record its result.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import DEFAULT_TRAINER, TRAINER_RELEASES, V20, V21, V22, V23
from tjgen.trees.diagnostics.model import INFO, WARNING, Diagnostic, ObjectRef
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

TTL_COMPLETED = "its TTL elapses after it completed"
"""The TTL of a TrainJob is that of the JobSet in its runtime."""
TTL_FAILED = "its TTL elapses after it failed"
DEADLINE = "it reaches its deadline"
"""No pod of the run ends or changes at that time."""
DEADLINE_SUSPENDED = "it is suspended for longer than its deadline, then resumed"
CHILD_DELETED_COMPLETED = "its child is deleted after it completed"
"""A child is what the controller created: a JobSet, Jobs, or pods."""
CHILD_DELETED_FAILED = "its child is deleted after it failed"
EVERY_POD_FAILS = "each start of each pod fails"
RESUMED_BY_GIT = "Git suspends it, then resumes it"
SUSPENDED_BY_KUBECTL = "kubectl suspends it, then Git syncs it as before"
RESUMED_AFTER_KUBECTL = "kubectl suspends it, then Git suspends it and resumes it"

STAYS = "nothing starts again"
REPEATS = "it starts again after each TTL, without end"
STARTS_AGAIN = "it starts again from the beginning"
RECREATED = "it is deleted, and the next sync creates it: it starts again"
ON_TIME = "it fails, however often it restarted"
PER_START = "it fails; each restart has the whole deadline"
FROM_RESUMPTION = "it has the whole deadline from its resumption"
RESTARTED = "it restarts with the whole deadline, and fails at its limit"
QUIET = "it goes on until one of its objects changes"
EACH = "each pod starts limit + 1 times, then it fails"
SHARED = "it fails when its pods together have failed more often than the limit"
CONTAINERS = "it fails when its containers have restarted limit x pods + 1 times"
RESUMES = "it continues"
STAYS_SUSPENDED = "it stays suspended"

SEEN = "the rig"


class EventOutcome(NamedTuple):
    """One row: what happens to a run of a kind at an event."""

    kind: str
    controller: str
    """What decides: a project and its release."""
    event: str
    result: str
    evidence: str = SEEN
    """SEEN, or the source that was read."""
    means: str = ""
    """What the manifest has instead of the field of the kind; empty for that field itself."""


JOBSET = "JobSet 0.12.0"
TRAINING_OPERATOR = "Training Operator 1.9.3"
MPI_OPERATOR = "MPI Operator 0.8.0"
KUBERAY = "KubeRay 1.5.1"
VOLCANO = "Volcano 1.14.0"
KUBERNETES = "Kubernetes 1.36.3"
ARGOCD = "Argo CD, server-side apply"
ARGOCD_CLIENT = "Argo CD, client-side apply"
FLUX = "Flux"
TRAINER = {release.name: f"Trainer {release.version.removeprefix('v')}" for release in TRAINER_RELEASES}
"""Name of a release of Trainer -> how the table names it."""
OPERATOR_JOBS = ("PyTorchJob", "TFJob", "XGBoostJob", "JAXJob", "PaddleJob")
"""The kinds of the Training Operator."""

FAIL_RULE = "a rule FailJobSet for DeadlineExceeded"
POD_DEADLINES = "activeDeadlineSeconds in its pods"
"""In addition to the field of the kind. In the pods alone, the operator starts pods again that reached it, without end."""
POD_DEADLINES_EXIT_CODE = "activeDeadlineSeconds in its pods, restartPolicy ExitCode"
PER_INDEX = "backoffLimitPerIndex"
SHARED_LIMIT = "backoffLimit of a Job with several pods"
ON_FAILURE = "restartPolicy OnFailure"
EXPLICIT = "suspend: false"

_V20, _V21, _V22, _V23 = (TRAINER[release.name] for release in (V20, V21, V22, V23))
_CLEARED = f"{_V22}, trainjob_controller.go: it clears Failed before it looks whether the TrainJob is finished"
_UNCHECKED = f"{_V20}, trainjob_controller.go: it does not look whether the TrainJob is finished"
_OPERATOR_TTL = "Training Operator 1.9.0, controller.v1/common/job.go:CleanupJob is that of all of its kinds"
_RAY_CLUSTER = f"{KUBERAY}, rayjob_controller.go: only the RayCluster is deleted"
_RAY_DEADLINE = f"{KUBERAY}, rayjob_controller.go: checkBackoffLimitAndUpdateStatusIfNeeded does not retry DeadlineExceeded"
_RAY_LIMIT = f"{KUBERAY}, rayjob_controller.go: checkBackoffLimitAndUpdateStatusIfNeeded counts attempts"
_VOLCANO_TTL = f"{VOLCANO}, pkg/controllers/garbagecollector"

OUTCOMES: tuple[EventOutcome, ...] = (
    EventOutcome("TrainJob", _V23, TTL_COMPLETED, STAYS),
    EventOutcome("TrainJob", _V23, TTL_FAILED, REPEATS),
    EventOutcome("TrainJob", _V22, TTL_COMPLETED, STAYS, _CLEARED),
    EventOutcome("TrainJob", _V22, TTL_FAILED, REPEATS, _CLEARED),
    EventOutcome("TrainJob", _V21, TTL_COMPLETED, REPEATS),
    EventOutcome("TrainJob", _V21, TTL_FAILED, REPEATS),
    EventOutcome("TrainJob", _V20, TTL_COMPLETED, REPEATS, _UNCHECKED),
    EventOutcome("TrainJob", _V20, TTL_FAILED, REPEATS, _UNCHECKED),
    EventOutcome("JobSet", JOBSET, TTL_COMPLETED, RECREATED),
    EventOutcome("JobSet", JOBSET, TTL_FAILED, RECREATED),
    *(EventOutcome(kind, TRAINING_OPERATOR, event, RECREATED) for kind in OPERATOR_JOBS for event in (TTL_COMPLETED, TTL_FAILED)),
    EventOutcome("MPIJob", MPI_OPERATOR, TTL_COMPLETED, STAYS),
    EventOutcome("MPIJob", MPI_OPERATOR, TTL_FAILED, STAYS),
    EventOutcome("MPIJob v1", TRAINING_OPERATOR, TTL_COMPLETED, RECREATED, _OPERATOR_TTL),
    EventOutcome("MPIJob v1", TRAINING_OPERATOR, TTL_FAILED, RECREATED, _OPERATOR_TTL),
    EventOutcome("RayJob", KUBERAY, TTL_COMPLETED, STAYS, _RAY_CLUSTER),
    EventOutcome("RayJob", KUBERAY, TTL_FAILED, STAYS, _RAY_CLUSTER),
    EventOutcome("Volcano Job", VOLCANO, TTL_COMPLETED, RECREATED, _VOLCANO_TTL),
    EventOutcome("Volcano Job", VOLCANO, TTL_FAILED, RECREATED, _VOLCANO_TTL),
    EventOutcome("Job", KUBERNETES, TTL_COMPLETED, RECREATED),
    EventOutcome("Job", KUBERNETES, TTL_FAILED, RECREATED),
    EventOutcome("TrainJob", _V23, DEADLINE, ON_TIME),
    EventOutcome("JobSet", JOBSET, DEADLINE, RESTARTED),
    EventOutcome("JobSet", JOBSET, DEADLINE, PER_START, means=FAIL_RULE),
    *(EventOutcome(kind, TRAINING_OPERATOR, DEADLINE, QUIET) for kind in OPERATOR_JOBS),
    *(EventOutcome(kind, TRAINING_OPERATOR, DEADLINE, ON_TIME, means=POD_DEADLINES) for kind in OPERATOR_JOBS),
    EventOutcome("PyTorchJob", TRAINING_OPERATOR, DEADLINE, PER_START, means=POD_DEADLINES_EXIT_CODE),
    EventOutcome("MPIJob", MPI_OPERATOR, DEADLINE, ON_TIME),
    EventOutcome("RayJob", KUBERAY, DEADLINE, PER_START, _RAY_DEADLINE),
    EventOutcome("Job", KUBERNETES, DEADLINE, ON_TIME),
    EventOutcome("TrainJob", _V23, DEADLINE_SUSPENDED, FROM_RESUMPTION),
    EventOutcome("JobSet", JOBSET, DEADLINE_SUSPENDED, FROM_RESUMPTION),
    EventOutcome("MPIJob", MPI_OPERATOR, DEADLINE_SUSPENDED, FROM_RESUMPTION),
    EventOutcome("Job", KUBERNETES, DEADLINE_SUSPENDED, FROM_RESUMPTION),
    EventOutcome("TrainJob", _V23, EVERY_POD_FAILS, EACH),
    EventOutcome("TrainJob", _V21, EVERY_POD_FAILS, EACH),
    EventOutcome("TrainJob", _V23, EVERY_POD_FAILS, SHARED, means=SHARED_LIMIT),
    EventOutcome("TrainJob", _V23, EVERY_POD_FAILS, EACH, means=PER_INDEX),
    EventOutcome("TrainJob", _V23, EVERY_POD_FAILS, CONTAINERS, means=ON_FAILURE),
    EventOutcome("JobSet", JOBSET, EVERY_POD_FAILS, EACH),
    *(EventOutcome(kind, TRAINING_OPERATOR, EVERY_POD_FAILS, CONTAINERS, means=ON_FAILURE) for kind in OPERATOR_JOBS),
    EventOutcome("MPIJob", MPI_OPERATOR, EVERY_POD_FAILS, CONTAINERS, means=ON_FAILURE),
    EventOutcome("MPIJob", MPI_OPERATOR, EVERY_POD_FAILS, EACH),
    EventOutcome("RayJob", KUBERAY, EVERY_POD_FAILS, EACH, _RAY_LIMIT),
    EventOutcome("TrainJob", _V23, CHILD_DELETED_COMPLETED, STAYS),
    EventOutcome("TrainJob", _V23, CHILD_DELETED_FAILED, STARTS_AGAIN),
    EventOutcome("TrainJob", _V21, CHILD_DELETED_COMPLETED, STARTS_AGAIN),
    EventOutcome("TrainJob", _V21, CHILD_DELETED_FAILED, STARTS_AGAIN),
    EventOutcome("JobSet", JOBSET, CHILD_DELETED_COMPLETED, STAYS),
    EventOutcome("JobSet", JOBSET, CHILD_DELETED_FAILED, STAYS),
    EventOutcome("PyTorchJob", TRAINING_OPERATOR, CHILD_DELETED_COMPLETED, STAYS),
    EventOutcome("PyTorchJob", TRAINING_OPERATOR, CHILD_DELETED_FAILED, STAYS),
    EventOutcome("MPIJob", MPI_OPERATOR, CHILD_DELETED_COMPLETED, STAYS),
    EventOutcome("MPIJob", MPI_OPERATOR, CHILD_DELETED_FAILED, STAYS),
    *(
        EventOutcome(kind, tool, RESUMED_BY_GIT, RESUMES, means=means)
        for kind in ("TrainJob", "JobSet", "PyTorchJob", "MPIJob")
        for tool in (ARGOCD, ARGOCD_CLIENT, FLUX)
        for means in ("", EXPLICIT)
    ),
    *(
        outcome
        for kind in ("TrainJob", "JobSet", "PyTorchJob", "MPIJob")
        for outcome in (
            EventOutcome(kind, ARGOCD, SUSPENDED_BY_KUBECTL, STAYS_SUSPENDED),
            EventOutcome(kind, ARGOCD_CLIENT, SUSPENDED_BY_KUBECTL, STAYS_SUSPENDED),
            EventOutcome(kind, FLUX, SUSPENDED_BY_KUBECTL, RESUMES),
            EventOutcome(kind, ARGOCD, RESUMED_AFTER_KUBECTL, STAYS_SUSPENDED),
            *(EventOutcome(kind, tool, RESUMED_AFTER_KUBECTL, RESUMES, means=EXPLICIT) for tool in (ARGOCD, ARGOCD_CLIENT, FLUX)),
            EventOutcome(kind, ARGOCD_CLIENT, RESUMED_AFTER_KUBECTL, RESUMES),
            EventOutcome(kind, FLUX, RESUMED_AFTER_KUBECTL, RESUMES),
        )
    ),
)


def find(kind: str, event: str, *, trainer: str = DEFAULT_TRAINER.name, means: str = "") -> EventOutcome | None:
    """The row of a kind, with the release of Trainer of that name; None if nothing is known about it."""
    for outcome in OUTCOMES:
        if (outcome.kind, outcome.event, outcome.means) == (kind, event, means) and (
            kind != "TrainJob" or outcome.controller == TRAINER.get(trainer)
        ):
            return outcome
    return None


def kind_of(api_version: str, kind: str) -> str:
    """The name in the table of a kind of object. A runtime has the rows of its TrainJobs."""
    special = {
        ("batch.volcano.sh/v1alpha1", "Job"): "Volcano Job",
        ("kubeflow.org/v1", "MPIJob"): "MPIJob v1",
    }
    return "TrainJob" if kind in ("TrainingRuntime", "ClusterTrainingRuntime") else special.get((api_version, kind), kind)


def ttl_problems(
    kind: str, path: FieldPath, ref: ObjectRef | None = None, *, trainer: str = DEFAULT_TRAINER.name
) -> Iterator[Diagnostic]:
    """Yield TJ428 if a run of `kind` starts again because of its TTL.

    `path` sets the TTL: a field of the experiment or, with `ref`, of that object.
    """
    field = ".".join(map(str, path[1:]))
    restarted = starts_again(kind, trainer=trainer)
    if not restarted:
        return
    if restarted[0].result == RECREATED:
        message = f"the {kind} is deleted after it ends, and the next sync of this folder creates it again: it trains again"
        hint = f"remove {field}, or set state: archived when the run has ended"
    else:
        message, hint = describe_repetition(restarted), f"remove {field}: pods that have ended hold no devices"
    yield Diagnostic("TJ428", message, ref, path, hint=hint)


def starts_again(kind: str, *, trainer: str = DEFAULT_TRAINER.name) -> list[EventOutcome]:
    """The rows by which a run of `kind` starts again because of its TTL."""
    outcomes = [find(kind, event, trainer=trainer) for event in (TTL_COMPLETED, TTL_FAILED)]
    return [outcome for outcome in outcomes if outcome is not None and outcome.result != STAYS]


def describe_repetition(restarted: list[EventOutcome]) -> str:
    """What a controller does with runs whose TTL repeats, as a clause; `restarted` is from `starts_again`."""
    which = "an ended run" if len(restarted) > 1 else "a failed run"
    return f"{restarted[0].controller} starts {which} again after every TTL, without end"


def deadline_problems(kind: str, path: FieldPath, *, means: str, restarts: int) -> Iterator[Diagnostic]:
    """Yield TJ428 if a deadline of `kind` does not cover the whole run, as far as that is known.

    `restarts` is how often the run can restart as a whole.
    """
    outcome = find(kind, DEADLINE, means=means)
    if outcome is not None and outcome.result == PER_START and restarts:
        message = f"the deadline counts again from each restart of the {kind}, which can restart {restarts} times"
        hint = f"use target: trainjob with Trainer {V23.name}, whose deadline covers all restarts, or set restart.limit: 0"
        yield Diagnostic("TJ428", message, path=path, hint=hint, severity=WARNING)
    elif means == POD_DEADLINES:
        message = f"{TRAINING_OPERATOR} reads the deadline only when an object of the run changes, so each pod also has it: "
        message += "it counts from the start of the pods, and pods that wait to be scheduled are not ended"
        hint = f"use target: trainjob with Trainer {V23.name}, whose deadline counts from its creation"
        yield Diagnostic("TJ428", message, path=path, hint=hint, severity=INFO)
