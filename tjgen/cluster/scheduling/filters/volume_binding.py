"""Nodes in which a volume of the pod cannot be created (`volumebinding/binder.go:checkVolumeProvisions`).

Only claims that are bound when their first pod is placed, of a class with `allowedTopologies`. Only the cluster has the places of
existing volumes, and the space that is left for new ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection
from tjgen.trees.fields.path import Tree, get

NAME = "VolumeBinding"
_REJECTION = Rejection(("node(s) didn't find available persistent volumes to bind",), is_resolvable=False)

Topologies = Mapping[str, Sequence[Tree]]
"""Claim (`NAMESPACE/NAME`) or StorageClass -> `allowedTopologies` of volumes that are created for their first pod."""


def check(pod: SchedulingPod, node: Node, of_claims: Topologies, of_classes: Topologies) -> Rejection | None:
    """The rejection of a node outside the topologies of a volume."""
    for volume in pod.spec.get("volumes") or ():
        claim = get(volume, ("persistentVolumeClaim", "claimName"), None)
        own = get(volume, ("ephemeral", "volumeClaimTemplate", "spec", "storageClassName"), None)
        allowed = of_claims.get(f"{pod.namespace}/{claim}") if claim else of_classes.get(own or "")
        if allowed and not any(_matches(term, node) for term in allowed):
            return _REJECTION
    return None


def _matches(term: Tree, node: Node) -> bool:
    """`MatchTopologySelectorTerms`."""
    return all(node.labels.get(one["key"]) in one["values"] for one in term.get("matchLabelExpressions") or ())
