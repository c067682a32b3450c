"""An MPIJob of kubeflow.org/v2beta1 -> what the MPI Operator has against it.

The operator has no webhook: the API server takes such a job, and its controller reports an event and leaves the job alone.
Upstream: mpi-operator v0.8.0 `pkg/apis/kubeflow/validation/validation.go:ValidateMPIJob`, called after `v2beta1/default.go`
has filled gaps.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place, at
from tjgen.cluster.validate.wording import quote
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.syntax import dns1035_label

LAUNCHER, WORKER = "Launcher", "Worker"
MANAGERS = ("kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue")
_CLEAN = ("All", "None", "Running")
_IMPLEMENTATIONS = ("Intel", "MPICH", "OpenMPI")
_RESTARTS = ("Never", "OnFailure")
_NOT_NEGATIVE = "must be greater than or equal to 0"


def faults(tree: Tree) -> Iterator[Fault]:
    """What keeps the operator from running a job that the server has taken."""
    yield from _name(tree)
    spec = get(tree, ("spec",), None) or {}
    place = at(("spec", "mpiReplicaSpecs"))
    specs = spec.get("mpiReplicaSpecs")
    if specs is None:
        yield place.required("must have replica specs")
    else:
        yield from _launcher(specs.get(LAUNCHER), place.key(LAUNCHER))
        yield from _worker(specs.get(WORKER), place.key(WORKER))
    if (spec.get("slotsPerWorker") or 0) < 0:
        yield at(("spec", "slotsPerWorker")).invalid(spec["slotsPerWorker"], _NOT_NEGATIVE)
    yield from _run_policy(spec.get("runPolicy") or {}, at(("spec", "runPolicy")))
    implementation = spec.get("mpiImplementation") or "OpenMPI"
    if implementation not in _IMPLEMENTATIONS:
        yield at(("spec", "mpiImplementation")).not_supported(implementation, _IMPLEMENTATIONS)


def _name(tree: Tree) -> Iterator[Fault]:
    """The host of the last worker must be a DNS label."""
    name = get(tree, ("metadata", "name"), None) or ""
    count = get(tree, ("spec", "mpiReplicaSpecs", WORKER, "replicas"), None) or 0
    host = f"{name}-worker-{max(count, 1) - 1}"
    messages = dns1035_label(host)
    if messages:
        words = f"will not able to create pod and service with invalid DNS label {quote(host)}: {', '.join(messages)}"
        yield at(("metadata", "name")).invalid(name, words)._replace(hint="use a shorter name of small letters, digits and -")


def _run_policy(policy: Tree, place: Place) -> Iterator[Fault]:
    clean = policy.get("cleanPodPolicy")
    if clean is not None and clean not in _CLEAN:
        yield place.child("cleanPodPolicy").not_supported(clean, _CLEAN)
    for name in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit"):
        if (policy.get(name) or 0) < 0:
            yield place.child(name).invalid(policy[name], _NOT_NEGATIVE)
    manager = policy.get("managedBy")
    if manager is not None and manager not in MANAGERS:
        yield place.child("managedBy").not_supported(manager, MANAGERS)


def _launcher(spec: Tree, place: Place) -> Iterator[Fault]:
    if spec is None:
        yield place.required("must have Launcher replica spec")
        return
    yield from _replica(spec, place)
    if spec.get("replicas") not in (None, 1):
        yield place.child("replicas").invalid(spec["replicas"], "must be 1")


def _worker(spec: Tree, place: Place) -> Iterator[Fault]:
    if spec is None:
        return
    yield from _replica(spec, place)
    count = spec.get("replicas") or 0
    if count <= 0:
        yield place.child("replicas").invalid(count, "must be greater than or equal to 1")


def _replica(spec: Tree, place: Place) -> Iterator[Fault]:
    restart = spec.get("restartPolicy")
    if restart and restart not in _RESTARTS:
        yield place.child("restartPolicy").not_supported(restart, _RESTARTS)
    if not get(spec, ("template", "spec", "containers"), None):
        yield place.child("template", "spec", "containers").required("must define at least one container")
