"""A Platform and its Node and HyperNode manifests -> the nodes and queues that its runs share."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.hyper_nodes import read_hyper_nodes
from tjgen.cluster.scheduling.node import read_node
from tjgen.compiler.fit.hyper_nodes import is_hyper_node
from tjgen.compiler.fit.queues import capabilities, cluster_queues, volcano_cluster
from tjgen.compiler.fit.verdicts import FitCluster
from tjgen.language.platform.devices import classes
from tjgen.language.spec.objects import Platform
from tjgen.trees.fields.path import Tree


def shared_cluster(manifests: Sequence[Tree], platform: Platform) -> FitCluster:
    """The nodes without pods, and the queues without runs."""
    spec = platform.spec
    of_classes = {
        name: one.create.allowed_topologies
        for name, one in spec.storage_classes.items()
        if one.create is not None and one.create.volume_binding_mode == "WaitForFirstConsumer" and one.create.allowed_topologies
    }
    namespaces = {name: one.labels for name, one in spec.namespaces.items()}
    nodes = [read_node(tree) for tree in manifests if not is_hyper_node(tree)]
    hyper_nodes = read_hyper_nodes([tree for tree in manifests if is_hyper_node(tree)], nodes)
    cluster = ScheduledCluster(
        nodes,
        namespaces=namespaces,
        of_classes=of_classes,
        hyper_nodes=hyper_nodes if spec.cluster.network_topology_aware else (),
    )
    queues = QueueSnapshot(cluster_queues(spec), cluster.nodes)
    volcano = volcano_cluster(spec, cluster.nodes)
    devices = {label: name for name, one in classes(spec.device_classes).items() for label in one.node_selector.items()}
    return FitCluster(cluster, queues, capabilities(spec), platform.metadata.name, spec.priority_classes, {}, volcano, devices)
