"""A manifest of a built-in kind and the manifest that created the object -> the verdict of an API server on applying it.

Mirrors the registry of kubernetes 1.36: what a kind's strategy prepares (`PrepareForCreate`, `PrepareForUpdate`), and its
`ValidateUpdate`, which runs most checks of a new object, and checks immutable fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from tjgen.cluster.schema import store, walk
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate import decode, serverside
from tjgen.cluster.validate import metadata as new_metadata
from tjgen.cluster.validate.builtin import kinds
from tjgen.cluster.validate.builtin.claims import claim_spec
from tjgen.cluster.validate.builtin.jobs import stored_faults
from tjgen.cluster.validate.creation import created, decoded
from tjgen.cluster.validate.fault import BAD_REQUEST, Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.stages import verdict
from tjgen.cluster.validate.update import fieldmerge, metadata, prepared, stored_object
from tjgen.cluster.validate.update.defaults import with_defaults
from tjgen.cluster.validate.update.gotypes import TYPES
from tjgen.cluster.validate.update.refusals import conflict, unreadable_old
from tjgen.cluster.validate.update.rules import fixed
from tjgen.cluster.validate.update.shape import printed
from tjgen.cluster.validate.update.strategic import PatchError, applied
from tjgen.cluster.validate.update.tolerated import tolerated
from tjgen.cluster.validate.verdict import PATCH, Stage, Verdict
from tjgen.trees.fields.path import Tree

_RULES = {
    "ClusterRoleBinding": "access:binding",
    "ConfigMap": "contents:config_map",
    "DaemonSet": "workloads:selected",
    "Deployment": "workloads:selected",
    "Job": "jobs:job",
    "PersistentVolume": "storage:volume",
    "PersistentVolumeClaim": "storage:claim",
    "Pod": "pods:pod",
    "PriorityClass": "storage:priority_class",
    "ReplicaSet": "workloads:selected",
    "ResourceClaim": "storage:resource_claim",
    "ResourceClaimTemplate": "storage:resource_claim",
    "ResourceQuota": "contents:quota",
    "RoleBinding": "access:binding",
    "Secret": "contents:secret",
    "Service": "services:service",
    "StatefulSet": "workloads:stateful_set",
    "StorageClass": "storage:storage_class",
}
"""Kind -> module and function that check immutable fields; other kinds have none."""


def _claim_faults(claim: dict[str, Tree]) -> Iterator[Fault]:
    spec: Tree = claim.get("spec", {})
    yield from claim_spec(spec, Place("spec", ("spec",)))


_CHECKS = {
    "Job": stored_faults,
    "PersistentVolumeClaim": _claim_faults,
}
"""Kinds that are prepared differently when they are new."""
_NAME_IS_KNOWN = (
    "CronJob",
    "DaemonSet",
    "Deployment",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "PodTemplate",
    "PriorityClass",
    "ReplicaSet",
    "ResourceQuota",
    "Service",
    "StatefulSet",
)
"""The kinds whose names are looked at only when they are new."""
_SPEC_IS_KNOWN = ("PriorityClass", "ResourceClaim")
"""The kinds whose update validation checks only whether anything changed."""


def judge(
    tree: dict[str, Tree], old: dict[str, Tree], schema: Schema, *, server_side: bool = False, bound: bool = False
) -> Verdict:
    """Return the verdict on applying `tree` over the object created from `old`."""
    kind = str(tree["kind"])
    if kind not in TYPES:
        # The Go types of such kinds are not known, so there is no merge: what an apply leaves out counts as removed.
        result = created(tree, schema, built_in=True)
        return result if result.stages else verdict([], [*fixed.faults(tree, old, kind)], [])
    if any(finding.type == walk.TYPE for finding in decode.mismatches({**old, "metadata": None}, schema)):
        return unreadable_old()
    before = stored_of(old, schema, kind)
    try:
        after = _applied(old, tree, before, kind) if not server_side else _server_side_applied(old, tree, before, schema)
    except PatchError as error:
        fault = Fault(BAD_REQUEST, "", str(error), (), summary=f"kubectl cannot apply this: {error}")
        return Verdict((Stage(PATCH, (fault,), (fault,)),))
    read = [*decode.mismatches(after.get("metadata"), store.object_meta(), ("metadata",))]
    read += decode.mismatches({**after, "metadata": None}, schema)
    if read:
        return verdict(read, [], [])
    if metadata.is_conflict(after.get("metadata") or {}):
        return conflict()
    new = prepared.for_update(with_defaults(decoded(after, schema), kind), before, kind)
    given = {key: value for key, value in new["metadata"].items() if stored_object.is_printed(value)}
    new = {**new, "metadata": metadata.settled(given, before["metadata"])}
    return verdict([], [*_faults(new, before, schema, kind, bound=bound)], [])


def _applied(old: dict[str, Tree], tree: dict[str, Tree], before: dict[str, Tree], kind: str) -> dict[str, Tree]:
    """What `kubectl apply` sends. The merge leaves the status out: it is read, and then that of the stored object counts."""
    merged = applied(_without_status(old), _without_status(tree), before, kind)
    return {**merged, "status": tree["status"]} if "status" in tree else merged


def _without_status(tree: dict[str, Tree]) -> dict[str, Tree]:
    return {key: value for key, value in tree.items() if key != "status"}


def _server_side_applied(old: dict[str, Tree], tree: dict[str, Tree], before: dict[str, Tree], schema: Schema) -> dict[str, Tree]:
    """Return the result of server-side apply for the three."""
    whole = serverside.whole(schema)
    merged: dict[str, Tree] = fieldmerge.applied(serverside.cut(old, whole), serverside.cut(tree, whole), before, whole)
    return merged


def stored_of(old: dict[str, Tree], schema: Schema, kind: str) -> dict[str, Tree]:
    """The object as it is stored, and as clients read it."""
    filled = with_defaults(decoded(old, schema), kind)
    group = str(old.get("apiVersion", "")).rpartition("/")[0]
    system = stored_object.stored_metadata(filled, schema, generation=1 if (group, kind) in new_metadata.COUNTED else None)
    stored = prepared.for_create({**filled, "metadata": system}, kind)
    shown = {key: value for key, value in stored.items() if key != "metadata"}
    return {**printed(shown, kind), "metadata": stored["metadata"]}


def _faults(new: dict[str, Tree], before: dict[str, Tree], schema: Schema, kind: str, *, bound: bool) -> Iterator[Fault]:
    api_version = str(new["apiVersion"])
    namespaced = schema["x-tjgen-resource"]["scope"] == "Namespaced"
    group = api_version.rpartition("/")[0]
    yield from new_metadata.common(new["metadata"], namespaced=namespaced, has_standard=(group, kind) not in new_metadata.LATE)
    yield from metadata.faults(new["metadata"], before["metadata"])
    if kind not in _NAME_IS_KNOWN:
        yield from new_metadata.faults(new["metadata"], group=group, kind=kind, namespaced=namespaced, built_in=True)
    if kind not in _SPEC_IS_KNOWN:
        stored = decoded(new, schema)
        checks = check(stored) if (check := _CHECKS.get(kind)) is not None else kinds.faults(api_version, kind, stored)
        for fault in checks:
            is_name = fault.path == ("metadata", "name") and kind in _NAME_IS_KNOWN
            if not is_name and not tolerated(fault, kind, new, before):
                yield fault
    rule = "storage:bound_claim" if bound and kind == "PersistentVolumeClaim" else _RULES.get(kind)
    if rule is not None:
        module, _, function = rule.partition(":")
        yield from getattr(import_module(f"tjgen.cluster.validate.update.rules.{module}"), function)(new, before)
