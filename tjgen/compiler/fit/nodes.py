"""`nodePools` and `nodes` of a Platform -> Node and HyperNode manifests, and what is wrong with them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping

from tjgen.cluster.scheduling.node import CPU, DEVICES, MEMORY, PODS, read_node
from tjgen.compiler.fit.hyper_nodes import forest_problem, is_hyper_node, misfit
from tjgen.language.platform.devices import Accelerator
from tjgen.language.resolve.files import named, platform_files
from tjgen.language.resolve.project import LoadedProject, PlatformDocument
from tjgen.language.spec.objects import NodePool
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.patch import without_nulls
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import HOSTNAME
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.k8s.quantity import QuantityError, parse
from tjgen.trees.source.reader import KUBERNETES, read

ZONE = "topology.kubernetes.io/zone"
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_IMPORT = "save the output of kubectl get nodes -o json, and import it with tjgen nodes import"
_DEFAULT_PODS = 110
"""The default of the kubelet (`maxPods`)."""


def nodes_of(
    project: LoadedProject, platform: PlatformDocument, classes: Mapping[str, Accelerator]
) -> tuple[list[Tree], list[Diagnostic]]:
    """The Node and HyperNode manifests of a Platform, pools first."""
    nodes: list[Tree] = []
    diagnostics: list[Diagnostic] = []
    for name, pool in platform.platform.spec.node_pools.items():
        problems = list(_problems(name, pool, platform, classes))
        diagnostics += problems
        if not problems:
            nodes += _pool(name, pool, classes)
    for file in platform_files(project.sandbox, platform.document, "nodes", platform.platform.spec.nodes, "TJ583"):
        several, problems = ([], [file]) if isinstance(file, Diagnostic) else read_nodes(file[1], file[0])
        nodes += several
        diagnostics += problems
    return nodes, [*diagnostics, *_repeated(nodes, platform)]


def _repeated(nodes: list[Tree], platform: PlatformDocument) -> Iterator[Diagnostic]:
    """TJ583 for a name of several nodes, each of which would count, and for HyperNodes that form no forest."""
    at: FieldPath = ("spec", "nodes") if platform.platform.spec.nodes else ("spec", "nodePools")
    span = platform.document.locate(at)
    counts = Counter((is_hyper_node(one), str(get(one, ("metadata", "name"), ""))) for one in nodes)
    for (is_hyper, name), number in counts.items():
        if number > 1:
            hint = "import the nodes again, or rename the node pool"
            kind = "HyperNodes" if is_hyper else "nodes"
            yield Diagnostic("TJ583", f"{number} {kind} have the name {name}", span=span, hint=hint)
    problem = forest_problem([one for one in nodes if is_hyper_node(one)])
    if problem is not None:
        hint = "Volcano places no run with a network topology until each HyperNode has at most one parent; correct the members"
        yield Diagnostic("TJ583", problem, span=span, hint=hint)


def files_of(project: LoadedProject, platform: PlatformDocument) -> list[str]:
    """The files with nodes that a Platform names."""
    folder = os.path.dirname(platform.document.file)
    return [file for entry in platform.platform.spec.nodes for file in named(project.sandbox, folder, entry)[0]]


def read_nodes(content: bytes, file: str) -> tuple[list[Tree], list[Diagnostic]]:
    """The Nodes and HyperNodes in a text: single ones and those of lists, such as the output of `kubectl get nodes -o json`."""
    documents, diagnostics = read(content, file, KUBERNETES)
    nodes: list[Tree] = []
    for document in documents:
        tree = document.value
        items = tree.get("items") if isinstance(tree, dict) and str(tree.get("kind", "")).endswith("List") else None
        entries = [(("items", i), one) for i, one in enumerate(items)] if isinstance(items, list) else [((), tree)]
        for path, given in entries:
            one = without_nulls(given)  # the API server stores no field without a value
            is_hyper = is_hyper_node(one)
            reason = misfit(one) if is_hyper else _misfit(one)
            if reason is None:
                nodes.append(one)
            else:
                hint = "correct the HyperNode, or import those of the cluster" if is_hyper else _IMPORT
                diagnostics.append(Diagnostic("TJ583", f"{file}: {reason}", span=document.locate(path), hint=hint))
    return nodes, diagnostics


def _misfit(tree: Tree) -> str | None:
    """Why a value is not a Node that can be read."""
    if not isinstance(tree, dict) or tree.get("kind") != "Node":
        kind = tree.get("kind") if isinstance(tree, dict) else None
        return f"a {kind} is not a Node" if kind else "the value is not a Node"
    shapes: tuple[tuple[FieldPath, type], ...] = (
        (("metadata",), dict),
        (("metadata", "name"), str),
        (("metadata", "labels"), dict),
        (("metadata", "annotations"), dict),
        (("spec",), dict),
        (("spec", "taints"), list),
        (("status",), dict),
        (("status", "allocatable"), dict),
    )
    for path, kind in shapes:
        value = get(tree, path, None)
        if value is not None and not isinstance(value, kind):
            return f"{'.'.join(map(str, path))} of a Node has the wrong type"
    taints = get(tree, ("spec", "taints"), None) or []
    if not all(isinstance(one, dict) and isinstance(one.get("key"), str) for one in taints):
        return "a taint of a Node has no key"
    effects = [one.get("effect") for one in taints if one.get("effect") not in EFFECTS]
    if effects:
        return f"a taint of a Node has the effect {effects[0]}, and not one of {', '.join(EFFECTS)}"
    name = get(tree, ("metadata", "name"), None)
    if not name:
        return "a Node has no metadata.name"
    allocatable = get(tree, ("status", "allocatable"), None)
    if not allocatable:
        return f"Node {name} has no status.allocatable"
    if not all(isinstance(amount, (str, int, float)) for amount in allocatable.values()):
        return f"Node {name} has an amount that is not a quantity"
    try:
        read_node(tree)
        negative = [resource for resource, amount in allocatable.items() if parse(str(amount)).value < 0]
    except (QuantityError, ValueError):
        return f"Node {name} has an amount that is not a quantity"
    return f"Node {name} has a negative amount of {negative[0]}" if negative else None


def _problems(name: str, pool: NodePool, platform: PlatformDocument, classes: Mapping[str, Accelerator]) -> Iterator[Diagnostic]:
    at: FieldPath = ("spec", "nodePools", name)
    device = classes.get(pool.like) if pool.like is not None else None
    if pool.like is not None and device is None:
        near = nearest(pool.like, list(classes))
        hint = f'did you mean "{near}"?' if near else "see tjgen devices"
        span = platform.document.locate((*at, "like"))
        yield Diagnostic("TJ584", f'node pool {name} is like "{pool.like}", which is not a device class', span=span, hint=hint)
    elif device is not None and not (pool.devices or device.most or (device.resource in pool.resources)):
        message = f"node pool {name} does not set devices, and class {device.name} does not set most"
        yield Diagnostic("TJ584", message, span=platform.document.locate(at), hint="set devices of the pool")
    yield from _wrong_taints(name, pool, platform)
    missing = [resource for resource in (CPU, MEMORY) if resource not in pool.resources]
    if missing:
        message = f"node pool {name} has no {' and no '.join(missing)}, so no pod that requests it fits"
        amounts = ", ".join(f"{resource}: ..." for resource in missing)
        hint = f"add resources: {{{amounts}}}, as in status.allocatable of its nodes"
        yield Diagnostic("TJ584", message, span=platform.document.locate(at), hint=hint)


def _wrong_taints(name: str, pool: NodePool, platform: PlatformDocument) -> Iterator[Diagnostic]:
    """Taints without a key, and with an effect that does not exist."""
    for position, taint in enumerate(pool.taints):
        at: FieldPath = ("spec", "nodePools", name, "taints", position)
        key, effect = taint.get("key"), taint.get("effect")
        if not isinstance(key, str) or not key:
            hint = "write the taint as in spec.taints of a Node: {key: ..., value: ..., effect: NoSchedule}"
            yield Diagnostic("TJ584", f"a taint of node pool {name} has no key", span=platform.document.locate(at), hint=hint)
        elif effect not in EFFECTS:
            near = nearest(str(effect), EFFECTS) if effect else None
            hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(EFFECTS)}"
            message = f"the taint {key} of node pool {name} has " + (f'the effect "{effect}"' if effect else "no effect")
            span = platform.document.locate((*at, "effect") if effect else at)
            yield Diagnostic("TJ584", message, span=span, hint=hint)


def _pool(name: str, pool: NodePool, classes: Mapping[str, Accelerator]) -> Iterator[Tree]:
    device = classes[pool.like] if pool.like is not None else None
    labels: dict[str, str] = {**(device.node_selector if device is not None else {}), **pool.labels}
    allocatable: dict[str, str | int | float] = {PODS: _DEFAULT_PODS}
    marks: dict[str, str] = {}
    count = pool.devices or (device.most if device is not None else None)
    if device is not None and count:
        if device.resource is not None:
            allocatable[device.resource] = count
        elif device.dra is not None:
            marks = {DEVICES: f"{device.dra.device_class_name}={count}"}
    allocatable |= pool.resources
    for number in range(pool.count):
        alias = f"{name}-{number}"
        own = {HOSTNAME: alias, **labels}
        if pool.zones:
            own[ZONE] = pool.zones[number % len(pool.zones)]
        own |= {label: f"{name}-{number // size}" for label, size in pool.topology.items()}
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": alias, "labels": own, "annotations": marks},
            "spec": {"taints": [dict(taint) for taint in pool.taints]},
            "status": {"allocatable": allocatable},
        }
