"""A manifest -> the sets of pods that its controller starts from it: role, number, and where the pod's template stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.fields.path import FieldPath, Tree, get, named
from tjgen.manifests.manifest import Manifest
from tjgen.typing import NamedTuple


class Pods(NamedTuple):
    """Pods of one template."""

    role: str
    number: int
    path: FieldPath
    """Where the template stands in the manifest."""
    template: Tree

    @property
    def spec(self) -> Tree:
        """The pod's spec."""
        return get(self.template, ("spec",), None) or {}


def starts_pods(manifest: Manifest) -> bool:
    """Whether a run's pods are started from it."""
    return (manifest.api_version.partition("/")[0], manifest.kind) in _KINDS


def pods_of(manifest: Manifest) -> Iterator[Pods]:
    """Nothing for kinds that start no pods, or whose pods are known from another object: a TrainJob's from its JobSet."""
    found = _KINDS.get((manifest.api_version.partition("/")[0], manifest.kind))
    if found is not None:
        yield from found(manifest.tree)


def _jobset(tree: Tree) -> Iterator[Pods]:
    for job in get(tree, ("spec", "replicatedJobs"), None) or []:
        parallelism = get(job, ("template", "spec", "parallelism"), None)
        count = int(job.get("replicas", 1)) * int(1 if parallelism is None else parallelism)
        path: FieldPath = ("spec", "replicatedJobs", named(job["name"]), "template", "spec", "template")
        yield Pods(job["name"], count, path, get(job, ("template", "spec", "template"), {}))


def _volcano(tree: Tree) -> Iterator[Pods]:
    for position, task in enumerate(get(tree, ("spec", "tasks"), None) or []):
        # The webhook names a task that has no name.
        step = named(task["name"]) if "name" in task else position
        name = task.get("name", f"default{position}")
        yield Pods(name, int(task.get("replicas", 0)), ("spec", "tasks", step, "template"), task["template"])


def _replicas(field: str) -> Callable[[Tree], Iterator[Pods]]:
    def found(tree: Tree) -> Iterator[Pods]:
        for role, spec in (get(tree, ("spec", field), None) or {}).items():
            count = spec.get("replicas")
            path: FieldPath = ("spec", field, role, "template")
            yield Pods(role.lower(), int(1 if count is None else count), path, spec.get("template") or {})

    return found


_KINDS = {
    ("jobset.x-k8s.io", "JobSet"): _jobset,
    ("batch.volcano.sh", "Job"): _volcano,
    ("kubeflow.org", "PyTorchJob"): _replicas("pytorchReplicaSpecs"),
    ("kubeflow.org", "TFJob"): _replicas("tfReplicaSpecs"),
    ("kubeflow.org", "MPIJob"): _replicas("mpiReplicaSpecs"),
    ("kubeflow.org", "XGBoostJob"): _replicas("xgbReplicaSpecs"),
    ("kubeflow.org", "JAXJob"): _replicas("jaxReplicaSpecs"),
}
