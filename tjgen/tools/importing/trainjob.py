"""A TrainJob -> an equivalent experiment in the fields of the language, as far as it has fields for it.

What has none (see residue.py) becomes a patch, so nothing here needs to be complete: a field is taken only where the
experiment produces exactly this value. The TrainJob is one that an API server accepts, without nulls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.cluster.synctools.table import TRACKING_ANNOTATIONS, TRACKING_LABELS
from tjgen.language.platform.computing import is_device
from tjgen.language.runs.lock import SUSPENDED
from tjgen.trees.fields.path import Tree, get

KIND = "TrainJob"

OURS = ("app.kubernetes.io/managed-by", "tjgen.dev/experiment")
"""Labels that a build puts on every object."""
NOT_THEIRS = (*TRACKING_ANNOTATIONS, *TRACKING_LABELS)
"""Annotations and labels that other programs set."""
_QUANTITIES = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "ephemeralStorage"}
_SHARED = ("image", "env", "cpu", "memory", "ephemeralStorage", "gpu", "resources")
_COUNTED = re.compile(r"[1-9][0-9]{0,5}")
_REFERENCES = {"secretKeyRef": "secret", "configMapKeyRef": "configMap"}


def author_labels(tree: Tree) -> dict[str, Tree]:
    """The labels of an object that a build does not put on it."""
    labels = get(tree, ("metadata", "labels"), None) or {}
    return {key: value for key, value in labels.items() if key not in OURS}


def experiment(tree: Tree) -> Tree:
    """The experiment, with the name of the TrainJob as that of its run."""
    return {**bare(tree), "spec": {**_head(tree), **dict(_fields(tree)), "naming": "fixed"}}


def careful(tree: Tree) -> Tree:
    """Return the experiment without settings that the language applies to all training jobs, and a TrainJob to one."""
    whole = experiment(tree)
    return {**whole, "spec": {key: value for key, value in whole["spec"].items() if key not in _SHARED}}


def bare(tree: Tree) -> Tree:
    """Return an experiment that sets only the runtime: everything else is left to a patch."""
    metadata = {"name": get(tree, ("metadata", "name"))}
    namespace = get(tree, ("metadata", "namespace"), None)
    if namespace:
        metadata["namespace"] = namespace
    for key in ("labels", "annotations"):
        values = get(tree, ("metadata", key), None)
        kept = (
            {name: value for name, value in values.items() if name not in (*NOT_THEIRS, *OURS)}
            if values.__class__ is dict
            else None
        )
        if kept:
            metadata[key] = kept
    return {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Experiment",
        "metadata": metadata,
        "spec": {**_head(tree), "naming": "fixed"},
    }


def _head(tree: Tree) -> dict[str, Tree]:
    reference = get(tree, ("spec", "runtimeRef"), None) or {}
    if reference.get("kind") == "TrainingRuntime":
        return {"runtime": {"name": reference.get("name"), "kind": "TrainingRuntime"}}
    return {"runtime": reference.get("name")}


def _fields(tree: Tree) -> Iterator[tuple[str, Tree]]:
    spec = tree["spec"]
    trainer = spec.get("trainer")
    trainer = trainer if trainer.__class__ is dict else {}
    for key in ("image", "command", "args"):
        if trainer.get(key):
            yield key, trainer[key]
    env = variables(trainer.get("env"))
    if env:
        yield "env", env
    for key, field in (("numNodes", "nodes"), ("numProcPerNode", "procsPerNode")):
        if trainer.get(key).__class__ is int:
            yield field, trainer[key]
    yield from resources(trainer.get("resourcesPerNode"))
    initializer = dict(_initializers(spec.get("initializer")))
    if initializer:
        yield "initializer", initializer
    if spec.get("activeDeadlineSeconds").__class__ is int:
        yield "deadline", spec["activeDeadlineSeconds"]
    if spec.get("suspend") is True:
        yield "state", SUSPENDED


def variables(items: Tree) -> dict[str, Tree] | None:
    """Return the `env` of a container as variables by name; None if one of them has no such form."""
    if items.__class__ is not list:
        return None
    values_by_name: dict[str, Tree] = {}
    for item in items:
        name = get(item, ("name",), None)
        value = _variable(item)
        if name.__class__ is not str or name in values_by_name or value is None:
            return None
        values_by_name[name] = value
    return values_by_name


def _variable(item: Tree) -> Tree:
    source = item.get("valueFrom")
    if source is None:
        value = item.get("value", "")
        return value if value.__class__ is str else None
    if source.__class__ is not dict or len(source) != 1 or "value" in item:
        return None
    ((kind, reference),) = source.items()
    if reference.__class__ is not dict:
        return None
    if kind in _REFERENCES and {"name", "key"} <= reference.keys() <= {"name", "key", "optional"}:
        optional = {"optional": reference["optional"]} if "optional" in reference else {}
        return {_REFERENCES[kind]: reference["name"], "key": reference["key"], **optional}
    if kind == "fieldRef" and reference.keys() == {"fieldPath"}:
        return {"field": reference["fieldPath"]}
    if kind == "resourceFieldRef" and {"resource"} <= reference.keys() <= {"resource", "containerName", "divisor"}:
        more = {"container": reference.get("containerName"), "divisor": reference.get("divisor")}
        return {"resource": reference["resource"], **{key: value for key, value in more.items() if value is not None}}
    return None


def resources(tree: Tree, *, devices: bool = True) -> Iterator[tuple[str, Tree]]:
    """Return the resources of a container as fields: an amount if the request equals the limit, else both or one of them.

    With `devices`, those of one kind are `gpu`, which names their resource: a class would add labels of nodes and tolerations.
    """
    requests, limits = (get(tree, (bound,), None) or {} for bound in ("requests", "limits"))
    if requests.__class__ is not dict or limits.__class__ is not dict:
        return
    others = {}
    for name in [*limits, *(name for name in requests if name not in limits)]:
        given = {"request": requests.get(name), "limit": limits.get(name)}
        amount = {bound: one for bound, one in given.items() if one is not None}
        field = amount["limit"] if len(amount) > 1 and amount["request"] == amount["limit"] else amount
        if name in _QUANTITIES:
            yield _QUANTITIES[name], field
        else:
            others[name] = field
    counted = [name for name in others if devices and is_device(name)]
    gpu = _gpu(counted[0], requests, limits) if len(counted) == 1 else None
    if gpu is not None:
        yield "gpu", gpu
        del others[counted[0]]
    if others:
        yield "resources", others


def _gpu(name: str, requests: Tree, limits: Tree) -> Tree:
    """The devices of a resource; None if their request and their limit differ."""
    count = str(limits.get(name))
    if not _COUNTED.fullmatch(count) or str(requests.get(name, count)) != count:
        return None
    return {"class": name, "count": int(count), "requests": True} if name in requests else f"{name}:{count}"


def _initializers(tree: Tree) -> Iterator[tuple[str, Tree]]:
    for part in ("dataset", "model"):
        section = get(tree, (part,), None)
        if section.__class__ is not dict:
            continue
        fetch = {"storageUri": section["storageUri"]} if section.get("storageUri") else {}
        env = variables(section.get("env"))
        if env:
            fetch["env"] = env
        secret = get(section, ("secretRef", "name"), None)
        if secret:
            fetch["secretRef"] = secret
        yield part, fetch
