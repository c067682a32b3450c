"""`schedule` -> the pod group policy, the scheduler, the queue and the priority of the pods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.table import facts_of
from tjgen.compiler.lower import SPEC
from tjgen.language.runs.lock import SUSPENDED
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Experiment, Schedule
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import KUEUE_PRIORITY, KUEUE_QUEUE, MULTI_KUEUE
from tjgen.trees.workload.contribution import Contribution, Contributions, is_from_experiment
from tjgen.trees.workload.roles import at_once
from tjgen.trees.workload.workload import Workload

AT: FieldPath = (*SPEC, "schedule")
POLICY: FieldPath = ("runtime", "podGroupPolicy")
QUEUE = "scheduling.volcano.sh/queue-name"
_GANG_FIELDS = ("system", "queue", "timeout_seconds", "network_topology", "workload_priority", "multi_kueue")
SCHEDULERS = {"volcano": "volcano", "coscheduling": "scheduler-plugins-scheduler"}


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """The system that the experiment names, else the one of its runtime, else the project's."""
    schedule = experiment.spec.schedule
    if workload.is_direct:
        yield from _direct(workload, experiment, setting)
        return
    present = [system for system in SCHEDULERS if get(workload.tree.value, (*POLICY, system), None) is not None]
    system = schedule.system or (present[0] if present else setting.system)
    least = schedule.min_available
    if least is not None and (system not in SCHEDULERS or least != at_once(workload, workload.podsets)):
        yield _all_of_it(experiment)
    if schedule.min_resources:
        yield _counted(experiment)
    if any(getattr(schedule, field) for field in _GANG_FIELDS):
        if system is None:
            yield _no_system(schedule)
            return
        because: FieldPath = (*AT, "system") if schedule.system else AT
        yield from _system(workload, system, present, because)
        yield from _details(schedule, system)
        if system == "volcano":
            yield from _without_plugin(schedule, setting)
        yield from _other_schedulers(workload, system)
        if system == "kueue":
            yield from _queued(experiment, AT)
    if schedule.priority_class_name is not None:
        for podset in workload.podsets:
            because = (*AT, "priorityClassName")
            yield Contribution((*podset.pod, "priorityClassName"), schedule.priority_class_name, because, mirrors=True)


