"""The gang and the queue of a run -> what would keep it from ever starting."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.gang import POLICY, SCHEDULERS
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.workload import Workload

_QUEUE: FieldPath = (*SPEC, "schedule", "queue")


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """Reports a gang that waits for its own members (TJ390), and a queue that cannot let the run in (TJ391, TJ392)."""
    yield from _in_steps(workload, experiment)
    yield from _queue(experiment, setting)


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


def _queue(experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    name, known = experiment.spec.schedule.queue, setting.cluster.queue_specs
    if name is None or not known:
        return
    if name not in known:
        near = nearest(name, list(known))
        hint = f"did you mean {near}?" if near else f"use one of {', '.join(known)}, or add it to queues of the Platform"
        yield Diagnostic("TJ391", f"the Platform has no queue {name}: the run would wait forever", path=_QUEUE, hint=hint)
        return
    create = known[name].create
    kueue = create.kueue if create is not None else None
    if kueue is not None and setting.namespace not in kueue.namespaces:
        allowed = ", ".join(kueue.namespaces) or "none"
        message = f"queue {name} accepts runs of the namespaces {allowed}, not of {setting.namespace}: the run would wait forever"
        hint = f"use another queue, or add {setting.namespace} to namespaces of the queue in the Platform"
        yield Diagnostic("TJ392", message, path=_QUEUE, hint=hint)
