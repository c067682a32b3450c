"""A TrainJob and its runtime -> the objects that the Trainer controller creates, with their origins.

The phases have upstream's names and order. Upstream keeps its plugins in a Go map, so their order is
random there; here they are sorted by name, which matters only if two of them write the same list
(`env` with XGBoost).
"""

from __future__ import annotations

from tjgen.cluster.trainer import refusals, runtimes
from tjgen.cluster.trainer.decode import new_info
from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.info import Info, RefusedError
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.live import live
from tjgen.cluster.trainer.objects import CreatedObject, snapshot
from tjgen.cluster.trainer.plugins import coscheduling, flux, jax, jobset, mpi, plainml, torch, volcano, xgboost
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.trainer.warnings.subject import ExpandedTrainJob
from tjgen.cluster.trainer.warnings.table import find_warnings
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.placeholders import PLACEHOLDER_UID
from tjgen.trees.session import Session
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["PLACEHOLDER_UID", "PLUGINS", "CreatedObject", "Expansion", "expand", "live"]

PLUGINS: tuple[ModuleType, ...] = (coscheduling, flux, jax, jobset, mpi, plainml, torch, volcano, xgboost)

_ENFORCE_ML_POLICY = tuple(p.enforce_ml_policy for p in PLUGINS if hasattr(p, "enforce_ml_policy"))
_ENFORCE_POD_GROUP_POLICY = tuple(p.enforce_pod_group_policy for p in PLUGINS if hasattr(p, "enforce_pod_group_policy"))
_BUILD = tuple(p.build for p in PLUGINS if hasattr(p, "build"))


class Expansion(NamedTuple):
    """What the controller creates for a TrainJob, sorted by kind, apiVersion, namespace and name."""

    objects: list[CreatedObject]
    diagnostics: list[Diagnostic]


def expand(
    trainjob: Tree,
    runtime: Tree | None,
    *,
    uid: str = PLACEHOLDER_UID,
    release: Release = NEWEST,
    session: Session | None = None,
) -> Expansion:
    """Everything that the controller creates, or why it creates nothing.

    Both trees may be as written or as the API server stores them; `runtime` is None if there is none of that name.
    `session` keeps decoded objects for the webhooks, and for the next TrainJob of the runtime.
    """
    session = session or Session()
    try:
        job = DecodedTrainJob(trainjob, uid, release, session)
    except DecodeError as error:
        return Expansion([], [refusals.undecodable_trainjob(trainjob, error)])
    stop = refusals.managed_elsewhere(job) or refusals.unsupported_runtime(job)
    if stop is not None:
        return Expansion([], [stop])
    if runtime is None:
        return Expansion([], [refusals.missing_runtime(job)])
    try:
        template = runtimes.read(runtime, release, session)
    except DecodeError as error:
        return Expansion([], [refusals.missing_runtime(job), refusals.undecodable_runtime(runtime, error)])
    try:
        info = new_info(job, template)
        objects = _run(info, job)
    except RefusedError as error:
        return Expansion([], [refusals.refused(job, error)])
    return Expansion(objects, find_warnings(ExpandedTrainJob(info, job, template)))


def undecodable(tree: Tree, release: Release) -> Diagnostic | None:
    """TJ800 for a TrainJob, TJ806 for a runtime with a value of another type than the release has for the field; else None."""
    is_job = get(tree, ("kind",)) == "TrainJob"
    try:
        _ = DecodedTrainJob(tree, PLACEHOLDER_UID, release, Session()) if is_job else runtimes.read(tree, release, Session())
    except DecodeError as error:
        return (refusals.undecodable_trainjob if is_job else refusals.undecodable_runtime)(tree, error)
    return None


def _run(info: Info, job: DecodedTrainJob) -> list[CreatedObject]:
    for enforce in _ENFORCE_ML_POLICY:
        enforce(info, job)
    for enforce in _ENFORCE_POD_GROUP_POLICY:
        enforce(info, job)
    objects = [snapshot(job)] if job.release.keeps_snapshot else []
    for build in _BUILD:
        objects.extend(build(info, job))
    return sorted(objects, key=_order)


def _order(created: CreatedObject) -> str:
    tree = created.tree
    return f"{tree['kind']}|{tree['apiVersion']}|{tree['metadata']['namespace']}|{tree['metadata']['name']}"
