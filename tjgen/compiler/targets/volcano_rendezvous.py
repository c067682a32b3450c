"""The ML policy of a runtime -> how the pods of a Volcano Job find each other: its plugins, and additional variables.

What a plugin gives: volcano v1.13 `pkg/controllers/job/plugins`. `svc` gives pods host names, `<job>-<task>-<index>.<job>`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer import resources
from tjgen.compiler.targets import elastic
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.references import NUMBER, references
from tjgen.trees.manifests.manifest import RUNS, Manifest
from tjgen.trees.workload.roles import nodes, programs, workers
from tjgen.trees.workload.workload import NODE, PodSet, Workload

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
        problems = _set_up_elastic(result, workload) if elastic.bounds(workload) else _set_up_torch(result, workload)
    elif policy == "mpi":
        problems = _set_up_mpi(result, workload)
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
            {"name": "JAX_COORDINATOR_ADDRESS", "value": f"{_first(workload)}:{_PORT}"},
        ]


def _xgboost(result: Rendezvous, workload: Workload) -> None:
    for podset in programs(workload):
        main_resources = get(workload.tree.value, (*podset.main, "resources"), None) or {}
        result.variables[podset.name] = [
            {"name": "DMLC_TRACKER_URI", "value": _first(workload)},
            {"name": "DMLC_TRACKER_PORT", "value": str(_PORT)},
            {"name": "DMLC_TASK_ID", **(workload.number(podset) or {})},
            {"name": "DMLC_NUM_WORKER", "value": str(nodes(workload) * (resources.gpus(main_resources) or 1))},
        ]


def _first(workload: Workload) -> str:
    """The host of the node with number 0."""
    counts = workload.tree.value["counts"]
    several = [podset.name for podset in programs(workload) if counts[podset.name] > 1]
    return host(workload, several[0] if several else programs(workload)[0].name)


# What the way in which pods find each other adds to a Volcano Job.

_PORT = 23456
"""The default of the plugin pytorch; others get the same."""
_EARLY = "--publish-not-ready-addresses"
"""Host names are looked up before pods are ready."""


def host(workload: Workload, role: str, index: int = 0) -> str:
    """The name under which other pods find one: that of the pod below the Service of the Job."""
    return f"{workload.name}-{role}-{index}.{workload.name}"


class Rendezvous:
    """Additions to a Job: plugins, variables by role, words before a command, and more objects."""

    def __init__(self, policy: str) -> None:
        self.because = Origin("target:volcanojob", "runtime", ("spec", "mlPolicy", policy) if policy else ("spec", "mlPolicy"))
        self.plugins: dict[str, list[str]] = {"svc": [_EARLY] if policy else []}
        self.variables: dict[str, list[Tree]] = {}
        self.reasons: dict[str, Origin] = {}
        """Variable -> its cause, if it is not the runtime."""
        self.words: dict[str, list[str]] = {}
        """Role -> variables that the command sets, since they depend on variables of a plugin."""
        self.volumes: dict[str, tuple[Tree, Tree]] = {}
        """Role -> a volume and its mount."""
        self.init: dict[str, Tree] = {}
        """Role -> a container that runs before the others."""
        self.objects: list[Manifest] = []

    def into(self, writer: Writer, podset: PodSet, task: FieldPath, main: FieldPath) -> None:
        """Write what is for the pods of a role into its task."""
        for variable in self.variables.get(podset.name, ()):
            at: FieldPath = (*main, "env", named(variable["name"]))
            if writer.get(at) is None:  # an existing value stays
                writer.put(at, variable, self.reasons.get(variable["name"], self.because))
        self._order(writer, (*main, "env"), [one["name"] for one in self.variables.get(podset.name, ())])
        words = self.words.get(podset.name)
        if words:
            command = writer.get((*main, "command"), [])
            owners = writer.done().origins((*main, "command"))
            writer.graft((*main, "command"), ["env", *words, *command], {(): (*owners, self.because)})
        if podset.name in self.init:
            container = self.init[podset.name]
            writer.put((*task, "template", "spec", "initContainers", named(container["name"])), container, self.because)
        if podset.name in self.volumes:
            volume, mount = self.volumes[podset.name]
            writer.put((*task, "template", "spec", "volumes", named(volume["name"])), volume, self.because)
            writer.put((*main, "volumeMounts", (("mountPath", mount["mountPath"]),)), mount, self.because)

    def _order(self, writer: Writer, env: FieldPath, added: list[str]) -> None:
        """Move variables that refer to an added one behind it: a container replaces references to earlier variables only."""
        behind = set(added)
        for variable in list(writer.get(env, None) or ()):
            if variable["name"] not in added and behind.intersection(references(variable.get("value"))):
                behind.add(variable["name"])
                at: FieldPath = (*env, named(variable["name"]))
                origins = writer.done().origins(at)
                writer.put(at, None, self.because)
                writer.graft(at, variable, {(): origins})


# The ML policy torch, a fixed number of nodes -> plugin pytorch, and the variables of torchrun.
#
# `pytorch` adds MASTER_ADDR, MASTER_PORT, WORLD_SIZE (in pods) and RANK behind all other variables of a container, so that no
# variable can refer to them, but its command can. torchrun reads PET_* alone.


def _set_up_torch(result: Rendezvous, workload: Workload) -> list[Diagnostic]:
    """The plugin, if there are several tasks, and the place of each pod."""
    counts = workload.tree.value["counts"]
    roles = _trainers(workload)
    total = nodes(workload)
    problems = []
    if len(roles) > 1:
        master, worker = roles[0].name, roles[1].name
        result.plugins["pytorch"] = [f"--master={master}", f"--worker={worker}", f"--port={_PORT}"]
        if len(roles) > 2 or counts[master] != 1:
            names = ", ".join(podset.name for podset in roles)
            message = f"plugin pytorch supports one master pod and its workers, but the roles are {names}"
            hint = "define two roles, the first with one replica"
            return [Diagnostic("TJ416", message, path=("spec", "roles"), hint=hint)]
    for position, podset in enumerate(roles):
        variables: list[Tree] = [
            {"name": "PET_NNODES", "value": str(total)},
            {"name": "PET_NPROC_PER_NODE", "value": str(_processes_of(workload, podset))},
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
        variables.append({"name": "PET_MASTER_PORT", "value": str(_PORT)})
        result.variables[podset.name] = variables
    return problems


def _trainers(workload: Workload) -> list[PodSet]:
    """The roles that train. The master is the one that is called so, or else the first of a single pod; it comes first."""
    counts = workload.tree.value["counts"]
    return sorted(programs(workload), key=lambda podset: (podset.name != "master", counts[podset.name] != 1))


def _processes_of(workload: Workload, podset: PodSet) -> int | str:
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


# The ML policy mpi -> keys by plugin ssh, the host file next to the Job, and the variables by which mpirun finds both.

_FOLDER = "/etc/mpi"
_VOLUME = "mpi-hostfile"
_SSH_PORT = 22
_WAITING = "tjgen-workers"
_SCRIPT = """\
for host in $(echo "$MPI_HOST" | tr , ' '); do
  until ssh -o ConnectTimeout=5 "$host" true; do sleep 2; done
