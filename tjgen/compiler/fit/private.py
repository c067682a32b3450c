"""Nodes of a cluster -> the same without private data, for a repository."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tjgen.cluster.scheduling.node import HOSTNAME
from tjgen.trees.fields.path import Tree, get

_LABELS = ("kubernetes.io/arch", "kubernetes.io/os", "node.kubernetes.io/instance-type")
_PREFIXES = (
    "topology.kubernetes.io/",
    "node-role.kubernetes.io/",
    "nvidia.com/",
    "amd.com/",
    "habana.ai/",
    "aws.amazon.com/neuron",
    "cloud.google.com/gke-accelerator",
    "cloud.google.com/gke-tpu-",
    "cloud.google.com/gce-topology-",
    "cloud.provider.com/topology-",
    "topology.k8s.aws/",
)
_OF_THE_MOMENT = "node.kubernetes.io/"
"""Taints that the cluster sets and removes by itself, such as not-ready."""


def public_nodes(nodes: Iterable[Tree], labels: Collection[str]) -> list[Tree]:
    """The nodes with aliases for their names, in the order of their names, so that the same cluster gives the same file.

    Allocatable resources, taints, and labels of an allowlist and of `labels` remain.
    """
    ordered = sorted(nodes, key=lambda node: str(get(node, ("metadata", "name"), "")))
    return [_public(node, f"node-{number}", labels) for number, node in enumerate(ordered)]


def _public(node: Tree, alias: str, labels: Collection[str]) -> Tree:
    given = get(node, ("metadata", "labels"), None) or {}
    kept = {key: given[key] for key in sorted(given) if key in _LABELS or key in labels or key.startswith(_PREFIXES)}
    taints = [
        {key: taint[key] for key in ("key", "value", "effect") if taint.get(key)}
        for taint in get(node, ("spec", "taints"), None) or ()
        if not taint["key"].startswith(_OF_THE_MOMENT)
    ]
    spec = {
        **({"taints": taints} if taints else {}),
        **({"unschedulable": True} if get(node, ("spec", "unschedulable"), None) else {}),
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": alias, "labels": {HOSTNAME: alias, **kept}},
        **({"spec": spec} if spec else {}),
        "status": {"allocatable": get(node, ("status", "allocatable"), {})},
    }
