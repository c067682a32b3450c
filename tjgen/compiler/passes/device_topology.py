"""The topology of devices that span nodes -> the node label for it, and the number of nodes that have them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from tjgen.compiler.lower import SPEC
from tjgen.language.platform.devices import Accelerator
from tjgen.language.spec.objects import Gpu
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.roles import at_once, nodes, workers
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
    has_nodes = set(podsets) <= set(workers(workload)) and not workload.is_direct
    pods = nodes(workload) if has_nodes else at_once(workload, podsets)
    if rest or not wanted:
        message = f"topology {gpu.topology} has {devices} devices, which is not a multiple of the {gpu.count} devices of a node"
        hint = f"set count to a number that divides {devices}"
        yield Diagnostic("TJ376", message, path=at, hint=hint)
    elif has_nodes and get(workload.tree.value, ("trainer", "numNodes"), None) is None:
        yield Contribution(("trainer", "numNodes"), wanted, at)
    elif pods != wanted:
        message = f"topology {gpu.topology} is {wanted} nodes with {gpu.count} devices each, but the {_whole(because)} has {pods}"
        yield Diagnostic("TJ376", message, path=at, hint=_remedy(workload, podsets, because, wanted))


def _whole(because: FieldPath) -> str:
    """What the devices at `because` are for."""
    return "run" if because == (*SPEC, "gpu") else f"role {because[-2]}"


def _remedy(workload: Workload, podsets: list[PodSet], because: FieldPath, wanted: int) -> str:
    if because != (*SPEC, "gpu"):
        return f"set replicas to {wanted}"
    if workload.is_direct and all(len(workload.tree.origins(("counts", one.name))[0].because) > len(SPEC) + 1 for one in podsets):
        return f"change replicas of {', '.join(one.name for one in podsets)} so that they are {wanted} pods"
    return f"remove nodes, or set it to {wanted}"
