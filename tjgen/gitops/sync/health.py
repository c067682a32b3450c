"""The level of health that a tool should detect -> the check in Lua for Argo CD, in CEL for Flux; and the same for one object.

Neither tool supports these kinds: both report a run as healthy as soon as it is applied. With "failures" a run is well while it
trains and when it is complete, and unwell when it has failed. Until all its pods have started, it is in progress. With
"completion" it is well only when it has ended. A suspended run is not waited for. The states are those of states.py, what
decides on them is in rules.py. A gang (PodGroup) does not train: it is well unless it has failed.

Conditions and phases: kubeflow/trainer v2.3 `TrainJobStatus`, jobset v0.12 `JobSetStatus`, training-operator v1.9 and
mpi-operator v0.8 `JobStatus`, volcano v1.13 and scheduler-plugins v0.35 `PodGroupStatus`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.cluster.kinds.protocol import Conditions, Kind, Phases
from tjgen.cluster.kinds.table import kinds
from tjgen.gitops.sync.rules import StateRule, conditions, is_in_queue, other, phases, reason_of, rules, unseen
from tjgen.gitops.sync.states import DEGRADED, GANG, PROGRESSING, RUNNING, RunState
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.typing import NamedTuple

FAILURES = "failures"
COMPLETION = "completion"


class Observed(NamedTuple):
    """The state of one object."""

    state: RunState
    reason: str = ""
    since: str = ""
    """Time of the transition that decides, as the cluster writes it; empty if there was none."""

    @property
    def message(self) -> str:
        """What people read."""
        return self.state.message(self.reason)


def state_of(tree: Tree, kind: Kind) -> Observed:
    """The state that the scripts of `customizations("failures")` derive from the object of a kind that has a status."""
    if isinstance(kind.status, Phases):
        return _of_phase(tree, kind, kind.status)
    assert kind.status is not None, "an object that does not end has no state"
    rule = next(one for one in rules(kind, kind.status) if one.seen.holds(tree))
    state = rule.in_queue if rule.in_queue is not None and is_in_queue(tree) else rule.state
    condition = next((one for one in conditions(tree) if one.get("type") == rule.condition and one.get("status") == "True"), None)
    if condition is None:
        return Observed(state)
    reason = str(condition.get("message") or "") if state is rule.state else ""
    return Observed(state, reason, str(condition.get("lastTransitionTime") or ""))


def _of_phase(tree: Tree, kind: Kind, status: Phases) -> Observed:
    holder = get(tree, ("status", status.parent) if status.parent else ("status",), None) or {}
    phase = holder.get(status.name)
    if not phase:
        return Observed(unseen(kind))
    state = phases(kind, status).get(phase, other(kind))
    return Observed(state, reason_of(phase, state), str(holder.get("lastTransitionTime") or ""))


_CONDITIONS_LUA = """\
local status = obj.status or {{}}
local found = {{}}
for _, condition in ipairs(status.conditions or {{}}) do
  if condition.status == "True" then
    found[condition.type] = condition.message or ""
  end
end
local function message(word, reason)
  return reason == "" and word or word .. ": " .. reason
end
{counts}\
{rules}\
"""
_JOBS_LUA = """\
local active, ready, missing = false, false, false
for _, job in ipairs(status.{active} or {{}}) do
  active = active or (job.active or 0) > 0
  ready = ready or (job.ready or 0) > 0
  missing = missing or (job.ready or 0) < (job.active or 0)
end
"""
_REPLICAS_LUA = """\
local active, missing = false, false
local pods = status.{active} or {{}}
for _, role in pairs(pods) do
  active = active or (role.active or 0) > 0
end
for name, wanted in pairs((obj.spec or {{}}).{replicas} or {{}}) do
  local role = pods[name] or {{}}
  missing = missing or (role.active or 0) + (role.succeeded or 0) < (wanted.replicas or 1)
