"""The roles of a run -> TF_CONFIG, by which the tasks of a cluster of TensorFlow find each other.

Fields and their meaning: tensorflow 2.21 `tfconfig_cluster_resolver.py`. The evaluator is a task, but not part of the cluster.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.references import NUMBER
from tjgen.trees.workload.roles import programs
from tjgen.trees.workload.workload import PodSet, Workload

NAME = "TJGEN_TF_CONFIG"
_PORT = 2222
"""The default of TFJobs."""
_CLUSTER = ("chief", "master", "worker", "ps")
_EVALUATOR = "evaluator"
_WORKER = "worker"
TYPES = (*_CLUSTER, _EVALUATOR)
"""Types of tasks, which are names of roles."""


def config(workload: Workload, podset: PodSet, hosts: Mapping[str, Sequence[str]]) -> str:
    """The value for the pods of a role; `hosts` are those of each role. Pods that are not tasks get the cluster only."""
    types = {name: _type(workload, name, hosts) for name in hosts}
    cluster: dict[str, list[str]] = {}
    for name, kind in types.items():
        if kind in _CLUSTER:
            cluster[kind] = [f"{host}:{_PORT}" for host in hosts[name]]
    value: Tree = {"cluster": cluster}
    kind = types[podset.name]
    if kind:
        value["task"] = {"type": kind, "index": NUMBER}
    text = json.dumps(value, separators=(",", ":"))
    # A number, which the kubelet writes: it differs from pod to pod.
    return text.replace(f'"index":"{NUMBER}"', f'"index":$({NUMBER})')


def _type(workload: Workload, role: str, hosts: Mapping[str, Sequence[str]]) -> str:
    """The type of task of a role: its name, or worker for the nodes that train."""
    if role in TYPES:
        return role
    trains = role in [podset.name for podset in programs(workload)]
    return _WORKER if trains and _WORKER not in hosts else ""
