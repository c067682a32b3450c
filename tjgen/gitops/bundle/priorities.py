"""`priorityClasses` -> PriorityClasses."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.bundle.manifest import SPEC, manifest
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.manifests.sourced import Sourced


def objects(spec: PlatformSpec) -> Iterator[Manifest]:
    """A class for each that does not exist already."""
    for name, one in spec.priority_classes.items():
        if one.exists:
            continue
        at: FieldPath = (*SPEC, "priorityClasses", name)
        rest: Tree = {"value": Sourced(one.value, (*at, "value"))}
        if one.global_default:
            rest["globalDefault"] = Sourced(True, (*at, "globalDefault"))
        rest["preemptionPolicy"] = Sourced(one.preemption_policy, (*at, "preemptionPolicy"))
        if one.description is not None:
            rest["description"] = Sourced(one.description, (*at, "description"))
        yield manifest("scheduling.k8s.io/v1", "PriorityClass", {"name": name}, rest, at)
