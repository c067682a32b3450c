"""The level of health that a tool should detect -> the check in Lua for Argo CD, in CEL for Flux; and the same for one object.

Neither tool supports these kinds: both report a run as healthy as soon as it is applied. With
"failures" a run that has failed is unwell, and so is one that no controller has taken up, such as a TrainJob whose
JobSet was refused; one that is trained is well. With "completion" it is well only when it has ended.
Conditions and phases: kubeflow/trainer v2.3 `TrainJobStatus`, jobset v0.12 `JobSetStatus`, training-operator v1.9 and
mpi-operator v0.8 `JobStatus`, volcano v1.13 and scheduler-plugins v0.35 `PodGroupStatus`. A suspended run is not waited for.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.kinds.protocol import Conditions, Kind, Phases
from tjgen.cluster.kinds.table import kinds
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

FAILURES = "failures"
COMPLETION = "completion"
HEALTHY = "Healthy"
DEGRADED = "Degraded"
SUSPENDED = "Suspended"
PROGRESSING = "Progressing"


class Health(NamedTuple):
    """The health of one object, in the words of Argo CD."""

    status: str
    """HEALTHY, DEGRADED, SUSPENDED or PROGRESSING."""
    message: str
    since: str = ""
    """Time of the transition that decides, as the cluster writes it; empty if there was none."""
    has_ended: bool = False
    """Whether the run has ended, with success or not."""


def health_of(tree: Tree, status: Conditions | Phases) -> Health:
    """What the scripts of `customizations("failures")` return for an object of a kind with this status."""
    return _of_phase(tree, status) if isinstance(status, Phases) else _of_conditions(tree, status)


def _of_conditions(tree: Tree, status: Conditions) -> Health:
    status_of_object = tree.get("status") or {}
    true = {one.get("type"): one for one in status_of_object.get("conditions") or () if one.get("status") == "True"}
    for kind, word in (("Failed", DEGRADED), (status.done, HEALTHY), ("Suspended", SUSPENDED)):
        if kind in true:
            since = str(true[kind].get("lastTransitionTime") or "")
            return Health(word, str(true[kind].get("message") or ""), since, has_ended=word != SUSPENDED)
    if status_of_object.get("conditions") is None and status_of_object.get(status.active) is None:
        return Health(PROGRESSING, "no controller has taken it up")
    return Health(HEALTHY, "running")


def _of_phase(tree: Tree, status: Phases) -> Health:
    status_of_object = tree.get("status") or {}
    state = (status_of_object.get(status.parent) or {}) if status.parent else status_of_object
    phase = state.get(status.name)
    word = DEGRADED if phase in status.failed else HEALTHY
    has_ended = phase in (status.done, *status.failed)
    return Health(word, str(phase or "no scheduler has taken it up"), str(state.get("lastTransitionTime") or ""), has_ended)


_CONDITIONS_LUA = """\
local status = obj.status or {{}}
local found = {{}}
for _, condition in ipairs(status.conditions or {{}}) do
  if condition.status == "True" then
    found[condition.type] = condition.message or ""
  end
end
if found["Failed"] ~= nil then
  return {{status = "Degraded", message = found["Failed"]}}
end
if found["{done}"] ~= nil then
  return {{status = "Healthy", message = found["{done}"]}}
end
if found["Suspended"] ~= nil then
  return {{status = "Suspended", message = found["Suspended"]}}
end
if status.conditions == nil and status.{active} == nil then
  return {{status = "Progressing", message = "no controller has taken it up"}}
end
return {{status = "{running}", message = "running"}}
"""
_PHASES_LUA = """\
local phase = {phase}
local states = {{{states}}}
return {{status = states[phase] or "{running}", message = phase or "no scheduler has taken it up"}}
"""


def customizations(health: str) -> Mapping[str, str]:
    """Key of the ConfigMap argocd-cm -> script."""
    running = "Progressing" if health == COMPLETION else "Healthy"
    scripts = {_key(kind): _CONDITIONS_LUA.format(running=running, **status._asdict()) for kind, status in _with_conditions()}
    for kind, status in (*_gangs(), *_runs_with_phases()):
        states = {status.done: "Healthy", **dict.fromkeys(status.failed, "Degraded")}
        text = ", ".join(f'["{phase}"] = "{name}"' for phase, name in states.items())
        holder = f"((obj.status or {{}}).{status.parent} or {{}})" if status.parent else "(obj.status or {})"
        scripts[_key(kind)] = _PHASES_LUA.format(states=text, running=running, phase=f"{holder}.{status.name}")
    return scripts


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
    ended = _is_true(status.done, "Suspended")
    taken_up = f"has(status.conditions) || has(status.{status.active})"
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "failed": _is_true("Failed"),
        "current": ended if health == COMPLETION else taken_up,
    }


def _check_phase(kind: Kind, status: Phases, health: str) -> Tree:
    phase = f"status.{status.parent}.{status.name}" if status.parent else f"status.{status.name}"
    has_phase = f"has(status.{status.parent}) && has({phase})" if status.parent else f"has({phase})"
    failed = ", ".join(f"'{phase}'" for phase in status.failed)
    ended = f"{has_phase} && {phase} == '{status.done}'"
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "failed": f"{has_phase} && {phase} in [{failed}]",
        "current": ended if health == COMPLETION else has_phase,
    }


def _is_true(*types: str) -> str:
    named = " || ".join(f"c.type == '{name}'" for name in types)
    any_of = f"({named})" if len(types) > 1 else named
    return f"has(status.conditions) && status.conditions.exists(c, c.status == 'True' && {any_of})"


def _key(kind: Kind) -> str:
    return f"resource.customizations.health.{kind.group}_{kind.name}"
