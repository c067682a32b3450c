"""Topologies of devices -> the number of nodes and replicas that they set, for a target without Trainer."""

from __future__ import annotations

from math import prod

from tjgen.compiler.lower import SPEC
from tjgen.compiler.targets.direct import RequestedSize
from tjgen.language.spec.objects import ExperimentSpec, Gpu
from tjgen.trees.fields.path import FieldPath


def sized(size: RequestedSize, spec: ExperimentSpec) -> RequestedSize:
    """`size` with the nodes and replicas that topologies set, for a target whose roles have numbers of pods of their own."""
    for name, role in spec.roles.items():
        if role.gpu is not None and role.replicas is None and (wanted := _nodes_of(role.gpu)):
            at: FieldPath = (*SPEC, "roles", name, "gpu", "topology")
            size = size._replace(roles={**size.roles, name: wanted}, topologies={**size.topologies, name: at})
    if spec.gpu is None or size.nodes is not None or not (wanted := _nodes_of(spec.gpu)):
        return size
    sharing = [name for name, role in spec.roles.items() if role.gpu is None]
    if sharing and all(size.roles[name] is not None for name in sharing):
        return size  # the check of the devices compares their pods with the topology
    others = sum(size.roles[name] or 1 for name in spec.roles if name not in sharing) if sharing else 0
    return size._replace(nodes=wanted + others, because=(*SPEC, "gpu", "topology"))


def _nodes_of(gpu: Gpu) -> int:
    """The nodes of a topology; 0 if it is not a whole number of them, which the pass of the devices reports."""
    wanted, rest = divmod(prod(map(int, gpu.topology.split("x"))), gpu.count) if gpu.topology is not None else (0, 0)
    return 0 if rest else wanted
