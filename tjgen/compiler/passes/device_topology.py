"""The topology of devices that span nodes -> the node label for it, and the number of nodes that have them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from tjgen.language.platform.devices import Accelerator
from tjgen.language.spec.objects import Gpu
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.roles import nodes
from tjgen.trees.workload.workload import PodSet, Workload


def contributions(
    workload: Workload, podsets: list[PodSet], gpu: Gpu, device: Accelerator, because: FieldPath
) -> Iterator[Contribution | Diagnostic]:
    """Add the label to each of `podsets`, and `nodes` if the experiment does not set it."""
    assert gpu.topology is not None
    at: FieldPath = (*because, "topology")
    if device.topology_label is None:
        message = f"gpu has a topology, but class {device.name} has no label for it"
        hint = "remove topology, or set topologyLabel in the Platform's class"
        yield Diagnostic("TJ377", message, path=at, hint=hint)
        return
    for podset in podsets:
        yield Contribution((*podset.pod, "nodeSelector", device.topology_label), gpu.topology, at)
    devices = prod(map(int, gpu.topology.split("x")))
    wanted, rest = divmod(devices, gpu.count)
    num_nodes = get(workload.tree.value, ("trainer", "numNodes"), None)
    if rest or not wanted:
        message = f"topology {gpu.topology} has {devices} devices, which is not a multiple of the {gpu.count} devices of a node"
        hint = f"set count to a number that divides {devices}"
        yield Diagnostic("TJ376", message, path=at, hint=hint)
    elif num_nodes is None:
        yield Contribution(("trainer", "numNodes"), wanted, at)
    elif nodes(workload) != wanted:
        message = f"topology {gpu.topology} is {wanted} nodes with {gpu.count} devices each, but the run has {nodes(workload)}"
        hint = f"remove nodes, or set it to {wanted}"
        yield Diagnostic("TJ376", message, path=at, hint=hint)
