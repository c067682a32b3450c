"""A TrainJob and the parts of an object -> the object that the controller owns, with its origins."""

from __future__ import annotations

from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

SNAPSHOT = "<runtime-snapshot>"
"""Placeholder for the copy of the live runtime."""
SNAPSHOT_SUFFIX = "-runtime-snapshot"
"""The name of the ConfigMap with the copy of the runtime, after that of the TrainJob."""


class CreatedObject(NamedTuple):
    """An object and who wrote its fields."""

    tree: dict[str, Tree]
    owners: Owners


def created_object(
    job: DecodedTrainJob, api_version: str, kind: str, suffix: str, body: dict[str, Tree], owners: Owners
) -> CreatedObject:
    """The object named after the TrainJob, in its namespace and owned by it."""
    tree: dict[str, Tree] = {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {
            "name": job.name + suffix,
            "namespace": job.namespace,
            "ownerReferences": [owner_reference(job)],
        },
        **body,
    }
    manager = owners[()][0].manager
    owners[("metadata", "name")] = (Origin(manager, "trainjob", ("metadata", "name"), mirrors=not suffix),)
    owners[("metadata", "namespace")] = (job.namespace_origin,)
    return CreatedObject(tree, owners)


def owner_reference(job: DecodedTrainJob) -> dict[str, Tree]:
    """The reference by which the TrainJob controls the object."""
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "name": job.name,
        "uid": job.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def snapshot(job: DecodedTrainJob) -> CreatedObject:
    """The ConfigMap with the runtime as it was when the TrainJob was first reconciled.

    Upstream: pkg/runtime/core `createRuntimeSnapshot`, v2.3.0. Its text is the live object, uid and
    managed fields included, so it is a placeholder.
    """
    owners: Owners = {
        (): (Origin("trainer", "tjgen"),),
        ("data", "runtime"): (Origin("trainer", "runtime"),),
    }
    return created_object(job, "v1", "ConfigMap", SNAPSHOT_SUFFIX, {"data": {"runtime": SNAPSHOT}}, owners)
