"""The filters, in the order in which kube-scheduler runs them (`apis/config/v1/default_plugins.go`, kubernetes 1.36).

VolumeRestrictions, NodeVolumeLimits, VolumeZone and NodeDeclaredFeatures are left out: only the cluster has what they read.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.scheduling.filters import (
    dynamic_resources,
    inter_pod_affinity,
    node_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    pod_topology_spread,
    taint_toleration,
    volume_binding,
)
from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection

FILTERS = (
    node_unschedulable,
    node_name,
    taint_toleration,
    node_affinity,
    node_ports,
    node_resources_fit,
    volume_binding,
    pod_topology_spread,
    inter_pod_affinity,
    dynamic_resources,
)
_STATIC = (node_unschedulable, node_name, taint_toleration, node_affinity)
"""The filters before NodePorts: they read nothing but the node and the pod."""


_VOLCANO = (node_unschedulable, node_affinity, taint_toleration)
"""The first filters of Volcano's scheduler (volcano v1.15 pkg/scheduler/plugins/predicates)."""


def check_for_volcano(pod: SchedulingPod, node: Node, used: Mapping[str, int], pods: int) -> Rejection | None:
    """The rejection of a node by Volcano's scheduler before the filters on ports: it compares resources first, and names one."""
    lacking = node_resources_fit.check(pod, node, used, pods)
    if lacking is not None:
        return lacking._replace(reasons=lacking.reasons[:1])
    return next((one for one in (each.check(pod, node) for each in _VOLCANO) if one is not None), None)


def check_node(pod: SchedulingPod, node: Node) -> Rejection | None:
    """The rejection of a node by a filter before NodePorts: for its labels, its taints, or its name."""
    return next((one for one in (each.check(pod, node) for each in _STATIC) if one is not None), None)