done
"""
"""The plugin gives the launcher and its init containers the names of the workers. All pods of the gang start together, and mpirun
stops if a worker's sshd does not run yet; a task that waits for another one would keep the gang from ever being complete."""
_COMPUTED = ("cpu", "memory")


def _set_up_mpi(rendezvous: Rendezvous, workload: Workload) -> list[Diagnostic]:
    """As plugin mpi of Trainer does it (v2.3.0 plugins/mpi), except the keys, which are Volcano's."""
    policy = get(workload.ml_policy, ("mpi",), None) or {}
    launchers = programs(workload)
    nodes = [podset for podset in workload.podsets if podset.name == NODE]
    if not launchers or not nodes or policy.get("mpiImplementation", "OpenMPI") != "OpenMPI":
        message = f"the runtime's MPI is {policy.get('mpiImplementation', 'OpenMPI')} with roles " + ", ".join(
            podset.name for podset in workload.podsets
        )
        hint = "use a runtime of OpenMPI with a launcher and a job called node"
        return [Diagnostic("TJ414", message, path=("spec", "runtime"), hint=hint)]
    launcher = launchers[0]
    keys = policy.get("sshAuthMountPath", "/root/.ssh")
    rendezvous.plugins["ssh"] = [f"--ssh-key-file-path={keys}"]
    port = get(workload.tree.value, (*nodes[0].main, "readinessProbe", "tcpSocket", "port"), _SSH_PORT)
    rendezvous.plugins["mpi"] = [f"--master={launcher.name}", f"--worker={NODE}", f"--port={port}"]
    slots = _slots(workload, policy)
    values = {
        "OMPI_MCA_orte_default_hostfile": f"{_FOLDER}/hostfile",
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_set_default_slots": str(slots),
        "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
    }
    rendezvous.variables[launcher.name] = [{"name": name, "value": value} for name, value in values.items()]
    name = f"{workload.name}-{_VOLUME}"
    rendezvous.volumes[launcher.name] = (
        {"name": _VOLUME, "configMap": {"name": name}},
        {"name": _VOLUME, "mountPath": _FOLDER},
    )
    rendezvous.init[launcher.name] = _waiting(get(workload.tree.value, launcher.main, {}))
    lines = [
        f"{workload.name}-{podset.name}-{index}.{workload.name} slots={slots}\n"
        for podset in workers(workload)
        for index in range(workload.tree.value["counts"][podset.name])
    ]
    metadata: Tree = {"name": name, "namespace": workload.namespace}
    labels = get(workload.tree.value, ("metadata", "labels"), None)
    if labels:
        metadata["labels"] = labels
    tree = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"hostfile": "".join(lines)}}
    rendezvous.objects.append(Manifest(tree, {(): (rendezvous.because,)}, RUNS))
    return []


