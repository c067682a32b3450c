"""What may not change of Deployments, DaemonSets, ReplicaSets and StatefulSets.

Mirrors kubernetes 1.36 `pkg/apis/apps/validation` (ValidateDeploymentUpdate, ValidateDaemonSetUpdate,
ValidateReplicaSetUpdate, ValidateStatefulSetUpdate).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place, at
from tjgen.cluster.validate.update.metadata import IMMUTABLE
from tjgen.cluster.validate.update.shape import same
from tjgen.trees.typing import Any

_MUTABLE = (
    "minReadySeconds",
    "ordinals",
    "persistentVolumeClaimRetentionPolicy",
    "replicas",
    "revisionHistoryLimit",
    "template",
    "updateStrategy",
)
_FORBIDDEN = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)


def selected(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """The selector."""
    selector, before = (tree.get("spec", {}).get("selector") for tree in (new, old))
    if not same(selector, before, "LabelSelector"):
        yield Place().child("spec", "selector").invalid(selector, IMMUTABLE)


def stateful_set(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """All but a few fields."""
    wanted = {key: value for key, value in new.get("spec", {}).items() if key not in _MUTABLE}
    fixed = {key: value for key, value in old.get("spec", {}).items() if key not in _MUTABLE}
    if not same(wanted, fixed, "StatefulSetSpec"):
        yield at(("spec",)).forbidden(_FORBIDDEN)
