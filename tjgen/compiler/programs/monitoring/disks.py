"""A `hostPath` volume -> the nodes that the experiment lists for it, and the folder on each."""

from __future__ import annotations

from tjgen.compiler.programs.prefetching.sections import prefetch_sections
from tjgen.language.spec.objects import Experiment, Volume
from tjgen.trees.typing import NamedTuple


class NodeDisk(NamedTuple):
    """The folder of a volume on one node."""

    node: str
    path: str
    suffix: str
    """What the name of its Job gets at its end."""


def disks(name: str, volume: Volume, experiment: Experiment) -> list[NodeDisk]:
    """The disks that a prefetch fills or that hold slices, each once, in order of their nodes; empty if no field lists nodes."""
    if volume.host_path is None:
        return []
    default = volume.host_path.path
    folders = {(node, default) for one in prefetch_sections(experiment) if one.fields.volume == name for node in one.fields.nodes}
    data = experiment.spec.data
    for section in (data, *data.sets.values()) if data is not None else ():
        if section.slices is not None and section.volume == name:
            nodes, sources = section.slices.nodes, section.slices.sources
            folders.update(zip(nodes, sources or [default] * len(nodes), strict=False))
    counts: dict[str, int] = {}
    listed: list[NodeDisk] = []
    for node, path in sorted(folders):
        counts[node] = counts.get(node, 0) + 1
        listed.append(NodeDisk(node, path, f"-{node}" if counts[node] == 1 else f"-{node}-{counts[node]}"))
    return listed
