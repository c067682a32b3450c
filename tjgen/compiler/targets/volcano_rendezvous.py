"""The ML policy of a runtime -> how the pods of a Volcano Job find each other: its plugins, and additional variables.

What a plugin gives: volcano v1.13 `pkg/controllers/job/plugins`. `svc` gives pods host names, `<job>-<task>-<index>.<job>`.
"""

from __future__ import annotations

from tjgen.cluster.trainer import resources
from tjgen.compiler.targets import elastic, volcano_elastic, volcano_mpi, volcano_torch
from tjgen.compiler.targets.volcano_additions import PORT, Rendezvous, host
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.references import NUMBER, references
from tjgen.trees.workload.roles import nodes, programs
from tjgen.trees.workload.workload import Workload

_INDEX_NAMES = ("VC_TASK_INDEX", "VK_TASK_INDEX")
"""The number of a pod in its task, from 0. Plugin env appends them, after the variables that refer to them."""
_INDEX: Tree = {"valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['volcano.sh/task-index']"}}}


def rendezvous(workload: Workload) -> tuple[Rendezvous, list[Diagnostic]]:
    """By the ML policy; pods of a runtime without one know each other's names and no more."""
    policy = next((name for name in ("torch", "jax", "xgboost", "mpi") if get(workload.ml_policy, (name,), None) is not None), "")
    result = Rendezvous(policy)
    if any(key.startswith("PodMonitor/") for key in workload.tree.value.get("ahead") or {}):
        # The NetworkPolicy of plugin svc admits the Job's own pods only, so Prometheus could not read their metrics.
        result.plugins["svc"] = [*result.plugins["svc"], "--disable-network-policy"]
    problems: list[Diagnostic] = []
    if policy == "torch":
        problems = (volcano_elastic if elastic.bounds(workload) else volcano_torch).set_up(result, workload)
    elif policy == "mpi":
        problems = volcano_mpi.set_up(result, workload)
    elif policy:
        (_jax if policy == "jax" else _xgboost)(result, workload)
    for podset in workload.podsets:
        pod_text = repr(get(workload.tree.value, podset.pod, None))
        if any(name in pod_text for name in _INDEX_NAMES):
            result.plugins["env"] = []
        values = " ".join(str(one.get("value")) for one in get(workload.tree.value, (*podset.main, "env"), None) or ())
        for name in _INDEX_NAMES:
            if name in references(values):
                result.variables.setdefault(podset.name, []).insert(0, {"name": name, **_INDEX})
        number = workload.number(podset)
        if NUMBER in pod_text and number is not None:
            result.variables.setdefault(podset.name, []).insert(0, {"name": NUMBER, **number})
    return result, problems


def _jax(result: Rendezvous, workload: Workload) -> None:
    for podset in programs(workload):
        result.variables[podset.name] = [
            {"name": "JAX_NUM_PROCESSES", "value": str(nodes(workload))},
            {"name": "JAX_PROCESS_ID", **(workload.number(podset) or {})},
            {"name": "JAX_COORDINATOR_ADDRESS", "value": f"{_first(workload)}:{PORT}"},
        ]


def _xgboost(result: Rendezvous, workload: Workload) -> None:
    for podset in programs(workload):
        main_resources = get(workload.tree.value, (*podset.main, "resources"), None) or {}
        result.variables[podset.name] = [
            {"name": "DMLC_TRACKER_URI", "value": _first(workload)},
            {"name": "DMLC_TRACKER_PORT", "value": str(PORT)},
            {"name": "DMLC_TASK_ID", **(workload.number(podset) or {})},
            {"name": "DMLC_NUM_WORKER", "value": str(nodes(workload) * (resources.gpus(main_resources) or 1))},
        ]


def _first(workload: Workload) -> str:
    """The host of the node with number 0."""
    counts = workload.tree.value["counts"]
    several = [podset.name for podset in programs(workload) if counts[podset.name] > 1]
    return host(workload, several[0] if several else programs(workload)[0].name)
