"""Nodes of a cluster, for `tjgen fit`."""

from __future__ import annotations

from tjgen.language.spec.models.shape import Count, Quantity, Shape, Subtree, Text


class NodePool(Shape):
    """Equal nodes of the cluster."""

    count: Count
    """Number of nodes."""
    like: Text | None = None
    """Device class of the nodes: its labels, its resource or DeviceClass, and its `most` as the number of devices."""
    devices: Count | None = None
    """Devices of each node, instead of the `most` of the class."""
    resources: dict[str, Quantity] = {}
    """Allocatable resources of each node, such as `cpu`, `memory` and `nvidia.com/gpu`. The default of `pods` is 110."""
    labels: dict[str, str] = {}
    """Labels of the nodes."""
    taints: list[Subtree] = []
    """Taints of the nodes."""
    zones: list[Text] = []
    """Zones of the nodes, which take turns. They become the label `topology.kubernetes.io/zone`."""
    topology: dict[str, Count] = {}
    """Label of a topology, such as a rack -> number of nodes in each of its domains."""
