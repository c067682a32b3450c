"""A TrainJob and its runtime -> the objects that the Trainer controller v2.3.0 creates, with their origins.

The phases have upstream's names and order. Upstream keeps its plugins in a Go map, so their order is
random there; here they stand sorted by name, which shows only where two of them write the same list
(`env` with XGBoost).
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

from tjgen.diagnostics.model import ERROR, INFO, Diagnostic, ObjectRef
from tjgen.fields.path import Tree, get
from tjgen.trainer import runtimes
from tjgen.trainer.decode import new_info
from tjgen.trainer.info import Info, RefusedError
from tjgen.trainer.job import CONTROLLER, Job
from tjgen.trainer.live import live
from tjgen.trainer.objects import Made, snapshot
from tjgen.trainer.plugins import coscheduling, flux, jax, jobset, mpi, plainml, torch, volcano, xgboost
from tjgen.trainer.typed import DecodeError

__all__ = ["PLACEHOLDER_UID", "PLUGINS", "Expansion", "Made", "expand", "live"]

PLACEHOLDER_UID = "00000000-0000-4000-8000-000000000001"

PLUGINS: tuple[ModuleType, ...] = (coscheduling, flux, jax, jobset, mpi, plainml, torch, volcano, xgboost)

_GROUP = "trainer.kubeflow.org"
_RUNTIME_KINDS = ("ClusterTrainingRuntime", "TrainingRuntime")

_ENFORCE_ML_POLICY = tuple(p.enforce_ml_policy for p in PLUGINS if hasattr(p, "enforce_ml_policy"))
_ENFORCE_POD_GROUP_POLICY = tuple(p.enforce_pod_group_policy for p in PLUGINS if hasattr(p, "enforce_pod_group_policy"))
_BUILD = tuple(p.build for p in PLUGINS if hasattr(p, "build"))


class Expansion(NamedTuple):
    """What the controller creates for a TrainJob, sorted by kind, apiVersion, namespace and name."""

    objects: list[Made]
    diagnostics: list[Diagnostic]


def expand(trainjob: Tree, runtime: Tree | None, *, uid: str = PLACEHOLDER_UID) -> Expansion:
    """Everything that the controller creates, or why it creates nothing.

    Both trees may be as written or as the API server stores them; `runtime` is None where there is
    none of that name.
    """
    try:
        job = Job(trainjob, uid)
        stop = _not_ours(job) or _no_runtime(job, runtime)
        if stop is not None:
            return Expansion([], [stop])
        assert runtime is not None, "a missing runtime stops above"
        info = new_info(job, runtimes.read(runtime))
        objects = _run(info, job)
    except DecodeError as error:
        return Expansion([], [_refusal(trainjob, "TJ800", "undecodable-trainjob", error.text)])
    except RefusedError as error:
        return Expansion([], [_refusal(trainjob, "TJ804", "expansion-refused", str(error))])
    return Expansion(objects, [])


def _run(info: Info, job: Job) -> list[Made]:
    for enforce in _ENFORCE_ML_POLICY:
        enforce(info, job)
    for enforce in _ENFORCE_POD_GROUP_POLICY:
        enforce(info, job)
    objects = [snapshot(job)]
    for build in _BUILD:
        objects.extend(build(info, job))
    return sorted(objects, key=_order)


def _order(made: Made) -> str:
    tree = made.tree
    return f"{tree['kind']}|{tree['apiVersion']}|{tree['metadata']['namespace']}|{tree['metadata']['name']}"


def _not_ours(job: Job) -> Diagnostic | None:
    manager = job.spec.get("managedBy", CONTROLLER)
    if manager == CONTROLLER:
        return None
    return Diagnostic("TJ803", INFO, f"managed by {manager}", path=("spec", "managedBy"), name="managed-elsewhere")


def _no_runtime(job: Job, runtime: Tree | None) -> Diagnostic | None:
    reference = job.spec["runtimeRef"]
    kind, group, name = reference.get("kind", ""), reference.get("apiGroup", ""), reference.get("name", "")
    if group != _GROUP or kind not in _RUNTIME_KINDS:
        return _refusal(job.tree, "TJ802", "unsupported-runtime", f"unsupported runtime: {kind}{group and '.'}{group}")
    if runtime is not None:
        return None
    if kind == "TrainingRuntime":
        text = f'TrainingRuntime specified in TrainJob is not found: trainingruntimes.{_GROUP} "{name}" not found'
    else:
        text = f'not found ClusterTrainingRuntime specified in TrainJob: clustertrainingruntimes.{_GROUP} "{name}" not found'
    return _refusal(job.tree, "TJ801", "runtime-not-found", text)


def _refusal(trainjob: Tree, code: str, name: str, text: str) -> Diagnostic:
    metadata = get(trainjob, ("metadata",), {})
    subject = ObjectRef(
        str(trainjob.get("apiVersion", "")),
        str(trainjob.get("kind", "")),
        str(get(metadata, ("namespace",), "")),
        str(get(metadata, ("name",), "")),
    )
    return Diagnostic(code, ERROR, text, subject, name=name)
