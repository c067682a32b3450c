"""Flavors of a Platform and its nodes -> topologies that are not described, and flavors in which Kueue can place no pod."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.queueing.kueue.topology import matches_labels
from tjgen.cluster.scheduling.node import Node
from tjgen.language.resolve.project import PlatformDocument
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.nearest import nearest


def topology_problems(platform: PlatformDocument, nodes: Sequence[Node]) -> Iterator[Diagnostic]:
    """TJ588 for a flavor without nodes, and TJ589 for a topology without levels."""
    spec = platform.platform.spec
    for name, flavor in spec.flavors.items():
        if flavor.topology is None:
            continue
        at: FieldPath = ("spec", "flavors", name)
        topology = spec.topologies.get(flavor.topology)
        if topology is None:
            near = nearest(flavor.topology, spec.topologies)
            add = f"add topologies: {{{flavor.topology}: {{levels: [...]}}}}, with exists: true if the cluster has it"
            message = (
                f'the Platform has no topology "{flavor.topology}": its levels are unknown, so tjgen fit does not predict domains'
            )
            hint = f'did you mean "{near}"?' if near else add
            yield Diagnostic("TJ589", message, span=platform.document.locate((*at, "topology")), hint=hint)
            continue
        own = [node for node in nodes if matches_labels(node, flavor.node_labels)]
        if any(not node.is_unschedulable and all(label in node.labels for label in topology.levels) for node in own):
            continue
        labels = ", ".join(f"{key}: {value}" for key, value in flavor.node_labels.items())
        reason, hint = f"no node has its labels {{{labels}}}", "correct nodeLabels of the flavor, or add the nodes"
        if own:
            missing = [label for label in topology.levels if not any(label in node.labels for node in own)]
            reason = (
                f"none of its nodes has the label {missing[0]}" if missing else "none of its nodes has all levels of its topology"
            )
            hint = "set topology or labels of the node pool, or correct the levels of the topology"
        message = f"Kueue cannot place pods in flavor {name}: {reason}"
        yield Diagnostic("TJ588", message, span=platform.document.locate(at), hint=hint)
