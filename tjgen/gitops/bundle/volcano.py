"""`queues` with `create.volcano` -> Queues of Volcano."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.gitops.bundle.manifest import SPEC, manifest
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import ExtendCluster, PlatformSpec
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.manifests.sourced import Sourced

API_VERSION = "scheduling.volcano.sh/v1beta1"
ROOT = "root"


def objects(spec: PlatformSpec) -> Iterator[Manifest]:
    """A Queue for each that is to be created, those further up first."""
    for name in sorted((name for name in spec.queues if depth(spec, name)), key=lambda name: depth(spec, name)):
        queue = spec.queues[name]
        create = queue.create.volcano if queue.create is not None else None
        assert create is not None, "what has a depth is created"
        at: FieldPath = (*SPEC, "queues", name)
        own: FieldPath = (*at, "create", "volcano")
        fields: Tree = {
            "weight": Sourced(create.weight, (*own, "weight")),
            # Written out, since the webhook would: what it fills in is not a difference then.
            "reclaimable": Sourced(create.reclaimable, (*own, "reclaimable")),
        }
        if create.parent is not None:
            fields["parent"] = Sourced(create.parent, (*own, "parent"))
        if create.priority is not None:
            fields["priority"] = Sourced(create.priority, (*own, "priority"))
        if queue.capability:
            fields["capability"] = amounts(queue.capability, (*at, "capability"))
        if create.deserved:
            fields["deserved"] = amounts(create.deserved, (*own, "deserved"))
        if create.guarantee:
            fields["guarantee"] = {"resource": amounts(create.guarantee, (*own, "guarantee"))}
        if create.extend_clusters:
            clusters: FieldPath = (*own, "extendClusters")
            fields["extendClusters"] = [_cluster(name, one, (*clusters, name)) for name, one in create.extend_clusters.items()]
        yield manifest(API_VERSION, "Queue", {"name": name}, {"spec": fields}, own)


def _cluster(name: str, described: ExtendCluster, at: FieldPath) -> Tree:
    fields: Tree = {"name": Sourced(name, at)}
    if described.weight is not None:
        fields["weight"] = Sourced(described.weight, (*at, "weight"))
    if described.capacity:
        fields["capacity"] = amounts(described.capacity, (*at, "capacity"))
    return fields


def amounts(amounts_of_queue: Mapping[str, str | int | float], because: FieldPath) -> Tree:
    """Quantities as texts, as the API server gives them back: a number would differ from what it holds."""
    return {key: Sourced(text(value), (*because, key)) for key, value in amounts_of_queue.items()}


def depth(spec: PlatformSpec, name: str) -> int:
    """Return the number of ancestor Queues in the platform, itself included; 0 if the platform has no Queue of that name."""
    levels = 0
    seen: set[str] = set()
    while name not in seen:
        seen.add(name)
        queue = spec.queues.get(name)
        create = queue.create.volcano if queue is not None and queue.create is not None else None
        if create is None:
            break
        levels += 1
        name = create.parent or ROOT
    return levels
