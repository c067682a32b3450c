"""The gang and the queue of a run -> what would keep it from ever starting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.table import facts_of
from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.gang import POLICY, SCHEDULERS
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Queue
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.workload import Workload

_QUEUE: FieldPath = (*SPEC, "schedule", "queue")
_TITLES = {"kueue": "Kueue", "volcano": "Volcano"}


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """Reports a gang that waits for its own members (TJ390), and a queue that cannot let the run in (TJ391, TJ392)."""
    yield from _in_steps(workload, experiment)
    yield from _queue(workload, experiment, setting)


def _in_steps(workload: Workload, experiment: Experiment) -> Iterator[Diagnostic]:
    """The pod group counts the pods of all jobs, and JobSet creates the pods of a later job only when earlier ones have run."""
    if workload.is_direct:
        return
    systems = [system for system in SCHEDULERS if get(workload.tree.value, (*POLICY, system), None) is not None]
    late = [podset for podset in workload.podsets if get(workload.tree.value, (*podset.path, "dependsOn"), None)]
    if not systems or not late:
        return
    initializers = [podset for podset in workload.podsets if podset.is_initializer]
    first = initializers[0] if initializers else next(podset for podset in workload.podsets if podset not in late)
    message = f"the gang of {systems[0]} waits for the pods of {late[0].name}, which are created after {first.name} has started"
    if initializers:
        hint = "fetch the data with prefetch, a Job of its own that ends before the gang starts, or use schedule.system: kueue"
    else:
        hint = "use target: volcanojob, which starts the launcher with the gang, or schedule.system: kueue"
    is_requested = initializers and experiment.spec.initializer is not None
    path: FieldPath = (*SPEC, "initializer") if is_requested else (*SPEC, "schedule")
    yield Diagnostic("TJ390", f"{message}: it never starts", path=path, hint=hint)


def _queue(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    name, known = experiment.spec.schedule.queue, setting.cluster.queue_specs
    if name is None or not known:
        return
    system = "kueue" if get(workload.tree.value, ("metadata", "labels", KUEUE_QUEUE), None) is not None else "volcano"
    usable = [one for one, queue in known.items() if _system(queue) in (system, None)]
    if name not in known:
        near = nearest(name, usable)
        hint = f"did you mean {near}?" if near else f"use {_one_of(usable)}add it to queues of the Platform"
        yield Diagnostic("TJ391", f"the Platform has no queue {name}: the run would wait forever", path=_QUEUE, hint=hint)
        return
    if name not in usable:
        yield _of_other_system(name, system, usable, experiment)
        return
    create = known[name].create
    kueue = create.kueue if create is not None else None
    if kueue is not None and setting.namespace not in kueue.namespaces:
        allowed = ", ".join(kueue.namespaces) or "none"
        message = f"queue {name} accepts runs of the namespaces {allowed}, not of {setting.namespace}: the run would wait forever"
        hint = f"use another queue, or add {setting.namespace} to namespaces of the queue in the Platform"
        yield Diagnostic("TJ392", message, path=_QUEUE, hint=hint)


def _system(queue: Queue) -> str | None:
    """The system of a queue that the Platform creates. The cluster may have another queue in each of the two."""
    if queue.create is None:
        return None
    return "kueue" if queue.create.kueue is not None else "volcano"


def _one_of(names: Sequence[str]) -> str:
    return f"one of {', '.join(names)}, or " if names else ""


def _of_other_system(name: str, system: str, usable: Sequence[str], experiment: Experiment) -> Diagnostic:
    other = "volcano" if system == "kueue" else "kueue"
    message = f"queue {name} of the Platform is in {_TITLES[other]}, but the run uses {_TITLES[system]}: it would wait forever"
    hint = f"write schedule.system: {other}"
    if other == "kueue" and facts_of(experiment.spec.target).scheduler:  # Kueue does not queue the kind
        hint += " and target: trainjob"
    if usable:
        hint += f", or use a queue of {_TITLES[system]}: {', '.join(usable)}"
    return Diagnostic("TJ391", message, path=_QUEUE, hint=hint)
