"""Nodes with a taint that the pod does not tolerate (`tainttoleration/taint_toleration.go:Filter`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection
from tjgen.trees.fields.path import Tree

NAME = "TaintToleration"
_REJECTION = Rejection(("node(s) had untolerated taint(s)",), is_resolvable=False)


def check(pod: SchedulingPod, node: Node) -> Rejection | None:
    """The rejection of a node with a taint that keeps new pods away."""
    return _REJECTION if untolerated_taint(node.taints, pod.spec.get("tolerations") or ()) is not None else None


def untolerated_taint(taints: Iterable[Tree], tolerations: Sequence[Tree]) -> Tree | None:
    """The first taint that keeps new pods with these tolerations away; None if there is none."""
    hard = (taint for taint in taints if taint.get("effect") in ("NoSchedule", "NoExecute"))
    return next((taint for taint in hard if not is_tolerated(taint, tolerations)), None)


def is_tolerated(taint: Mapping[str, str], tolerations: Sequence[Tree]) -> bool:
    """Whether one of the tolerations matches the taint (k8s.io/api/core/v1 `ToleratesTaint`)."""
    return any(_tolerates(one, taint) for one in tolerations)


def _tolerates(toleration: Tree, taint: Mapping[str, str]) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Exists":
        return True
    # The comparison operators Lt and Gt are off by default in 1.36 (TaintTolerationComparisonOperators).
    return bool(operator == "Equal" and (toleration.get("value") or "") == (taint.get("value") or ""))
