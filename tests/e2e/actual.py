"""A manifest of an example, which shows no more than a reader needs -> one that the API server takes, in a namespace."""

from __future__ import annotations

import copy
from typing import Any

from tests.e2e.site import ANCESTOR

CLUSTERED = ("ClusterTrainingRuntime", "Queue", "PriorityClass", "StorageClass", "ClusterQueue", "ResourceFlavor")
RUNTIMES = ("TrainingRuntime", "ClusterTrainingRuntime")
TEAM = "team"
"""The namespace of most examples."""
TRAINING = "60"
"""How long pods train, in seconds."""
INITIALIZING = "40"
"""And how long those that come before."""
BOUND_AT_ONCE = "standard"
BOUND_WHEN_MOUNTED = "wait-for-consumer"
"""Storage classes of the rig."""
PROVISIONER = "storage.minicluster.example"


def actual(tree: Any, namespace: str, *, training: str = TRAINING, storage: str = BOUND_AT_ONCE) -> Any:
    """The manifest with what it leaves out, pods above all: `training` is how long they train, `storage` the default class."""
    tree = copy.deepcopy(tree)
    if tree["kind"] == "Namespace":
        tree["metadata"]["name"] = namespace
    elif "namespace" in tree["metadata"] and tree["kind"] not in CLUSTERED:
        said = tree["metadata"]["namespace"]
        tree["metadata"]["namespace"] = namespace if said == TEAM else f"{namespace}-{said}"
    group = tree["apiVersion"].partition("/")[0]
    if tree["kind"] in RUNTIMES:
        _jobset(tree["spec"].setdefault("template", {}).setdefault("spec", {}), training, runtime=True)
    elif tree["kind"] == "JobSet":
        _jobset(tree.setdefault("spec", {}), training)
    elif (group, tree["kind"]) == ("batch", "Job"):
        _pod(tree.setdefault("spec", {}).setdefault("template", {}), "", "job").setdefault("restartPolicy", "Never")
    elif tree["kind"] == "PersistentVolumeClaim":
        tree.setdefault("spec", {}).setdefault("accessModes", ["ReadWriteMany"])
        tree["spec"].setdefault("resources", {"requests": {"storage": "1Gi"}})
        tree["spec"].setdefault("storageClassName", storage)
    elif tree["kind"] == "StorageClass":
        tree["provisioner"] = PROVISIONER
    return tree


def _jobset(spec: Any, training: str, *, runtime: bool = False) -> None:
    spec["replicatedJobs"] = spec.get("replicatedJobs") or [{"name": "node"}]
    for one in spec["replicatedJobs"]:
        template = one.setdefault("template", {})
        steps = [name for name in ("dataset-initializer", "model-initializer") if one["name"] == name]
        if runtime:
            labels = template.setdefault("metadata", {}).setdefault("labels", {})
            labels.setdefault(ANCESTOR, steps[0] if steps else "trainer")
        _pod(template.setdefault("spec", {}).setdefault("template", {}), INITIALIZING if steps else training, one["name"])


def _pod(template: Any, training: str, name: str) -> Any:
    """The pod of a template. Where it trains, it takes its time."""
    pod = template.setdefault("spec", {})
    pod["containers"] = pod.get("containers") or [{"name": name}]
    for container in pod["containers"]:
        container.setdefault("image", "registry.example/train:1")
        if training:
            container["env"] = [*container.get("env", ()), {"name": "MINICLUSTER_SECONDS", "value": training}]
    return pod
