"""A Platform and its Node manifests -> the nodes and queues that its runs share."""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.node import read_node
from tjgen.compiler.fit.queues import capabilities, cluster_queues, volcano_cluster
from tjgen.compiler.fit.verdicts import FitCluster
from tjgen.language.spec.objects import Platform
from tjgen.trees.fields.path import Tree


def shared_cluster(nodes: Iterable[Tree], platform: Platform) -> FitCluster:
    """The nodes without pods, and the queues without runs."""
    spec = platform.spec
    classes = {
        name: one.create.allowed_topologies
        for name, one in spec.storage_classes.items()
        if one.create is not None and one.create.volume_binding_mode == "WaitForFirstConsumer" and one.create.allowed_topologies
    }
    namespaces = {name: one.labels for name, one in spec.namespaces.items()}
    cluster = ScheduledCluster([read_node(node) for node in nodes], namespaces=namespaces, of_classes=classes)
    queues = QueueSnapshot(cluster_queues(spec), cluster.nodes)
    volcano = volcano_cluster(spec, cluster.nodes)
    return FitCluster(cluster, queues, capabilities(spec), platform.metadata.name, spec.priority_classes, {}, volcano)
