"""`topologies`, `flavors`, and `queues` with `create.kueue` -> Topologies, ResourceFlavors, ClusterQueues, and LocalQueues.

Kueue 0.15 introduced v1beta2, whose field for a cohort is `cohortName`; Topologies were v1alpha1 before 0.14. The Platform sets
the release of the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.gitops.bundle.manifest import SPEC, manifest
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Flavor, KueueQueue, PlatformSpec, Queue
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.manifests.sourced import Sourced

_GROUP = "kueue.x-k8s.io"
_NEWER, _FIRST_TOPOLOGIES = (0, 15), (0, 14)
_NAMESPACE = "kubernetes.io/metadata.name"
Amounts = Mapping[str, "str | int | float"]


def objects(spec: PlatformSpec) -> Iterator[Manifest]:
    """What queues take from first, then the queues."""
    release = tuple([int(part) for part in (spec.cluster.kueue or "").split(".")[:2] if part]) or _NEWER
    api_version = f"{_GROUP}/{'v1beta2' if release >= _NEWER else 'v1beta1'}"
    for name, topology in spec.topologies.items():
        if not topology.exists:
            levels = Sourced([{"nodeLabel": label} for label in topology.levels], (*SPEC, "topologies", name, "levels"))
            version = api_version if release >= _FIRST_TOPOLOGIES else f"{_GROUP}/v1alpha1"
            yield manifest(version, "Topology", {"name": name}, {"spec": {"levels": levels}}, (*SPEC, "topologies", name))
    for name, flavor in spec.flavors.items():
        if not flavor.exists:
            yield _flavor(api_version, name, flavor, (*SPEC, "flavors", name))
    for name, queue in spec.queues.items():
        create = queue.create.kueue if queue.create is not None else None
        if create is None:
            continue
        at: FieldPath = (*SPEC, "queues", name, "create", "kueue")
        if not create.flavors and name not in spec.flavors:
            yield manifest(api_version, "ResourceFlavor", {"name": name}, {"spec": {}}, at)
        yield _cluster_queue(api_version, name, queue, create, at)
        for position, namespace in enumerate(create.namespaces):
            metadata = {"name": name, "namespace": Sourced(namespace, (*at, "namespaces", position))}
            yield manifest(api_version, "LocalQueue", metadata, {"spec": {"clusterQueue": name}}, at)


def shares(name: str, queue: Queue) -> list[tuple[str, Amounts]]:
    """Each flavor, with what the queue has of it."""
    create = queue.create.kueue if queue.create is not None else None
    return (
        [(one.name, one.quota) for one in create.flavors] if create is not None and create.flavors else [(name, queue.capability)]
    )


def _flavor(api_version: str, name: str, flavor: Flavor, at: FieldPath) -> Manifest:
    fields: Tree = {}
    if flavor.node_labels:
        fields["nodeLabels"] = Sourced(dict(flavor.node_labels), (*at, "nodeLabels"), mirrors=True)
    if flavor.node_taints:
        fields["nodeTaints"] = Sourced(list(flavor.node_taints), (*at, "nodeTaints"), mirrors=True)
    if flavor.tolerations:
        fields["tolerations"] = Sourced(list(flavor.tolerations), (*at, "tolerations"), mirrors=True)
    if flavor.topology is not None:
        fields["topologyName"] = Sourced(flavor.topology, (*at, "topology"))
    return manifest(api_version, "ResourceFlavor", {"name": name}, {"spec": fields}, at)


def _cluster_queue(api_version: str, name: str, queue: Queue, create: KueueQueue, at: FieldPath) -> Manifest:
    shared = shares(name, queue)
    # Every flavor of a group has to speak of every resource of it, in one order.
    covered = list(dict.fromkeys(resource for _, amounts in shared for resource in amounts))
    source: FieldPath = (*at, "flavors") if create.flavors else (*SPEC, "queues", name, "capability")
    flavors = []
    for position, (flavor, amounts) in enumerate(shared):
        place: FieldPath = (*source, position, "quota") if create.flavors else source
        resources = [
            {"name": resource, "nominalQuota": Sourced(text(amounts.get(resource, 0)), (*place, resource))}
            for resource in covered
        ]
        flavors.append(
            {"name": Sourced(flavor, (*source, position, "name") if create.flavors else source), "resources": resources}
        )
    chosen = {"matchExpressions": [{"key": _NAMESPACE, "operator": "In", "values": sorted(set(create.namespaces))}]}
    fields: Tree = {
        "namespaceSelector": Sourced(chosen, (*at, "namespaces")),
        "queueingStrategy": Sourced(create.strategy, (*at, "strategy")),
        "resourceGroups": [{"coveredResources": Sourced(covered, source), "flavors": flavors}],
    }
    if create.cohort is not None:
        field = "cohortName" if api_version.endswith("2") else "cohort"
        fields[field] = Sourced(create.cohort, (*at, "cohort"))
    if create.preemption:
        fields["preemption"] = Sourced(dict(create.preemption), (*at, "preemption"), mirrors=True)
    return manifest(api_version, "ClusterQueue", {"name": name}, {"spec": fields}, at)
