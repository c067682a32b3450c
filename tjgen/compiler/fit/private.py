"""Nodes of a cluster -> the same without private data, for a repository."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tjgen.cluster.scheduling.hyper_nodes import children, member_nodes, positions_of
from tjgen.cluster.scheduling.node import Node, read_node
from tjgen.compiler.fit.hyper_nodes import API_VERSION, HYPER_NODE, is_hyper_node
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import HOSTNAME

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


def public_nodes(manifests: Sequence[Tree], labels: Collection[str]) -> list[Tree]:
    """The nodes with aliases for their names, in the order of their names, so that the same cluster gives the same file.

    Allocatable resources, taints, and labels of an allowlist and of `labels` remain. HyperNodes follow, with tiers and members.
    """
    ordered = sorted((tree for tree in manifests if not is_hyper_node(tree)), key=_name)
    nodes = [_public(node, f"node-{number}", labels) for number, node in enumerate(ordered)]
    hyper_nodes = sorted(
        (tree for tree in manifests if is_hyper_node(tree)), key=lambda tree: (tree["spec"]["tier"], _name(tree))
    )
    return [*nodes, *_public_hyper_nodes(hyper_nodes, [read_node(node) for node in ordered])]


def _name(tree: Tree) -> str:
    return str(get(tree, ("metadata", "name"), ""))


def _public_hyper_nodes(trees: Sequence[Tree], nodes: Sequence[Node]) -> Iterator[Tree]:
    """The HyperNodes with aliases, which list their members by the aliases of nodes."""
    positions = positions_of(nodes)
    aliases = {_name(tree): f"hypernode-{number}" for number, tree in enumerate(trees)}
    for tree in trees:
        below = [("HyperNode", aliases[name]) for name in children(tree) if name in aliases]
        own = [("Node", f"node-{position}") for position in sorted(member_nodes(tree, nodes, positions))]
        members = [{"type": kind, "selector": {"exactMatch": {"name": name}}} for kind, name in [*below, *own]]
        yield {
            "apiVersion": API_VERSION,
            "kind": HYPER_NODE,
            "metadata": {"name": aliases[_name(tree)]},
            "spec": {"tier": tree["spec"]["tier"], "members": members},
        }


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
