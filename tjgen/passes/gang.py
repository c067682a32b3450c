"""`schedule` -> the pod group policy, the scheduler, the queue and the priority of the pods."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.diagnostics.model import ERROR, Diagnostic
from tjgen.fields.path import FieldPath, Tree, get
from tjgen.lower import SPEC
from tjgen.setting import Setting
from tjgen.spec.objects import Experiment, Schedule
from tjgen.workload.contribution import Contribution
from tjgen.workload.workload import Workload

AT: FieldPath = (*SPEC, "schedule")
POLICY: FieldPath = ("runtime", "podGroupPolicy")
QUEUE = "scheduling.volcano.sh/queue-name"
SCHEDULERS = {"volcano": "volcano", "coscheduling": "scheduler-plugins-scheduler"}

Found = Iterator[Contribution | Diagnostic]


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Found:
    """The system that the experiment names, else the one of its runtime, else the project's."""
    schedule = experiment.spec.schedule
    if workload.is_direct:
        yield from _direct(schedule)
        return
    if schedule.min_available is not None:
        yield _all_of_it(experiment)
    present = [system for system in SCHEDULERS if get(workload.tree.value, (*POLICY, system), None) is not None]
    asks = any(
        value is not None for value in (schedule.system, schedule.queue, schedule.timeout_seconds, schedule.network_topology)
    )
    if asks:
        system = schedule.system or (present[0] if present else setting.system)
        if system is None:
            yield _no_system(schedule)
            return
        because: FieldPath = (*AT, "system") if schedule.system else AT
        yield from _system(workload, system, present, because)
        yield from _details(schedule, system)
    if schedule.priority_class_name is not None:
        for podset in workload.podsets:
            because = (*AT, "priorityClassName")
            yield Contribution((*podset.pod, "priorityClassName"), schedule.priority_class_name, because, mirrors=True)


def _direct(schedule: Schedule) -> Found:
    """What a kind that is a gang by itself has fields for: its target says them, or why it cannot."""
    said: dict[str, Tree] = {
        "system": schedule.system,
        "queue": schedule.queue,
        "minAvailable": schedule.min_available,
        "priorityClassName": schedule.priority_class_name,
        "timeoutSeconds": schedule.timeout_seconds,
        "networkTopology": _topology(schedule),
    }
    for field, value in said.items():
        if value is not None:
            yield Contribution(("schedule", field), value, (*AT, field), mirrors=field != "networkTopology")


def _all_of_it(experiment: Experiment) -> Diagnostic:
    message = f"with target {experiment.spec.target} a gang is all pods of the run: nothing says how many are enough"
    hint = "remove minAvailable, or use target: volcanojob"
    return Diagnostic("TJ491", ERROR, message, path=(*AT, "minAvailable"), hint=hint, name="gang-is-whole")


def _system(workload: Workload, system: str, present: list[str], because: FieldPath) -> Found:
    for other in present:
        if other != system:
            yield Contribution((*POLICY, other), None, because)
    if system == "none":
        if present:
            yield Contribution(POLICY, None, because)
        for podset in workload.podsets:
            if get(workload.tree.value, (*podset.pod, "schedulerName"), None) in SCHEDULERS.values():
                yield Contribution((*podset.pod, "schedulerName"), None, because)
        return
    if system not in present:
        yield Contribution((*POLICY, system), {}, because)
    for podset in workload.podsets:
        # Neither pod group plugin of the controller sets the scheduler: without it nothing waits for the gang.
        if get(workload.tree.value, (*podset.pod, "schedulerName"), None) is None or (present and system not in present):
            yield Contribution((*podset.pod, "schedulerName"), SCHEDULERS[system], because)


def _details(schedule: Schedule, system: str) -> Found:
    said: list[tuple[str, str, Tree, FieldPath]] = [
        ("queue", "volcano", schedule.queue, ("runtime", "template", "metadata", "annotations", QUEUE)),
        ("timeoutSeconds", "coscheduling", schedule.timeout_seconds, (*POLICY, "coscheduling", "scheduleTimeoutSeconds")),
        ("networkTopology", "volcano", _topology(schedule), (*POLICY, "volcano", "networkTopology")),
    ]
    for field, needs, value, path in said:
        if value is None:
            continue
        because: FieldPath = (*AT, field)
        if system != needs:
            yield Diagnostic(
                "TJ321",
                ERROR,
                f"schedule.{field} is for {needs}, but the schedule system is {system}",
                path=because,
                hint=f"remove it, or set schedule.system to {needs}",
                name="schedule-field-without-system",
            )
        else:
            yield Contribution(path, value, because, mirrors=field != "networkTopology")


def _topology(schedule: Schedule) -> Tree:
    topology = schedule.network_topology
    if topology is None:
        return None
    tree: Tree = {"mode": topology.mode}
    if topology.highest_tier_allowed is not None:
        tree["highestTierAllowed"] = topology.highest_tier_allowed
    return tree


def _no_system(schedule: Schedule) -> Diagnostic:
    return Diagnostic(
        "TJ320",
        ERROR,
        "schedule asks for a gang, but neither it, the runtime nor the project says by which system",
        path=AT,
        hint="add system: volcano or system: coscheduling, or set schedule.system in tjgen.yaml",
        name="no-schedule-system",
    )
