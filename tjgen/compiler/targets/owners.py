"""A run's own object -> the owner references that its controller writes into the objects that it creates."""

from __future__ import annotations

from tjgen.cluster.trainer.framework import PLACEHOLDER_UID
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import Manifest


def owned_by(job: Manifest) -> list[Tree]:
    """The reference of `metav1.NewControllerRef`, with a placeholder as UID."""
    reference = {"apiVersion": job.api_version, "kind": job.kind, "name": job.name, "uid": PLACEHOLDER_UID}
    return [{**reference, "blockOwnerDeletion": True, "controller": True}]
