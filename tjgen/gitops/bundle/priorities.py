"""`priorityClasses` -> PriorityClasses."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.bundle.asked import SPEC, Asked, manifest
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.manifest import Manifest


def objects(spec: PlatformSpec) -> Iterator[Manifest]:
    """A class for each."""
    for name, one in spec.priority_classes.items():
        at: FieldPath = (*SPEC, "priorityClasses", name)
        rest: Tree = {"value": Asked(one.value, (*at, "value"))}
        if one.global_default:
            rest["globalDefault"] = Asked(True, (*at, "globalDefault"))
        rest["preemptionPolicy"] = Asked(one.preemption_policy, (*at, "preemptionPolicy"))
        if one.description is not None:
            rest["description"] = Asked(one.description, (*at, "description"))
        yield manifest("scheduling.k8s.io/v1", "PriorityClass", {"name": name}, rest, at)
