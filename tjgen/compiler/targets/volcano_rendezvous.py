"""The ML policy of a runtime -> how the pods of a Volcano Job find each other: its plugins, and additional variables.

What a plugin gives: volcano v1.13 `pkg/controllers/job/plugins`. `svc` gives pods host names, `<job>-<task>-<index>.<job>`.
`pytorch` adds MASTER_ADDR, MASTER_PORT, WORLD_SIZE (in pods) and RANK behind all other variables of a container, so that
no variable can refer to them, but its command can. torchrun reads PET_* alone.
"""

from __future__ import annotations

from tjgen.cluster.trainer import resources
from tjgen.compiler.targets import volcano_mpi
from tjgen.compiler.targets.volcano_additions import Rendezvous
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.references import NUMBER, references
from tjgen.trees.workload.roles import nodes, programs
from tjgen.trees.workload.workload import PodSet, Workload

PORT = 23456
"""The default of the plugin pytorch; others get the same."""
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
        problems = _torch(result, workload)
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


def host(workload: Workload, role: str, index: int = 0) -> str:
    """The name under which other pods find one: that of the pod below the Service of the Job."""
    return f"{workload.name}-{role}-{index}.{workload.name}"


def _torch(result: Rendezvous, workload: Workload) -> list[Diagnostic]:
    counts = workload.tree.value["counts"]
    # The master is the one that is called so, or else the first of a single pod.
    trainers = sorted(programs(workload), key=lambda podset: (podset.name != "master", counts[podset.name] != 1))
    total = nodes(workload)
    problems = []
    if len(trainers) > 1:
        master, worker = trainers[0].name, trainers[1].name
        result.plugins["pytorch"] = [f"--master={master}", f"--worker={worker}", f"--port={PORT}"]
        if len(trainers) > 2 or counts[master] != 1:
            names = ", ".join(podset.name for podset in trainers)
            message = f"plugin pytorch supports one master pod and its workers, but the roles are {names}"
            hint = "define two roles, the first with one replica"
            return [Diagnostic("TJ416", message, path=("spec", "roles"), hint=hint)]
    for position, podset in enumerate(trainers):
        variables: list[Tree] = [
            {"name": "PET_NNODES", "value": str(total)},
            {"name": "PET_NPROC_PER_NODE", "value": str(_processes(workload, podset))},
        ]
        if counts[podset.name] == 1:
            variables.append({"name": "PET_NODE_RANK", "value": str(position)})
        elif position == 0:
            variables.append({"name": "PET_NODE_RANK", **(workload.number(podset) or {})})
        else:
            result.words[podset.name] = ["PET_NODE_RANK=$(RANK)"]
            if not get(workload.tree.value, (*podset.main, "command"), None):
                problems.append(_without_command(podset))
        variables.append({"name": "PET_MASTER_ADDR", "value": host(workload, trainers[0].name)})
        variables.append({"name": "PET_MASTER_PORT", "value": str(PORT)})
        result.variables[podset.name] = variables
    return problems


def _processes(workload: Workload, podset: PodSet) -> int | str:
    """As plugin torch of Trainer counts them (v2.3.0 plugins/torch): the set value, else devices, else CPUs."""
    processes = get(workload.tree.value, ("trainer", "numProcPerNode"), None)
    if processes is None:
        processes = get(workload.ml_policy, ("torch", "numProcPerNode"), "auto")
    if processes not in ("auto", "cpu"):
        return str(processes)
    main_resources = get(workload.tree.value, (*podset.main, "resources"), None) or {}
    if processes == "cpu" or not resources.gpus(main_resources):
        return max(1, resources.cpus(main_resources))
    return str(processes)


def _without_command(podset: PodSet) -> Diagnostic:
    message = f"the workers' command must take its rank from plugin pytorch, but role {podset.name} uses the image's command"
    hint = "set script or command, so that the rank can precede it"
    return Diagnostic("TJ415", message, path=("spec", "target"), hint=hint)


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
