"""A kind -> the rules that derive the state of a run from its object, for Python, for Lua (Argo CD), and for CEL (Flux).

Each rule has one observation in all three forms, and the first rule that holds decides. A condition can be stale: if the API
server refuses the pods of a resumed PyTorchJob, its operator returns before it writes a status (training-operator v1.9
`controller.v1/common/job.go:ReconcileJobs`). Therefore, the counts of active pods and `suspend` of the spec take precedence over
the condition `Suspended`.

Counts: jobset v0.12 `jobset_controller.go:calculateReplicatedJobStatuses` (`ready`: Jobs all of whose pods are ready or have
succeeded; `active`: Jobs that have pods), which kubeflow/trainer v2 copies to `jobsStatus`; training-operator v1.9
`core/status.go:UpdateJobReplicaStatuses` and mpi-operator v0.8 `updateMPIJobStatus` (`active`: running pods).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.cluster.kinds.protocol import Conditions, Kind, Phases
from tjgen.gitops.sync.states import (
    COMPLETED,
    FAILED,
    GANG,
    PODLESS,
    QUEUED,
    RUNNING,
    STARTING,
    SUSPENDED_RUN,
    UNSEEN,
    WAITING,
    RunState,
)
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.typing import NamedTuple


class Observation(NamedTuple):
    """Something that the object of a run shows."""

    holds: Callable[[Tree], bool]
    lua: str
    """In terms of the variables that health.py declares."""
    cel: str


class StateRule(NamedTuple):
    """A state, and what must be observed for it."""

    state: RunState
    seen: Observation
    condition: str = ""
    """Type of the condition whose message is the reason; empty without one."""
    in_queue: RunState | None = None
    """The state of a run that a queue of Kueue admits, if it is another one with the same health."""


def rules(kind: Kind, status: Conditions) -> tuple[StateRule, ...]:
    """The rules for a kind whose status has conditions; the last one always holds."""
    active, started = _pods(kind, status)
    suspended = _all(_is_true("Suspended"), _not(_resumed(kind)), _not(active))
    return (
        StateRule(FAILED, _is_true("Failed"), "Failed"),
        StateRule(COMPLETED, _is_true(status.done), status.done),
        StateRule(SUSPENDED_RUN, suspended, "Suspended", in_queue=QUEUED),
        StateRule(RUNNING, started),
        StateRule(STARTING, active),
        StateRule(PODLESS, _is_taken_up(status)),
        StateRule(UNSEEN, Observation(lambda tree: True, "true", "true")),
    )


def phases(kind: Kind, status: Phases) -> Mapping[str, RunState]:
    """Phase -> state. The state in any other phase is `other(kind)`, that without a phase `unseen(kind)`."""
    ended = {status.done: COMPLETED, **dict.fromkeys(status.failed, FAILED)}
    if kind.run is None:
        return ended
    return {
        "Running": RUNNING,
        **dict.fromkeys(status.waiting, WAITING),
        **dict.fromkeys(status.starting, STARTING),
        **dict.fromkeys(status.suspended, SUSPENDED_RUN),
        **ended,
    }


def other(kind: Kind) -> RunState:
    """The state of an object whose phase `phases` does not have."""
    return GANG if kind.run is None else RUNNING


def unseen(kind: Kind) -> RunState:
    """The state of an object without a phase."""
    return GANG if kind.run is None else UNSEEN


def reason_of(phase: str, state: RunState) -> str:
    """The phase, unless it is the same word as that of the state."""
    return "" if state.word.startswith(phase.lower()) else phase


def conditions(tree: Tree) -> list[Tree]:
    """The conditions of an object."""
    return list(get(tree, ("status", "conditions"), None) or ())


def is_in_queue(tree: Tree) -> bool:
    """Whether a queue of Kueue admits the run."""
    return bool(get(tree, ("metadata", "labels", KUEUE_QUEUE), None))


def _all(*seen: Observation) -> Observation:
    return Observation(
        lambda tree: all(one.holds(tree) for one in seen),
        " and ".join(one.lua for one in seen),
        " && ".join(one.cel for one in seen),
    )


def _not(seen: Observation) -> Observation:
    return Observation(lambda tree: not seen.holds(tree), f"not ({seen.lua})", f"!({seen.cel})")


def _is_true(name: str) -> Observation:
    return Observation(
        lambda tree: any(one.get("type") == name and one.get("status") == "True" for one in conditions(tree)),
        f'found["{name}"] ~= nil',
        f"has(status.conditions) && status.conditions.exists(c, c.status == 'True' && c.type == '{name}')",
    )


def _is_taken_up(status: Conditions) -> Observation:
    """Whether a controller has written a status."""

    def holds(tree: Tree) -> bool:
        return any(get(tree, ("status", field), None) is not None for field in ("conditions", status.active))

    return Observation(
        holds,
        f"status.conditions ~= nil or status.{status.active} ~= nil",
        f"has(status.conditions) || has(status.{status.active})",
    )


def _resumed(kind: Kind) -> Observation:
    """Whether the spec sets `suspend` to false."""
    path: FieldPath = kind.suspend or ()
    names = [str(step) for step in path]
    parts = [".".join(names[: length + 1]) for length in range(1, len(names))]
    return Observation(
        lambda tree: get(tree, path, None) is False,
        f"{_in_lua('obj', names)} == false",
        " && ".join([*(f"has({part})" for part in parts), f"!{'.'.join(names)}"]),
    )


def _in_lua(name: str, steps: list[str]) -> str:
    """A field of a table whose parts can be absent."""
    for step in steps[:-1]:
        name = f"({name}.{step} or {{}})"
    return f"{name}.{steps[-1]}"


def _pods(kind: Kind, status: Conditions) -> tuple[Observation, Observation]:
    """Whether the run has pods, and whether all pods that exist have started, as far as the counts show."""
    field = f"status.{status.active}"
    replicas = kind.run.replicas if kind.run is not None else ""
    if not replicas:
        active = f"has({field}) && {field}.exists(j, j.active > 0)"
        started = f"has({field}) && {field}.exists(j, j.ready > 0) && {field}.all(j, j.ready >= j.active)"
        return (
            Observation(lambda tree: any(_count(one, "active") for one in _jobs(tree, status)), "active", active),
            Observation(lambda tree: _jobs_started(tree, status), "ready and not missing", started),
        )
    active = f"has({field}) && {field}.exists(r, has({field}[r].active) && {field}[r].active > 0)"
    pods = f"{_cel_count(f'{field}[r]', 'active')} + {_cel_count(f'{field}[r]', 'succeeded')}"
    wanted = _cel_count(f"spec.{replicas}[r]", "replicas", 1)
    started = f"{active} && spec.{replicas}.all(r, r in {field} && {pods} >= {wanted})"
    return (
        Observation(lambda tree: any(_count(one, "active") for one in _replicas(tree, status).values()), "active", active),
        Observation(lambda tree: _replicas_started(tree, status, replicas), "ready and not missing", started),
    )


def _jobs(tree: Tree, status: Conditions) -> list[Tree]:
    return list(get(tree, ("status", status.active), None) or ())


def _jobs_started(tree: Tree, status: Conditions) -> bool:
    jobs = [(_count(one, "ready"), _count(one, "active")) for one in _jobs(tree, status)]
    return any(ready for ready, _ in jobs) and all(ready >= active for ready, active in jobs)


def _replicas(tree: Tree, status: Conditions) -> Mapping[str, Tree]:
    return {role: one or {} for role, one in (get(tree, ("status", status.active), None) or {}).items()}


def _replicas_started(tree: Tree, status: Conditions, replicas: str) -> bool:
    known = _replicas(tree, status)
    for role, wanted in (get(tree, ("spec", replicas), None) or {}).items():
        one = known.get(role, {})
        if _count(one, "active") + _count(one, "succeeded") < _count(wanted or {}, "replicas", 1):
            return False
    return any(_count(one, "active") for one in known.values())


def _count(tree: Tree, field: str, default: int = 0) -> int:
    value = tree.get(field)
    return default if value is None else int(value)


def _cel_count(tree: str, field: str, default: int = 0) -> str:
    return f"(has({tree}.{field}) ? {tree}.{field} : {default})"
