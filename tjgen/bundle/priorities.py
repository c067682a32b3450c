"""`priorityClasses` -> PriorityClasses."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.bundle.asked import SPEC, Asked, manifest
from tjgen.fields.path import FieldPath, Tree
from tjgen.manifests.manifest import Manifest
from tjgen.spec.objects import PlatformSpec


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
