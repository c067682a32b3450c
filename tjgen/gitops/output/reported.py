"""The output of `kubectl get -o json`, and the runs of a tree -> the state of each run in the cluster.

The rules are those of the health checks: a TrainJob or JobSet has ended when it has one of its two final conditions, a Volcano
Job when it has a final phase. An object without a status has not been seen by its controller.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.kinds.protocol import Conditions, Phases
from tjgen.cluster.kinds.table import kind_of
from tjgen.gitops.output.inventory import Entry, own_files
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import Any, NamedTuple

SUCCEEDED = "succeeded"
FAILED = "failed"
RUNNING = "running"
SUSPENDED = "suspended"
PENDING = "pending"
MISSING = "missing"
ENDED = (SUCCEEDED, FAILED)
_KUBECTL = "kubectl get trainjobs,jobsets,jobs.batch.volcano.sh -A -o json"

Key = tuple[str, str, str, str]
"""API group, kind, namespace and name of an object."""


class Reported(NamedTuple):
    """The state of a run in the cluster."""

    state: str
    since: str = ""
    """Time of the last transition, as the cluster writes it."""
    reason: str = ""


def objects(text: str, source: str) -> dict[Key, Tree]:
    """The objects of a list that kubectl printed as JSON. Raises CompileError (TJ041) if the text is something else."""
    try:
        tree: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CompileError([_not_kubectl(source, f"it is not valid JSON ({error})")]) from None
    items = tree.get("items", [tree]) if tree.__class__ is dict else None
    if items.__class__ is not list or any(one.__class__ is not dict or not one.get("kind") for one in items):
        raise CompileError([_not_kubectl(source, "it holds no list of objects")])
    return {_key(one): one for one in items}


def reported(entry: Entry, directory: str, known: Mapping[Key, Tree]) -> Reported:
    """The state of a run; MISSING if the cluster has none of its objects. Raises CompileError if its files cannot be read."""
    states = list(_states(entry, directory, known))
    if not states:
        return Reported(MISSING)
    # A run of several objects has ended when all of them have.
    order = (MISSING, PENDING, SUSPENDED, RUNNING, FAILED, SUCCEEDED)
    return min(states, key=lambda one: order.index(one.state))


def ended(entries: Sequence[Entry], directory: str, known: Mapping[Key, Tree]) -> list[Entry]:
    """The runs that have ended, with success or not."""
    return [entry for entry in entries if reported(entry, directory, known).state in ENDED]


def _states(entry: Entry, directory: str, known: Mapping[Key, Tree]) -> Iterator[Reported]:
    for file in own_files(directory, entry):
        tree = read(file.body, file.path, KUBERNETES)[0][0].value
        kind = kind_of(tree)
        if kind is not None and kind.run is not None:
            found = known.get(_key(tree))
            yield _state(found, kind.status) if found is not None else Reported(MISSING)


def _state(tree: Tree, status: Conditions | Phases | None) -> Reported:
    if isinstance(status, Phases):
        place = ("status", status.parent) if status.parent else ("status",)
        found = get(tree, place, None) or {}
        phase = found.get("phase", "")
        state = SUCCEEDED if phase == status.done else FAILED if phase in status.failed else RUNNING if phase else PENDING
        return Reported(state, found.get("lastTransitionTime", ""), found.get("reason", ""))
    done = status.done if status is not None else "Complete"
    conditions = get(tree, ("status", "conditions"), None) or []
    true = {one.get("type"): one for one in conditions if one.get("status") == "True"}
    for kind, state in ((done, SUCCEEDED), ("Failed", FAILED), ("Suspended", SUSPENDED)):
        if kind in true:
            return Reported(state, true[kind].get("lastTransitionTime", ""), true[kind].get("reason", ""))
    return Reported(RUNNING if tree.get("status") else PENDING)


def _key(tree: Tree) -> Key:
    metadata = tree.get("metadata") or {}
    group = str(tree.get("apiVersion", "")).rpartition("/")[0]
    return group, str(tree.get("kind")), metadata.get("namespace") or "default", metadata.get("name") or ""


def _not_kubectl(source: str, problem: str) -> Diagnostic:
    message = f"{source} is not the output of kubectl get -o json: {problem}"
    return Diagnostic("TJ041", message, hint=f"use {_KUBECTL}")