def _waiting(main: Tree) -> Tree:
    """The container that waits, of the launcher's own image, which has ssh since mpirun starts programs by it."""
    own = main.get("resources") or {}
    resources = {
        bound: {key: value for key, value in (own.get(bound) or {}).items() if key in _COMPUTED}
        for bound in ("limits", "requests")
    }
    kept = {bound: amounts for bound, amounts in resources.items() if amounts}
    container: Tree = {"name": _WAITING, "image": main.get("image"), "command": ["/bin/sh", "-euc", _SCRIPT]}
    container |= {key: value for key, value in (("resources", kept), ("securityContext", main.get("securityContext"))) if value}
    return container


def _slots(workload: Workload, policy: Tree) -> int:
    per_node = get(workload.tree.value, ("trainer", "numProcPerNode"), None)
    if per_node is not None:
        return int(per_node)
    slots = int(policy.get("numProcPerNode", 1))
    if slots == 1:
        main_resources = get(workload.tree.value, (*workers(workload)[0].main, "resources"), None) or {}
        return max(resources.gpus(main_resources), 1)
    return slots


# `elastic` of a Volcano Job -> a gang of the minimum, and a rendezvous of torchrun with a changing number of nodes.
#
# The agents of torchrun meet at a store that the master keeps, and form their group again when one comes or goes (torch 2
# `distributed/elastic/rendezvous/c10d_rendezvous_backend.py`). Volcano starts the gang with `minAvailable` pods and the others
# when they fit, and accepts another number of workers while the Job runs.

CAUSE = Origin("target:volcanojob", "experiment", elastic.AT)
FINISHED = {"event": "TaskCompleted", "action": "CompleteJob"}
"""Policy of the master's task. The agents end together; pods that still wait for nodes would train again, alone."""
_LOST = ("PodEvicted", "PodFailed", "*")
_FOR_ALL = ("AbortJob", "TerminateJob", "RestartJob", "CompleteJob")
_PYTHON = ("python", "python3")


def least(workload: Workload) -> dict[str, int]:
    """Role -> pods with which the run starts: the master, and as many workers as the minimum needs."""
    bounds = elastic.bounds(workload)
    if bounds is None or not _is_torch(workload):
        return {}
    counts = workload.tree.value["counts"]
    result: dict[str, int] = {}
    left = int(bounds["min"])
    for podset in _trainers(workload):
        result[podset.name] = min(left, counts[podset.name])
        left -= result[podset.name]
    return result


def master(workload: Workload) -> str | None:
    """The role whose pod keeps the store of an elastic run, and ends with the run."""
    return next(iter(least(workload)), None)


