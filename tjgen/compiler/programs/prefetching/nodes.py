"""A prefetch to disks of nodes -> a Job for each node, which fills the disk of that node.

The nodes that hold the data have the labels of `hostPath.nodeSelector`, so the pods of runs start only there. Each of
these pods waits for the data on the disk of its own node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.programs.prefetching import job, problems
from tjgen.compiler.programs.prefetching.sections import PrefetchSection, filled_by
from tjgen.compiler.volumes.protocol import DATA_LOAD, JOB_OF_NODE
from tjgen.compiler.volumes.table import source_of
from tjgen.language.spec.objects import Experiment
from tjgen.trees.canonical import sha256_hex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s import syntax
from tjgen.trees.k8s.labels import HOSTNAME
from tjgen.trees.workload.workload import PodSet, Workload

_MOST = 256
"""Nodes of a prefetch: each has a Job."""
_LONGEST = 52
"""Characters of the name of a Job: the host names of its pods have the index, too."""
_DIGEST = 10


def problems_of(section: PrefetchSection, experiment: Experiment) -> Iterator[Diagnostic]:
    """What is wrong with `nodes` of a prefetch, and with the volume that it fills."""
    fields, at = section.fields, section.at
    place: FieldPath = (*at, "nodes")
    volume = experiment.spec.volumes[section.volume]
    if filled_by(section, experiment) != JOB_OF_NODE:
        if fields.nodes:
            message = f'{section.field}.nodes is for a hostPath, and volume "{section.volume}" is not on the disks of nodes'
            yield Diagnostic(problems.NOT_OF_NODES, message, path=place, hint="remove nodes, or use a hostPath volume")
        return
    if not fields.nodes:
        message = f'volume "{section.volume}" is on the disks of nodes, and {section.field} does not list the nodes to fill'
        hint = "add nodes with their host names, or use pvc or nfs"
        yield Diagnostic(problems.NODES, message, path=(*at, "volume"), hint=hint)
        return
    if not source_of(volume).node_selector(volume):
        message = f'volume "{section.volume}" has no nodeSelector, so pods also start on nodes without the data'
        hint = "add hostPath.nodeSelector with a label of the nodes that are filled"
        yield Diagnostic(problems.UNBOUND, message, path=(*at, "volume"), hint=hint)
    if len(fields.nodes) > _MOST:
        message = f"{section.field} lists {len(fields.nodes)} nodes, more than {_MOST}"
        hint = "let a DaemonSet of the platform fill the disks"
        yield Diagnostic(problems.NODE, message, path=place, hint=hint)
    known: set[str] = set()
    for position, node in enumerate(fields.nodes):
        if syntax.label_value(node):
            message = f'"{node}" is not the host name of a node'
            hint = "write the value of the label kubernetes.io/hostname"
            yield Diagnostic(problems.NODE, message, path=(*place, position), hint=hint)
        elif node in known:
            yield Diagnostic(problems.NODE, f"node {node} is listed twice", path=(*place, position), hint=f"remove one {node}")
        known.add(node)


def order_problems(sections: Sequence[PrefetchSection], experiment: Experiment) -> Iterator[Diagnostic]:
    """Prefetches that wait for data on disks that their Jobs cannot read. `sections` are in the order of their priorities."""
    jobs = [section for section in sections if filled_by(section, experiment) not in (None, DATA_LOAD)]
    priorities = sorted({section.fields.priority for section in jobs}, reverse=True)
    for section in jobs:
        position = priorities.index(section.fields.priority)
        ahead = [one for one in jobs if position and one.fields.priority == priorities[position - 1]]
        for one in ahead:
            if one.fields.nodes and not (section.fields.nodes and set(section.fields.nodes) <= set(one.fields.nodes)):
                message = f"{section.field} waits for {one.field}, which is on disks of nodes that its Jobs do not run on"
                hint = "use the same nodes for both, or the same priority"
                yield Diagnostic(problems.NODE_ORDER, message, path=(*section.at, "priority"), hint=hint)
                break


def placement(section: PrefetchSection, experiment: Experiment, workload: Workload, users: Sequence[PodSet]) -> Tree:
    """The fields that place the pods on the nodes of the volume, next to the pods of the run that mount it; else empty."""
    volume = experiment.spec.volumes[section.volume]
    if not section.fields.nodes:
        return {}
    pod = get(workload.tree.value, users[0].pod, None) or {} if users else {}
    own = pod.get("tolerations") or []
    tolerations = [*own, *(one for one in _for_devices(workload, users) if one not in own)]
    fields = {"tolerations": tolerations, "imagePullSecrets": pod.get("imagePullSecrets")}
    return {"nodeSelector": dict(source_of(volume).node_selector(volume)), **{key: one for key, one in fields.items() if one}}


def _for_devices(workload: Workload, users: Sequence[PodSet]) -> Iterator[Tree]:
    """What the admission plugin ExtendedResourceToleration adds to pods with devices, which the Jobs do not request."""
    names = {
        resource
        for podset in users
        for resource in get(workload.tree.value, (*podset.main, "resources", "limits"), None) or {}
        if "/" in resource and "kubernetes.io/" not in resource
    }
    for name in sorted(names):
        yield {"key": name, "operator": "Exists", "effect": "NoSchedule"}


def on_each(name: str, tree: Tree, section: PrefetchSection) -> Iterator[tuple[str, Tree]]:
    """Name and tree of the Job of each node. Its programs get `name` as the name of the Job, the same on all nodes."""
    template = tree["spec"]["template"]
    pod = template["spec"]
    for node in sorted(section.fields.nodes):
        own = _name(name, node)
        on_node = {
            **pod,
            **{
                kind: [_with_job_name(one, name) for one in pod[kind]] for kind in ("initContainers", "containers") if kind in pod
            },
            "nodeSelector": {**pod["nodeSelector"], HOSTNAME: node},
        }
        spec = {**tree["spec"], "template": {**template, "spec": on_node}}
        yield own, {**tree, "metadata": {**tree["metadata"], "name": own}, "spec": spec}


def _name(name: str, node: str) -> str:
    """The name of the Job with that of its node, or with a digest of a name that is too long or no part of a host name."""
    full = f"{name}-{node}"
    if len(full) <= _LONGEST and not syntax.dns1123_label(node):
        return full
    return f"{name[: _LONGEST - _DIGEST - 1].rstrip('-')}-{sha256_hex(full)[:_DIGEST]}"


def _with_job_name(container: Tree, name: str) -> Tree:
    """The container with `name` as the name of its Job. The pods of runs look for failures under this name."""
    of_job = {"fieldRef": {"fieldPath": job.JOB_NAME_OF_POD}}
    env = [{"name": one["name"], "value": name} if one.get("valueFrom") == of_job else one for one in container["env"]]
    return {**container, "env": env}
