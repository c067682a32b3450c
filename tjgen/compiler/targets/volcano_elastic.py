"""`elastic` of a Volcano Job -> a gang of the minimum, and a rendezvous of torchrun with a changing number of nodes.

The agents of torchrun meet at a store that the master keeps, and form their group again when one comes or goes (torch 2
`distributed/elastic/rendezvous/c10d_rendezvous_backend.py`). Volcano starts the gang with `minAvailable` pods and the others when
they fit, and accepts another number of workers while the Job runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.targets import elastic, volcano_torch
from tjgen.compiler.targets.volcano_additions import PORT, Rendezvous, host
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.workload.roles import nodes
from tjgen.trees.workload.workload import Workload

CAUSE = Origin("target:volcanojob", "experiment", elastic.AT)
FINISHED = {"event": "TaskCompleted", "action": "CompleteJob"}
"""Policy of the master's task. The agents end together; pods that still wait for nodes would train again, alone."""
_LOST = ("PodEvicted", "PodFailed", "*")
_FOR_ALL = ("AbortJob", "TerminateJob", "RestartJob", "CompleteJob")
_PYTHON = ("python", "python3")


def least(workload: Workload) -> dict[str, int]:
    """Role -> pods with which the run starts: the master, and as many workers as the minimum needs."""
    bounds = elastic.bounds(workload)
    if bounds is None or not _is_torch(workload):
        return {}
    counts = workload.tree.value["counts"]
    result: dict[str, int] = {}
    left = int(bounds["min"])
    for podset in volcano_torch.trainers(workload):
        result[podset.name] = min(left, counts[podset.name])
        left -= result[podset.name]
    return result


def master(workload: Workload) -> str | None:
    """The role whose pod keeps the store of an elastic run, and ends with the run."""
    return next(iter(least(workload)), None)


def set_up(result: Rendezvous, workload: Workload) -> list[Diagnostic]:
    """The variables of torchrun: PET_*, one for each of its arguments."""
    bounds = elastic.bounds(workload)
    roles = volcano_torch.trainers(workload)
    if len(roles) > 2 or workload.tree.value["counts"][roles[0].name] != 1:
        names = ", ".join(podset.name for podset in roles)
        message = f"an elastic run has one master pod, which hosts the rendezvous, and workers, but the roles are {names}"
        return [Diagnostic("TJ416", message, path=("spec", "roles"), hint="remove the roles, and set nodes")]
    for podset in roles:
        values = {
            "PET_NNODES": f"{bounds['min']}:{bounds['max']}",
            "PET_RDZV_BACKEND": "c10d",
            "PET_RDZV_ENDPOINT": f"{host(workload, roles[0].name)}:{PORT}",
            "PET_RDZV_ID": workload.name,
            # Without it, torchrun compares the host name of the endpoint with that of the pod, which has no domain.
            "PET_RDZV_CONF": f"is_host={podset == roles[0]}".lower(),
            # Otherwise, processes of the new group read what those of the former one wrote (seen with torch 2.5).
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        }
        if bounds.get("restarts") is not None:
            values["PET_MAX_RESTARTS"] = str(bounds["restarts"])
        result.reasons.update(dict.fromkeys(values, CAUSE))
        variables = [{"name": name, "value": value} for name, value in values.items()]
        processes = {"name": "PET_NPROC_PER_NODE", "value": str(volcano_torch.processes(workload, podset))}
        result.variables[podset.name] = [processes, *variables]
    return []


def unsupported(workload: Workload) -> Iterator[Diagnostic]:
    """TJ425 for pods that torchrun does not start, and for an autoscaler; TJ433 and TJ424 for what contradicts the bounds."""
    bounds = elastic.bounds(workload)
    if not _is_torch(workload):
        hint = (
            f"use runtime: tjgen-torch; for pods that work alone, set schedule.minAvailable: {bounds['min']} instead of elastic"
        )
        yield _cannot("change its number of nodes: torchrun does not start its pods", elastic.AT, hint)
        return
    for podset in volcano_torch.trainers(workload):
        words = [*(get(workload.tree.value, (*podset.main, "command"), None) or ())]
        if words and words[0] in _PYTHON and not any(word.startswith("torch.distributed") for word in words):
            hint = "write the program in script instead of command: torchrun starts it"
            yield _cannot("change its number of nodes: its command does not call torchrun", elastic.AT, hint)
            return
    if bounds.get("metrics"):
        yield _cannot("scale by metrics: Volcano has no autoscaler", (*elastic.AT, "metrics"), "remove metrics")
    if nodes(workload) > 1 or bounds["max"] == 1:
        yield from elastic.outside(workload)
    else:
        message = f"a Volcano Job that is created with 1 node has no task worker, so it cannot grow to {bounds['max']} nodes"
        hint = f"set nodes: {bounds['max']}: the run starts with {bounds['min']} of them, and the others join when they fit"
        yield Diagnostic("TJ433", message, path=elastic.AT, hint=hint)
    if get(workload.tree.value, ("schedule", "minAvailable"), None) is not None:
        yield _twice(("schedule", "minAvailable"))
    for role in least(workload):
        if get(workload.tree.value, ("volcano", "tasks", role, "minAvailable"), None) is not None:
            yield _twice(("volcano", "tasks", role, "minAvailable"))
        yield from _ends(workload, ("volcano", "tasks", role))
    yield from _ends(workload, ("volcano",))


def _is_torch(workload: Workload) -> bool:
    return get(workload.ml_policy, ("torch",), None) is not None


def _ends(workload: Workload, at: FieldPath) -> Iterator[Diagnostic]:
    """Policies by which the loss of one pod is that of all."""
    for event, policy in (get(workload.tree.value, (*at, "policies"), None) or {}).items():
        if event in _LOST and policy.get("action") in _FOR_ALL:
            message = f"the policy {policy['action']} for {event} stops all pods of an elastic run when one is lost"
            hint = f"set {event}: RestartPod, or remove the policy: RestartPod is the default of an elastic run"
            yield Diagnostic("TJ424", message, path=("spec", *at, "policies", event), hint=hint)


def _twice(at: tuple[str, ...]) -> Diagnostic:
    message = f"elastic.min is the number of pods with which the run starts, and {'.'.join(at)} sets another"
    return Diagnostic("TJ433", message, path=("spec", *at), hint="remove minAvailable")


def _cannot(what: str, path: FieldPath, hint: str) -> Diagnostic:
    return Diagnostic("TJ425", f"a Volcano Job cannot {what}", path=path, hint=hint)
