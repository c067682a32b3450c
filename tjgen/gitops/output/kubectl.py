"""The output of `kubectl get -o json` -> its objects, with each field that tjgen reads of the type that the API gives it.

A saved file may be of anything, so the types are checked once, here. A field of an object is then absent, null, or of its type.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tjgen.cluster.kinds.table import kinds
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, render
from tjgen.trees.typing import Any

LISTING = "kubectl get trainjobs,jobsets,pods -A -o json"
"""Prints what `objects_of` reads."""

_ANY = "*"
"""The key of a shape for all keys of a map."""
_NAMES = {str: "a string", int: "an integer", bool: "a Boolean", dict: "a mapping", list: "a list"}
_CONDITIONS = [{"type": str, "status": str, "reason": str, "message": str, "lastTransitionTime": str}]
_STATE = {
    "waiting": {"reason": str, "message": str},
    "running": {},
    "terminated": {"exitCode": int, "reason": str, "finishedAt": str},
}
_CONTAINERS = [{"name": str, "restartCount": int, "state": _STATE, "lastState": _STATE}]
_METADATA = {
    "name": str,
    "namespace": str,
    "creationTimestamp": str,
    "deletionTimestamp": str,
    "labels": {_ANY: str},
    "ownerReferences": [{"kind": str, "name": str}],
}
_SHAPE: Any = {"apiVersion": str, "kind": str, "metadata": _METADATA}
"""What any object has. A mapping is a shape for each key, a list of one shape is a list of such items."""
_JOBS = [{"name": str, "active": int, "ready": int}]
_REPLICAS = {_ANY: {"active": int, "succeeded": int}}
_STATUS: Any = {
    "spec": {
        "suspend": bool,
        "runPolicy": {"suspend": bool},
        **{kind.run.replicas: {_ANY: {"replicas": int}} for kind in kinds() if kind.run is not None and kind.run.replicas},
    },
    "status": {"conditions": _CONDITIONS, "jobsStatus": _JOBS, "replicatedJobsStatus": _JOBS, "replicaStatuses": _REPLICAS},
}
"""What objects have in addition, except those of _OTHERS: `data_sets.py` reads a status of any type."""
_OTHERS = ("Dataset",)
_SHAPES: dict[str, Any] = {
    "Pod": {
        "status": {
            "phase": str,
            "reason": str,
            "message": str,
            "startTime": str,
            "containerStatuses": _CONTAINERS,
            "initContainerStatuses": _CONTAINERS,
        }
    },
    "JobSet": {"status": {"restarts": int}},
    "Job": {
        "spec": {"parallelism": int},
        "status": {
            "failed": int,
            "succeeded": int,
            "retryCount": int,
            "state": {"phase": str, "lastTransitionTime": str},
        },
    },
    "RayJob": {"status": {"jobDeploymentStatus": str, "rayClusterName": str}},
    "Workload": {"spec": {"queueName": str}},
    "Event": {
        "reason": str,
        "message": str,
        "eventTime": str,
        "firstTimestamp": str,
        "lastTimestamp": str,
        "series": {"lastObservedTime": str},
        "involvedObject": {"kind": str, "name": str},
    },
}
"""Kind -> what its objects have in addition. Kinds of the same name in other API groups have no other type for these fields."""


def objects_of(text: str, source: str) -> list[Tree]:
    """The objects of a list, or the one object, that kubectl printed as JSON.

    Raises CompileError (TJ041) if the text is something else, or if a field that tjgen reads has another type than in the API.
    """
    try:
        tree: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CompileError([not_kubectl(source, f"it is not valid JSON ({error})")]) from None
    is_list = tree.__class__ is dict and "items" in tree
    items: Any = tree["items"] if is_list else [tree]
    if items.__class__ is not list or not all(one.__class__ is dict and one.get("kind") for one in items):
        raise CompileError([not_kubectl(source, "it contains no list of objects")])
    for number, one in enumerate(items):
        check_object(one, source, ("items", number) if is_list else ())
    return list(items)


def check_object(tree: Any, source: str, path: FieldPath = ()) -> Tree:
    """The object, if each field that tjgen reads has its type. Raises CompileError (TJ041)."""
    kind = tree.get("kind") if tree.__class__ is dict else None
    shapes = (_SHAPE, {} if kind in _OTHERS else _STATUS, _SHAPES.get(str(kind), {}))
    for shape in shapes:
        for at, expected in _wrong(tree, shape, path):
            raise CompileError([not_kubectl(source, f"{render(at) or 'the object'} is not {_NAMES[expected]}")])
    return tree


def not_kubectl(source: str, problem: str) -> Diagnostic:
    """The error for a text that kubectl did not print."""
    name = "standard input" if source == "-" else source
    message = f"{name} is not the output of kubectl get -o json: {problem}"
    return Diagnostic("TJ041", message, hint=f"use {LISTING}")


def _wrong(value: Any, shape: Any, path: FieldPath) -> Iterator[tuple[FieldPath, type]]:
    """Path and expected type of each value that does not have the shape."""
    expected: type[Any] = shape if isinstance(shape, type) else shape.__class__
    if value is None and path and path[-1].__class__ is str:  # null is an absent field, and no item of a list
        return
    if value.__class__ is not expected:
        yield path, expected
    elif expected is dict:
        for key in value if _ANY in shape else shape:
            if key in value:
                yield from _wrong(value[key], shape.get(key, shape.get(_ANY)), (*path, key))
    elif expected is list:
        for number, one in enumerate(value):
            yield from _wrong(one, shape[0], (*path, number))
