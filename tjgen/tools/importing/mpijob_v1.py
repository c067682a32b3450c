"""An MPIJob of kubeflow.org/v1, whose operator is retired -> the closest one of v2beta1, and the differences."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.fields.path import FieldPath, Tree, get

API_VERSION = "kubeflow.org/v1"
_NEXT = "kubeflow.org/v2beta1"
_REMOVED_FIELDS = ("mainContainer", "cleanPodPolicy")
"""Fields of v1 in addition to the policies; the second is in `runPolicy`, too."""


def is_of_v1(tree: Tree) -> bool:
    """Whether an object is such a job."""
    return (tree.get("apiVersion"), tree.get("kind")) == (API_VERSION, "MPIJob")


def successor(tree: Tree) -> Tree:
    """The job of v2beta1."""
    spec = tree.get("spec") or {}
    kept = {key: value for key, value in spec.items() if key not in _REMOVED_FIELDS}
    policy = kept.get("runPolicy") or {}
    if spec.get("cleanPodPolicy") is not None and policy.get("cleanPodPolicy") is None:
        kept["runPolicy"] = {**policy, "cleanPodPolicy": spec["cleanPodPolicy"]}
    return {**tree, "apiVersion": _NEXT, "spec": kept}


def differences(tree: Tree) -> Iterator[tuple[str, str, FieldPath]]:
    """What is different, what to do about it, and the field that it is about."""
    yield (
        f"it becomes an MPIJob of {_NEXT}, whose launcher starts processes by SSH: that of v1 did it by kubectl",
        "use an image with an SSH server, which the workers run, such as those of mpioperator",
        ("apiVersion",),
    )
    if get(tree, ("spec", "mainContainer"), None) is not None:
        yield f"{_NEXT} has no mainContainer", "make the main container the first one", ("spec", "mainContainer")
