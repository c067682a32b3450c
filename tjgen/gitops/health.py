"""How much a tool shall know of the health of runs -> the check in Lua for Argo CD, in CEL for Flux.

Neither tool knows these kinds: for both a run is well as soon as it is applied. With
"failures" a run that has failed is unwell, and so is one that no controller has taken up, such as a TrainJob whose
JobSet was refused; one that is trained is well. With "completion" it is well only when it has ended.
Conditions and phases: kubeflow/trainer v2.3 `TrainJobStatus`, jobset v0.12 `JobSetStatus`, training-operator v1.9 and
mpi-operator v0.8 `JobStatus`, volcano v1.13 and scheduler-plugins v0.35 `PodGroupStatus`. A suspended run is not waited for.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.fields.path import Tree
from tjgen.typing import NamedTuple

FAILURES = "failures"
COMPLETION = "completion"


class _Conditions(NamedTuple):
    """A kind whose status has conditions, which say when it has ended, and a list of what it runs."""

    api_version: str
    kind: str
    done: str
    runs: str


class _Phases(NamedTuple):
    """A kind whose status has a phase, perhaps below another field."""

    api_version: str
    kind: str
    done: str
    failed: tuple[str, ...] = ()
    below: str = ""


_RUNS = (
    _Conditions("trainer.kubeflow.org/v1alpha1", "TrainJob", "Complete", "jobsStatus"),
    _Conditions("jobset.x-k8s.io/v1alpha2", "JobSet", "Completed", "replicatedJobsStatus"),
    _Conditions("kubeflow.org/v1", "PyTorchJob", "Succeeded", "replicaStatuses"),
    _Conditions("kubeflow.org/v1", "TFJob", "Succeeded", "replicaStatuses"),
    _Conditions("kubeflow.org/v1", "XGBoostJob", "Succeeded", "replicaStatuses"),
    _Conditions("kubeflow.org/v1", "JAXJob", "Succeeded", "replicaStatuses"),
    _Conditions("kubeflow.org/v2beta1", "MPIJob", "Succeeded", "replicaStatuses"),
)
_GANGS = (
    _Phases("scheduling.volcano.sh/v1beta1", "PodGroup", "Completed"),
    _Phases("scheduling.x-k8s.io/v1alpha1", "PodGroup", "Finished", ("Failed",)),
)

_JOBS = (_Phases("batch.volcano.sh/v1alpha1", "Job", "Completed", ("Failed", "Aborted", "Terminated"), "state"),)
"""Runs of kinds that have no conditions."""

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
if status.conditions == nil and status.{runs} == nil then
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
    scripts = {_key(one.api_version, one.kind): _CONDITIONS_LUA.format(running=running, **one._asdict()) for one in _RUNS}
    for one in (*_GANGS, *_JOBS):
        states = {one.done: "Healthy", **dict.fromkeys(one.failed, "Degraded")}
        text = ", ".join(f'["{phase}"] = "{status}"' for phase, status in states.items())
        phase = f"((obj.status or {{}}).{one.below} or {{}}).phase" if one.below else "(obj.status or {}).phase"
        scripts[_key(one.api_version, one.kind)] = _PHASES_LUA.format(states=text, running=running, phase=phase)
    return scripts


def checks(health: str) -> list[Tree]:
    """The `healthCheckExprs` of a Kustomization; what an expression asks for and does not find, Flux waits for."""
    return [*(_check(one, health) for one in _RUNS), *(_check_phase(one, health) for one in _JOBS)]


def _check(one: _Conditions, health: str) -> Tree:
    ended = _is_true(one.done, "Suspended")
    taken_up = f"has(status.conditions) || has(status.{one.runs})"
    return {
        "apiVersion": one.api_version,
        "kind": one.kind,
        "failed": _is_true("Failed"),
        "current": ended if health == COMPLETION else taken_up,
    }


def _check_phase(one: _Phases, health: str) -> Tree:
    has_phase = f"has(status.{one.below}) && has(status.{one.below}.phase)"
    failed = ", ".join(f"'{phase}'" for phase in one.failed)
    ended = f"{has_phase} && status.{one.below}.phase == '{one.done}'"
    return {
        "apiVersion": one.api_version,
        "kind": one.kind,
        "failed": f"{has_phase} && status.{one.below}.phase in [{failed}]",
        "current": ended if health == COMPLETION else has_phase,
    }


def _is_true(*types: str) -> str:
    named = " || ".join(f"c.type == '{name}'" for name in types)
    any_of = f"({named})" if len(types) > 1 else named
    return f"has(status.conditions) && status.conditions.exists(c, c.status == 'True' && {any_of})"


def _key(api_version: str, kind: str) -> str:
    return f"resource.customizations.health.{api_version.partition('/')[0]}_{kind}"
