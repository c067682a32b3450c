"""HyperNode manifests of a Platform -> what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.scheduling.hyper_nodes import children
from tjgen.cluster.validate.builtin.selectors import label_selector
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.place import Place
from tjgen.trees.fields.path import Tree, get

API_VERSION, HYPER_NODE = "topology.volcano.sh/v1alpha1", "HyperNode"


def is_hyper_node(tree: Tree) -> bool:
    """Whether a manifest is a HyperNode, and not a Node."""
    return isinstance(tree, dict) and tree.get("kind") == HYPER_NODE


def misfit(tree: Tree) -> str | None:
    """Why the API server and the webhook of Volcano refuse a HyperNode, or why it selects no nodes; None if it is valid."""
    metadata, spec = tree.get("metadata"), tree.get("spec")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not isinstance(spec, dict):
        return "a HyperNode has no metadata.name or no spec"
    if tree.get("apiVersion") != API_VERSION:
        return f"HyperNode {name} does not have the apiVersion {API_VERSION}"
    known = {key: spec[key] for key in ("tier", "members") if key in spec}
    created = {"apiVersion": API_VERSION, "kind": HYPER_NODE, "metadata": {"name": name}, "spec": known}
    faults = list(judge(created, webhooks=True, context=()).findings)
    if not faults:
        for position, member in enumerate(known.get("members") or ()):
            at = Place().child("spec", "members").item(position).child("selector", "labelMatch")
            faults += label_selector(get(member, ("selector", "labelMatch"), None), at)
    return f"HyperNode {name}: {faults[0].field}: {faults[0].detail}" if faults else None


def forest_problem(trees: Sequence[Tree]) -> str | None:
    """Why Volcano cannot build a forest of HyperNodes, and schedules no run with a network topology; None if it can."""
    parents: dict[str, str] = {}
    for tree in trees:
        name = tree["metadata"]["name"]
        for child in children(tree):
            if parents.setdefault(child, name) != name:
                return f"HyperNode {child} is a member of {parents[child]} and of {name}"
    for name in parents:
        above, seen = parents.get(name), {name}
        while above is not None and above not in seen:
            seen.add(above)
            above = parents.get(above)
        if above == name:
            return f"HyperNode {name} is a member of itself"
    return None