def _set_up_elastic(result: Rendezvous, workload: Workload) -> list[Diagnostic]:
    """The variables of torchrun: PET_*, one for each of its arguments."""
    bounds = elastic.bounds(workload)
    roles = _trainers(workload)
    if len(roles) > 2 or workload.tree.value["counts"][roles[0].name] != 1:
        names = ", ".join(podset.name for podset in roles)
        message = f"an elastic run has one master pod, which hosts the rendezvous, and workers, but the roles are {names}"
        return [Diagnostic("TJ416", message, path=("spec", "roles"), hint="remove the roles, and set nodes")]
    for podset in roles:
        values = {
            "PET_NNODES": f"{bounds['min']}:{bounds['max']}",
            "PET_RDZV_BACKEND": "c10d",
            "PET_RDZV_ENDPOINT": f"{host(workload, roles[0].name)}:{_PORT}",
            "PET_RDZV_ID": workload.name,
            # Without it, torchrun compares the host name of the endpoint with that of the pod, which has no domain.
            "PET_RDZV_CONF": f"is_host={podset == roles[0]}".lower(),
            # Otherwise, processes of the new group read what those of the former one wrote (seen with torch 2.5).
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        }
        if bounds.get("restarts") is not None:
            values["PET_MAX_RESTARTS"] = str(bounds["restarts"])
        result.reasons.update(dict.fromkeys(values, CAUSE))
        variables = [{"name": name, "value": value} for name, value in values.items()]
        processes = {"name": "PET_NPROC_PER_NODE", "value": str(_processes_of(workload, podset))}
        result.variables[podset.name] = [processes, *variables]
    return []


def unsupported_elastic(workload: Workload) -> Iterator[Diagnostic]:
    """TJ425 for pods that torchrun does not start, and for an autoscaler; TJ433 and TJ424 for what contradicts the bounds."""
    bounds = elastic.bounds(workload)
    if not _is_torch(workload):
        hint = (
            f"use runtime: tjgen-torch; for pods that work alone, set schedule.minAvailable: {bounds['min']} instead of elastic"
        )
        yield _cannot("change its number of nodes: torchrun does not start its pods", elastic.AT, hint)
        return
    for podset in _trainers(workload):
        words = [*(get(workload.tree.value, (*podset.main, "command"), None) or ())]
        if words and words[0] in _PYTHON and not any(word.startswith("torch.distributed") for word in words):
            hint = "write the program in script instead of command: torchrun starts it"
            yield _cannot("change its number of nodes: its command does not call torchrun", elastic.AT, hint)
            return
    if bounds.get("metrics"):
        yield _cannot("scale by metrics: Volcano has no autoscaler", (*elastic.AT, "metrics"), "remove metrics")
    if nodes(workload) > 1 or bounds["max"] == 1:
        yield from elastic.outside(workload)
    else:
        message = f"a Volcano Job that is created with 1 node has no task worker, so it cannot grow to {bounds['max']} nodes"
        hint = f"set nodes: {bounds['max']}: the run starts with {bounds['min']} of them, and the others join when they fit"
        yield Diagnostic("TJ433", message, path=elastic.AT, hint=hint)
    if get(workload.tree.value, ("schedule", "minAvailable"), None) is not None:
        yield _twice(("schedule", "minAvailable"))
    for role in least(workload):
        if get(workload.tree.value, ("volcano", "tasks", role, "minAvailable"), None) is not None:
            yield _twice(("volcano", "tasks", role, "minAvailable"))
        yield from _ends(workload, ("volcano", "tasks", role))
    yield from _ends(workload, ("volcano",))


def _is_torch(workload: Workload) -> bool:
    return get(workload.ml_policy, ("torch",), None) is not None


def _ends(workload: Workload, at: FieldPath) -> Iterator[Diagnostic]:
    """Policies by which the loss of one pod is that of all."""
    for event, policy in (get(workload.tree.value, (*at, "policies"), None) or {}).items():
        if event in _LOST and policy.get("action") in _FOR_ALL:
            message = f"the policy {policy['action']} for {event} stops all pods of an elastic run when one is lost"
            hint = f"set {event}: RestartPod, or remove the policy: RestartPod is the default of an elastic run"
            yield Diagnostic("TJ424", message, path=("spec", *at, "policies", event), hint=hint)


def _twice(at: tuple[str, ...]) -> Diagnostic:
    message = f"elastic.min is the number of pods with which the run starts, and {'.'.join(at)} sets another"
    return Diagnostic("TJ433", message, path=("spec", *at), hint="remove minAvailable")


def _cannot(what: str, path: FieldPath, hint: str) -> Diagnostic:
    return Diagnostic("TJ425", f"a Volcano Job cannot {what}", path=path, hint=hint)
