"""A manifest in the cluster and its replacement -> the errors of the API server and its webhooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.inputs import is_kind, runtime_of
from tjgen.cluster.validate import admission
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.verdict import WEBHOOK
from tjgen.cluster.validate.wording import field
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import NamedTuple

_CLASS: FieldPath = ("spec", "storageClassName")


class Refusal(NamedTuple):
    """One thing that is refused, in the server's words."""

    path: FieldPath
    words: str


def refusals(old: Tree, new: Tree, context: Sequence[Tree] = (), *, server_side: bool = False) -> list[Refusal]:
    """Return the errors when `new` is applied over `old`; `context` holds the other objects of the cluster.

    Claims are assumed to be bound: those of existing runs are in use.
    """
    try:
        verdict = judge(new, old=old, bound=True, server_side=server_side, webhooks=True, context=_cluster(new, context))
    except DecodeError as error:
        return [Refusal(error.path, error.text)]
    findings = verdict.stages[0].findings if verdict.stages else ()
    if verdict.stage != WEBHOOK:
        return [_worded(fault, fault.detail) for fault in findings]
    if ".volcano.sh/" in str(get(old, ("apiVersion",), "")) and not judge(old).allowed:
        return []  # no cluster has such an object, so its update has no verdict
    return [_worded(fault, fault.summary or fault.detail) for fault in findings]


def of_default_class(old: Tree, new: Tree) -> Iterator[Refusal]:
    """A class for a claim whose manifest had none: a cluster with a default class has set that, and refuses another."""
    if get(new, ("kind",), None) == "PersistentVolumeClaim" and get(old, _CLASS, None) is None and get(new, _CLASS, None):
        words = "Forbidden: the claim has the default class of the cluster, if there is one, and the field is immutable"
        yield Refusal(_CLASS, f"spec.storageClassName: {words}")


def is_taken_under_another_name(new: Tree, context: Sequence[Tree] = (), *, server_side: bool = False) -> bool:
    """Whether the server would take the object if it were new."""
    return judge(new, server_side=server_side, webhooks=True, context=_cluster(new, context)).allowed


def _cluster(new: Tree, context: Sequence[Tree]) -> Sequence[Tree]:
    """`context` with the PriorityClasses that the runtime of a TrainJob names, which no runtime creates."""
    runtime = runtime_of(new, context) if is_kind(new, "TrainJob") else None
    return [*context, *admission.assumed(runtime)] if runtime is not None else context


def _worded(fault: Fault, words: str) -> Refusal:
    name = fault.field if fault.field not in ("", "<nil>") else field(fault.path)
    return Refusal(fault.path, f"{name}: {words}" if name else words)