def _direct(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Return the fields of a kind that is a gang by itself: its target sets them, or reports why it cannot."""
    schedule = experiment.spec.schedule
    # Volcano schedules a Volcano Job, also if the project has another scheduler for other runs.
    own = facts_of(experiment.spec.target).scheduler
    ours = setting.system if setting.system == "kueue" and not own else None
    system = schedule.system or ours
    if system == "kueue":
        yield from _queued(experiment, AT)
    elif schedule.workload_priority is not None or schedule.multi_kueue:
        other = own or system or "none"
        yield from _details(schedule, other, fields=("workloadPriority", "multiKueue"))
    if own:
        yield from _without_plugin(schedule, setting)
    fields: dict[str, Tree] = {
        "system": schedule.system,
        "queue": schedule.queue if system != "kueue" else None,
        "minAvailable": schedule.min_available,
        "minResources": {name: text(amount) for name, amount in schedule.min_resources.items()} or None,
        "priorityClassName": schedule.priority_class_name,
        "timeoutSeconds": schedule.timeout_seconds,
        "networkTopology": _topology(schedule),
    }
    for field, value in fields.items():
        if value is not None:
            yield Contribution(("schedule", field), value, (*AT, field), mirrors=field != "networkTopology")


def _counted(experiment: Experiment) -> Diagnostic:
    message = f"with target {experiment.spec.target} the resources of a gang are computed from its pods"
    hint = "remove minResources"
    return Diagnostic("TJ425", message, path=(*AT, "minResources"), hint=hint)


def _all_of_it(experiment: Experiment) -> Diagnostic:
    message = f"with target {experiment.spec.target} a gang contains all pods of the run: no field sets a smaller number"
    hint = "remove minAvailable, or use target: volcanojob"
    return Diagnostic("TJ491", message, path=(*AT, "minAvailable"), hint=hint)


def _system(workload: Workload, system: str, present: list[str], because: FieldPath) -> Contributions:
    for other in present:
        if other != system:
            yield Contribution((*POLICY, other), None, because)
    if system in ("none", "kueue"):
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


def _details(schedule: Schedule, system: str, fields: Sequence[str] = ()) -> Contributions:
    """Yield diagnostics about settings of another gang system, about `fields` alone if they are given."""
    details: list[tuple[str, tuple[str, ...], Tree, FieldPath]] = [
        ("queue", ("kueue", "volcano"), schedule.queue, ("runtime", "template", "metadata", "annotations", QUEUE)),
        ("timeoutSeconds", ("coscheduling",), schedule.timeout_seconds, (*POLICY, "coscheduling", "scheduleTimeoutSeconds")),
        ("networkTopology", ("volcano",), _topology(schedule), (*POLICY, "volcano", "networkTopology")),
        ("workloadPriority", ("kueue",), schedule.workload_priority, ()),
        ("multiKueue", ("kueue",), schedule.multi_kueue or None, ()),
    ]
    for field, systems, value, path in details:
        if value is None or (fields and field not in fields):
            continue
        because: FieldPath = (*AT, field)
        if system not in systems:
            yield Diagnostic(
                "TJ321",
                f"schedule.{field} applies to {' and '.join(systems)}, but the schedule system is {system}",
                path=because,
                hint=f"remove it, or set schedule.system to {' or '.join(systems)}",
            )
        elif path and system != "kueue":
            yield Contribution(path, value, because, mirrors=field != "networkTopology")


def _other_schedulers(workload: Workload, system: str) -> Contributions:
    """Yield a diagnostic for pods whose scheduler in the experiment does not support the gang."""
    if system not in SCHEDULERS:
        return
    # A profile with the plugin Coscheduling may be called anything but as the default one.
    for podset in workload.podsets:
        path: FieldPath = (*podset.pod, "schedulerName")
        scheduler = get(workload.tree.value, path, None)
        fits = scheduler == "volcano" if system == "volcano" else scheduler != "default-scheduler"
        if scheduler is not None and not fits and is_from_experiment(workload, path):
            yield other_scheduler(system, scheduler, podset.name, workload.tree.origins(path)[0].because)


def other_scheduler(system: str, scheduler: str, role: str, because: FieldPath) -> Diagnostic:
    """TJ494."""
    message = f"the gang uses {system}, but the pods of {role} use the scheduler {scheduler}, which does not support it"
    hint = "remove schedulerName: the schedule system sets it"
    return Diagnostic("TJ494", message, path=because, hint=hint)


def _topology(schedule: Schedule) -> Tree:
    topology = schedule.network_topology
    if topology is None:
        return None
    tree: Tree = {"mode": topology.mode}
    if topology.highest_tier_allowed is not None:
        tree["highestTierAllowed"] = topology.highest_tier_allowed
    return tree


def _without_plugin(schedule: Schedule, setting: Setting) -> Contributions:
    """TJ399. Observed with Volcano 1.14.4: without the plugin, its scheduler places the pods anywhere."""
    topology = schedule.network_topology
    if topology is not None and topology.mode == "hard" and not setting.cluster.network_topology_aware:
        message = "Volcano ignores networkTopology unless its scheduler has the plugin network-topology-aware"
        hint = "enable the plugin, and set networkTopologyAware: true in spec.cluster of the Platform"
        yield Diagnostic("TJ399", message, path=(*AT, "networkTopology"), hint=hint)


def _no_system(schedule: Schedule) -> Diagnostic:
    return Diagnostic(
        "TJ320",
        "schedule requests a gang, but neither schedule, the runtime nor the project sets a system",
        path=AT,
        hint="add system: volcano or system: coscheduling, or set schedule.system in tjgen.yaml",
    )


# A run that Kueue admits -> the labels of its own object for Kueue, and settings that conflict with Kueue.
#
# Kueue suspends such a run at creation, and resumes it when there is capacity for all its pods (kueue v0.19
# `pkg/controller/constants`, `pkg/controller/jobs`). So `suspend` is not in Git, neither true nor false.


def _queued(experiment: Experiment, at: FieldPath) -> Iterator[Contribution | Diagnostic]:
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
