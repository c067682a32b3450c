"""A run that Kueue admits -> the labels of its own object for Kueue, and settings that conflict with Kueue.

Kueue suspends such a run at creation, and resumes it when there is capacity for all its pods (kueue v0.19
`pkg/controller/constants`, `pkg/controller/jobs`). So `suspend` is not in Git, neither true nor false.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.runs.lock import SUSPENDED
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.labels import KUEUE_PRIORITY, KUEUE_QUEUE, MULTI_KUEUE
from tjgen.trees.workload.contribution import Contribution


def queued(experiment: Experiment, at: FieldPath) -> Iterator[Contribution | Diagnostic]:
    """The LocalQueue, the priority among what waits in it, and who manages the run; `at` is the path of the schedule."""
    schedule = experiment.spec.schedule
    if schedule.queue is None:
        message = "no queue is set, and Kueue ignores a run without one: it starts at once, outside all quotas"
        yield Diagnostic("TJ493", message, path=at, hint="set schedule.queue to a LocalQueue")
    else:
        yield Contribution(("metadata", "labels", KUEUE_QUEUE), schedule.queue, (*at, "queue"), mirrors=True)
    if schedule.workload_priority is not None:
        label: FieldPath = ("metadata", "labels", KUEUE_PRIORITY)
        yield Contribution(label, schedule.workload_priority, (*at, "workloadPriority"), mirrors=True)
    if schedule.multi_kueue:
        yield Contribution(("run", "managedBy"), MULTI_KUEUE, (*at, "multiKueue"))
    if experiment.spec.state == SUSPENDED:
        message = "Kueue decides when a run starts: it starts a suspended run as soon as the queue has capacity"
        hint = (
            "set active: false in its Workload, or stopPolicy: HoldAndDrain in its LocalQueue. If an overlay stops several "
            f"experiments, set layer: default in the overlay, and state: active in experiment {experiment.metadata.name}"
        )
        yield Diagnostic("TJ492", message, path=("spec", "state"), hint=hint)
