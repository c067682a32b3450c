"""Manifests -> what a site has before they are synced: classes, the claims that they mount and the runtimes that they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.e2e.rig import apply, live

CLAIM = "PersistentVolumeClaim"
TRAINER = "trainer.kubeflow.org/v1alpha1"
ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
EVERYWHERE = {"system-cluster-critical", "system-node-critical"}
"""Priority classes of every cluster."""


def furnish(manifests: Sequence[Any], previews: Sequence[Any] = ()) -> None:
    """Make what manifests, or what comes of them, need and do not bring."""
    brought = {(one["kind"], one["metadata"].get("namespace", ""), one["metadata"].get("name", "")) for one in manifests}
    # Trainer refuses a run of Volcano that names a class which is not there.
    priorities = named("priorityClassName", [*manifests, *previews]) - EVERYWHERE
    apply([priority_class(name) for name in sorted(priorities) if ("PriorityClass", "", name) not in brought])
    # Argo CD creates no run before its data is prepared, and a Job that waits for a claim never ends.
    storage = {one["metadata"]["name"]: one for one in live("storageclass")}
    waiting = next(one for one in storage.values() if one["volumeBindingMode"] == "WaitForFirstConsumer")
    lacking = named("storageClassName", manifests) - set(storage)
    apply([{**waiting, "metadata": {"name": name}} for name in sorted(lacking) if ("StorageClass", "", name) not in brought])
    mounted = {(CLAIM, one["metadata"].get("namespace", ""), name) for one in manifests for name in named("claimName", one)}
    apply([claim(namespace, name) for _, namespace, name in sorted(mounted - brought)])


def named(key: str, tree: Any) -> set[str]:
    """The texts that a key has anywhere in a tree."""
    if isinstance(tree, list | tuple):
        return set().union(*(named(key, one) for one in tree))
    if not isinstance(tree, dict):
        return set()
    here = {tree[key]} if isinstance(tree.get(key), str) else set()
    return set().union(here, *(named(key, one) for one in tree.values()))


def priority_class(name: str) -> Any:
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 1000}


def claim(namespace: str, name: str) -> Any:
    """A claim of the default class, which is bound at once."""
    return {
        "apiVersion": "v1",
        "kind": CLAIM,
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
    }