end
local ready = active
"""
_PHASES_LUA = """\
local phase = {phase}
local states = {{
{states}\
}}
local known = states[phase or ""] or {{"{health}", {message}}}
return {{status = known[1], message = known[2]}}
"""


def customizations(health: str) -> Mapping[str, str]:
    """Key of the ConfigMap argocd-cm -> script."""
    scripts = {_key(kind): _script(kind, status, health) for kind, status in _with_conditions()}
    for kind, status in (*_gangs(), *_runs_with_phases()):
        scripts[_key(kind)] = _phase_script(kind, status, health)
    return scripts


def _script(kind: Kind, status: Conditions, health: str) -> str:
    replicas = kind.run.replicas if kind.run is not None else ""
    counts = (_REPLICAS_LUA if replicas else _JOBS_LUA).format(active=status.active, replicas=replicas)
    lines = "".join(line for rule in rules(kind, status) for line in _rule_in_lua(rule, health))
    return _CONDITIONS_LUA.format(counts=counts, rules=lines)


def _rule_in_lua(rule: StateRule, health: str) -> Iterator[str]:
    level = _at_level(rule.state, health)
    own = f'message("{rule.state.word}", found["{rule.condition}"])' if rule.condition else f'"{rule.state.message()}"'
    answer = f'return {{status = "{level}", message = {own}}}\n'
    if rule.seen.lua == "true":
        yield answer
        return
    yield f"if {rule.seen.lua} then\n"
    if rule.in_queue is not None:
        yield f'  if (((obj.metadata or {{}}).labels or {{}})["{KUEUE_QUEUE}"] or "") ~= "" then\n'
        yield f'    return {{status = "{level}", message = "{rule.in_queue.message()}"}}\n'
        yield "  end\n"
    yield f"  {answer}end\n"


def _phase_script(kind: Kind, status: Phases, health: str) -> str:
    rows = [f'["{phase}"] = {_answer(state, phase, health)}' for phase, state in phases(kind, status).items()]
    unlisted = other(kind)
    holder = f"((obj.status or {{}}).{status.parent} or {{}})" if status.parent else "(obj.status or {})"
    return _PHASES_LUA.format(
        phase=f"{holder}.{status.name}",
        states="".join(f"  {row},\n" for row in (f'[""] = {_answer(unseen(kind), "", health)}', *rows)),
        health=_at_level(unlisted, health),
        message=f'"{unlisted.word}: " .. phase' if unlisted.word else "phase",
    )


def _answer(state: RunState, phase: str, health: str) -> str:
    return f'{{"{_at_level(state, health)}", "{state.message(reason_of(phase, state))}"}}'


def _at_level(state: RunState, health: str) -> str:
    """The health of a state, where "completion" waits for the end."""
    return PROGRESSING if health == COMPLETION and state in (RUNNING, GANG) else state.health


def checks(health: str) -> list[Tree]:
    """The `healthCheckExprs` of a Kustomization. Flux waits until the fields that an expression reads exist."""
    return [
        *(_check(kind, status, health) for kind, status in _with_conditions()),
        *(_check_phase(kind, status, health) for kind, status in _runs_with_phases()),
    ]


def _with_conditions() -> list[tuple[Kind, Conditions]]:
    """The kinds whose status has conditions, those of one apiVersion together."""
    kinds_with_conditions = [(kind, kind.status) for kind in kinds() if isinstance(kind.status, Conditions)]
    versions = list(dict.fromkeys(kind.api_version for kind, _ in kinds_with_conditions))
    return sorted(kinds_with_conditions, key=lambda one: versions.index(one[0].api_version))


def _gangs() -> list[tuple[Kind, Phases]]:
    return [(kind, kind.status) for kind in kinds() if isinstance(kind.status, Phases) and kind.run is None]


def _runs_with_phases() -> list[tuple[Kind, Phases]]:
    return [(kind, kind.status) for kind in kinds() if isinstance(kind.status, Phases) and kind.run is not None]


def _check(kind: Kind, status: Conditions, health: str) -> Tree:
    """Flux evaluates `failed` before `current`, and no other rule precedes those of `current` (see the order in rules.py)."""
    known = [(_at_level(rule.state, health), rule.seen.cel) for rule in rules(kind, status)]
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "failed": " || ".join(cel for level, cel in known if level == DEGRADED),
        "current": " || ".join(f"({cel})" for level, cel in known if level not in (DEGRADED, PROGRESSING)),
    }


def _check_phase(kind: Kind, status: Phases, health: str) -> Tree:
    phase = f"status.{status.parent}.{status.name}" if status.parent else f"status.{status.name}"
    has_phase = f"has(status.{status.parent}) && has({phase})" if status.parent else f"has({phase})"
    levels = {one: _at_level(state, health) for one, state in phases(kind, status).items()}
    failed, pending = ([one for one, level in levels.items() if level == wanted] for wanted in (DEGRADED, PROGRESSING))
    current = [one for one, level in levels.items() if level not in (DEGRADED, PROGRESSING)]
    is_current = f"!({phase} in {_list(pending)})" if health != COMPLETION else f"{phase} in {_list(current)}"
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "failed": f"{has_phase} && {phase} in {_list(failed)}",
        "current": f"{has_phase} && {is_current}",
    }


def _list(names: list[str]) -> str:
    return f"[{', '.join(repr(name) for name in names)}]"


def _key(kind: Kind) -> str:
    return f"resource.customizations.health.{kind.group}_{kind.name}"
