"""Scenes of `tjgen fit` and `tjgen nodes import`: nodes, HyperNodes, topologies and queues, of which one is mutated."""

from __future__ import annotations

import json

from tests.fuzz.draw import Draw, Files
from tests.fuzz.inputs import Input
from tests.fuzz.trees import Tree

_HEAD = {"apiVersion": "tjgen.dev/v1alpha1"}
_PROJECT = {**_HEAD, "kind": "Project", "spec": {"experiments": ["runs.yaml"], "platforms": ["platform.yaml"]}}
_PLATFORM: Tree = {
    **_HEAD,
    "kind": "Platform",
    "metadata": {"name": "lab"},
    "spec": {
        "cluster": {"networkTopologyAware": True},
        "nodePools": {"cpu": {"count": 4, "resources": {"cpu": 4, "memory": "16Gi"}, "topology": {"rack": 2, "block": 4}}},
        "nodes": ["nodes.yaml"],
        "topologies": {"t": {"levels": ["block", "rack", "kubernetes.io/hostname"]}},
        "flavors": {"f": {"topology": "t"}},
        "queues": {
            "kueue": {
                "create": {"kueue": {"namespaces": ["n"], "flavors": [{"name": "f", "quota": {"cpu": 8, "memory": "64Gi"}}]}}
            },
            "one": {"capability": {"cpu": 16}, "create": {"volcano": {"weight": 2}}},
            "two": {"create": {"volcano": {"guarantee": {"cpu": 4}, "deserved": {"cpu": 8}}}},
        },
    },
}
_SCHEDULES: tuple[Tree, ...] = (
    {"system": "kueue", "queue": "kueue", "topology": {"required": "rack"}},
    {"system": "kueue", "queue": "kueue", "topology": {"required": "block", "slice": {"level": "rack", "size": 2}}},
    {"queue": "one", "networkTopology": {"mode": "hard", "highestTierAllowed": 1}},
    {"queue": "two", "networkTopology": {"mode": "soft"}},
)


def _run(number: int, schedule: Tree) -> Tree:
    runtime = "tjgen-torch" if "system" in schedule else "tjgen-torch-volcano"
    spec = {"runtime": runtime, "image": "a:1", "script": "t.py", "nodes": 2, "cpu": 2, "memory": "1Gi", "schedule": schedule}
    return {**_HEAD, "kind": "Experiment", "metadata": {"name": f"run-{number}", "namespace": "n"}, "spec": spec}


_RUNS = [_run(number, schedule) for number, schedule in enumerate(_SCHEDULES)]


def _hyper_node(name: str, tier: int, *members: tuple[str, Tree]) -> Tree:
    spec = {"tier": tier, "members": [{"type": kind, "selector": selector} for kind, selector in members]}
    return {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": name}, "spec": spec}


_NODES: list[Tree] = [
    {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "gpu-0", "labels": {"rack": "c", "block": "d"}},
        "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]},
        "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}},
    },
    _hyper_node("rack-0", 1, ("Node", {"labelMatch": {"matchLabels": {"rack": "cpu-0"}}})),
    _hyper_node(
        "rack-1", 1, ("Node", {"regexMatch": {"pattern": "^(cpu|gpu)-[23]$"}}), ("Node", {"exactMatch": {"name": "gpu-0"}})
    ),
    _hyper_node("block-0", 2, *[("HyperNode", {"exactMatch": {"name": name}}) for name in ("rack-0", "rack-1")]),
]


def fit(draw: Draw) -> Input:
    """A project with topologies and HyperNodes. One of its files is mutated, so that most inputs get past the first error."""
    documents = {"tjgen.yaml": [_PROJECT], "platform.yaml": [_PLATFORM], "nodes.yaml": _NODES, "runs.yaml": _RUNS}
    chosen = draw.random.choice(["platform.yaml", "nodes.yaml", "nodes.yaml", "runs.yaml"])
    files: Files = {
        name: draw.text(draw.changed(trees)) if name == chosen else "\n---\n".join(map(json.dumps, trees)).encode()
        for name, trees in documents.items()
    }
    return draw.command(*draw.random.choice((("fit",), ("fit", "--format", "json"), ("build",))), files=files)


def nodes_import(draw: Draw) -> Input:
    """Mutated nodes and HyperNodes, one by one or in a List."""
    trees = draw.changed(_NODES)
    content = draw.text([{"kind": "List", "items": trees}] if draw.random.random() < 0.5 else trees)
    return draw.command("nodes", "import", draw.random.choice(("m.yaml", "-")), files={"m.yaml": content}, stdin=content)
