"""Expansions and other objects -> names that the controllers need and that already exist.

Controllers adopt no objects and overwrite few: the existing object stays, and the run fails without a message in
its status. Upstream: `createRuntimeSnapshot` and `reconcileObjects` of Trainer v2.3.0; `createHeadlessSvcIfNecessary`,
`createPVCsIfNecessary` and the child Jobs of JobSet v0.12.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.trainer.objects import SNAPSHOT_SUFFIX
from tjgen.cluster.trainer.warnings.subject import reference
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.names import job_name
from tjgen.trees.typing import Any, NamedTuple

_NAME: FieldPath = ("metadata", "name")
_OUTCOMES = {
    (
        "jobset.x-k8s.io",
        "JobSet",
    ): "the controller treats it as the run's own: the run never trains, and is complete when that JobSet ends",
    ("", "Service"): "it stays as it is, and the pods have no host names",
    ("scheduling.volcano.sh", "PodGroup"): "it stays as it is, with its own minMember",
    ("scheduling.x-k8s.io", "PodGroup"): "it stays as it is, with its own minMember",
    ("", "Secret"): "it is used as it is, with its own keys",
    ("", "PersistentVolumeClaim"): "it is used as it is",
    ("batch", "Job"): "it stays unchanged, and the pods of that job are never created",
    ("", "ConfigMap"): "the controller writes over it",
}
"""The effect on an existing object, by group and kind."""


class Key(NamedTuple):
    """What an object is called."""

    group: str
    kind: str
    namespace: str
    name: str


class ClashingRun(NamedTuple):
    """A TrainJob and the objects that the controllers create from it."""

    trainjob: Tree
    created: Sequence[Tree]
    names: Sequence[Key] | None = None
    """The names of these objects and of theirs, if they are known without the objects."""


def clashes(runs: Sequence[ClashingRun], objects: Sequence[Tree]) -> Iterator[tuple[Tree, Diagnostic]]:
    """Yield each object that conflicts with a run, and each run that conflicts with another, with the text to report."""
    yield from between_runs(runs)
    makers = makers_of(runs)
    for tree in objects if makers else ():
        # Objects without a kind or a name are reported by the check.
        object_key = key_of(tree)
        clash = with_taken_name(tree, object_key, makers[object_key]) if object_key in makers and object_key is not None else None
        if clash is not None:
            yield tree, clash


def makers_of(runs: Sequence[ClashingRun]) -> dict[Key, Tree]:
    """Each name that runs need, with the TrainJob that needs it first."""
    makers: dict[Key, Tree] = {}
    for run in runs:
        for key in names_of_objects(run):
            makers.setdefault(key, run.trainjob)
    return makers


def between_runs(runs: Sequence[ClashingRun]) -> Iterator[tuple[Tree, Diagnostic]]:
    """Yield each run that conflicts with one before it."""
    makers: dict[Key, Tree] = {}
    for run in runs:
        for key in dict.fromkeys(names_of_objects(run)):
            first = makers.setdefault(key, run.trainjob)
            if first is not run.trainjob and key_of(first) != key_of(run.trainjob):
                yield run.trainjob, shared(key, reference(first), reference(run.trainjob))


def with_taken_name(tree: Tree, key: Key, trainjob: Tree) -> Diagnostic | None:
    """The clash of an object with the name of one that is created for a TrainJob; None if it is that object."""
    return None if _is_created_by(tree, trainjob) else taken(key, reference(tree), reference(trainjob))


def _is_created_by(tree: Tree, trainjob: Tree) -> bool:
    """Return whether the object names the TrainJob as its owner, as previews and exports of a cluster do."""
    owners = get(tree, ("metadata", "ownerReferences"), None)
    name = get(trainjob, _NAME, None)
    return any(
        get(owner, ("kind",), None) in ("TrainJob", "JobSet") and get(owner, ("name",), None) == name
        for owner in (owners if isinstance(owners, list) else ())
    )


def names_of_objects(run: ClashingRun) -> Iterator[Key]:
    """The names of the objects that controllers create for a run. A name can repeat."""
    if run.names is not None:
        yield from run.names
        return
    for tree in run.created:
        key = key_of(tree)
        if key is None:
            continue
        yield key
        if key.kind == "JobSet":
            yield from _children(key, tree)


def _children(jobset: Key, tree: Tree) -> Iterator[Key]:
    spec: Any = get(tree, ("spec",), {})
    network = spec.get("network") or {}
    if network.get("enableDNSHostnames") is not False:
        yield Key("", "Service", jobset.namespace, network.get("subdomain") or jobset.name)
    for policy in spec.get("volumeClaimPolicies") or ():
        for template in policy.get("templates") or ():
            name = f"{get(template, _NAME, '')}-{jobset.name}"
            yield Key("", "PersistentVolumeClaim", jobset.namespace, name)
    for job in spec.get("replicatedJobs") or ():
        yield Key("batch", "Job", jobset.namespace, job_name(jobset.name, job["name"], 0))


def key_of(tree: Tree) -> Key | None:
    """What an object is called; None for an object without a kind or a name."""
    kind, name = get(tree, ("kind",), None), get(tree, _NAME, None)
    if not isinstance(kind, str) or not isinstance(name, str):
        return None
    group, slash, _ = str(get(tree, ("apiVersion",), "")).partition("/")
    return Key(group if slash else "", kind, str(get(tree, ("metadata", "namespace"), None) or "default"), name)


def taken(key: Key, subject: ObjectRef, trainjob: ObjectRef) -> Diagnostic:
    """TJ865 for an object that has the name of one that a controller creates for the TrainJob."""
    is_snapshot = key.name.endswith(SNAPSHOT_SUFFIX)
    outcome = "it is not a snapshot, so the run never starts" if is_snapshot else _OUTCOMES[key.group, key.kind]
    message = f"{key.kind} {key.name} has the name of one that the controller creates for TrainJob {trainjob.name}: {outcome}"
    return _diagnostic("TJ865", message, subject)


def shared(key: Key, first: ObjectRef, second: ObjectRef) -> Diagnostic:
    """TJ866 for two TrainJobs that need an object of one name."""
    names = f"TrainJob {first.name} and {second.name}"
    message = f"{names} both need {key.kind} {key.name}, which is created for the first one"
    return _diagnostic("TJ866", message, second)


def _diagnostic(code: str, message: str, subject: ObjectRef) -> Diagnostic:
    hint = "remove network.subdomain" if code == "TJ866" and "Service" in message else "use another name"
    return Diagnostic(code, message, subject, _NAME, hint=hint)
