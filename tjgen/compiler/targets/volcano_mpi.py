"""The ML policy mpi -> keys by plugin ssh, the host file next to the Job, and the variables by which mpirun finds both."""

from __future__ import annotations

from tjgen.cluster.trainer import resources
from tjgen.compiler.targets.volcano_additions import Rendezvous
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.manifest import RUNS, Manifest
from tjgen.trees.workload.roles import programs, workers
from tjgen.trees.workload.workload import NODE, Workload

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


def set_up(rendezvous: Rendezvous, workload: Workload) -> list[Diagnostic]:
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
