"""The ML policy torch, a fixed number of nodes -> plugin pytorch, and the variables of torchrun.

`pytorch` adds MASTER_ADDR, MASTER_PORT, WORLD_SIZE (in pods) and RANK behind all other variables of a container, so that
no variable can refer to them, but its command can. torchrun reads PET_* alone.
"""

from __future__ import annotations

from tjgen.cluster.trainer import resources
from tjgen.compiler.targets.volcano_additions import PORT, Rendezvous, host
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.workload.roles import nodes, programs
from tjgen.trees.workload.workload import PodSet, Workload


def set_up(result: Rendezvous, workload: Workload) -> list[Diagnostic]:
    """The plugin, if there are several tasks, and the place of each pod."""
    counts = workload.tree.value["counts"]
    roles = trainers(workload)
    total = nodes(workload)
    problems = []
    if len(roles) > 1:
        master, worker = roles[0].name, roles[1].name
        result.plugins["pytorch"] = [f"--master={master}", f"--worker={worker}", f"--port={PORT}"]
        if len(roles) > 2 or counts[master] != 1:
            names = ", ".join(podset.name for podset in roles)
            message = f"plugin pytorch supports one master pod and its workers, but the roles are {names}"
            hint = "define two roles, the first with one replica"
            return [Diagnostic("TJ416", message, path=("spec", "roles"), hint=hint)]
    for position, podset in enumerate(roles):
        variables: list[Tree] = [
            {"name": "PET_NNODES", "value": str(total)},
            {"name": "PET_NPROC_PER_NODE", "value": str(processes(workload, podset))},
        ]
        if counts[podset.name] == 1:
            variables.append({"name": "PET_NODE_RANK", "value": str(position)})
        elif position == 0:
            variables.append({"name": "PET_NODE_RANK", **(workload.number(podset) or {})})
        else:
            result.words[podset.name] = ["PET_NODE_RANK=$(RANK)"]
            if not get(workload.tree.value, (*podset.main, "command"), None):
                problems.append(_without_command(podset))
        variables.append({"name": "PET_MASTER_ADDR", "value": host(workload, roles[0].name)})
        variables.append({"name": "PET_MASTER_PORT", "value": str(PORT)})
        result.variables[podset.name] = variables
    return problems


def trainers(workload: Workload) -> list[PodSet]:
    """The roles that train. The master is the one that is called so, or else the first of a single pod; it comes first."""
    counts = workload.tree.value["counts"]
    return sorted(programs(workload), key=lambda podset: (podset.name != "master", counts[podset.name] != 1))


def processes(workload: Workload, podset: PodSet) -> int | str:
    """As plugin torch of Trainer counts them (v2.3.0 plugins/torch): the set value, else devices, else CPUs."""
    number = get(workload.tree.value, ("trainer", "numProcPerNode"), None)
    if number is None:
        number = get(workload.ml_policy, ("torch", "numProcPerNode"), "auto")
    if number not in ("auto", "cpu"):
        return str(number)
    main_resources = get(workload.tree.value, (*podset.main, "resources"), None) or {}
    if number == "cpu" or not resources.gpus(main_resources):
        return max(1, resources.cpus(main_resources))
    return str(number)


def _without_command(podset: PodSet) -> Diagnostic:
    message = f"the workers' command must take its rank from plugin pytorch, but role {podset.name} uses the image's command"
    hint = "set script or command, so that the rank can precede it"
    return Diagnostic("TJ415", message, path=("spec", "target"), hint=hint)
