"""Objects next to imported jobs -> the files of a Platform: queues and flavors as fields, the others as manifests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import find
from tjgen.gitops.bundle import kueue, volcano
from tjgen.language.spec.objects import PlatformSpec
from tjgen.tools.importing.remaining import ObjectIdentity
from tjgen.tools.importing.trainjob import author_labels
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.canonical_quantities import canonical_amount
from tjgen.trees.source.compact_writer import dump_compact
from tjgen.trees.source.writer import dump

FILE = "platform.yaml"
"""The Platform, in its folder."""
NAME = "cluster"
_MANIFESTS = "manifests"
_HEAD = "# Imported from the queues, claims, ConfigMaps and Services next to the jobs.\n"
_VOLCANO = ("weight", "reclaimable", "parent", "priority", "deserved")
_FLAVOR = {"nodeLabels": "nodeLabels", "nodeTaints": "nodeTaints", "tolerations": "tolerations", "topologyName": "topology"}
_AMOUNTS = ("capability", "deserved", "capacity", "resource", "nominalQuota")
"""Fields of queues with quantities."""
_DEFAULTS = {"Queue": {"weight": 1, "reclaimable": True}}
"""Kind -> what its webhook adds: volcano v1.13 `pkg/webhooks/admission/queues/mutate`."""


def platform_files(trees: Sequence[Tree], queues: Collection[str], *, has_fields: bool = True) -> dict[str, str]:
    """File below the folder of the Platform -> its text. `queues`: those that experiments name.

    Without `has_fields`, all objects are manifests that the Platform includes.
    """
    spec: Tree = {}
    covered: set[ObjectIdentity] = set()
    for fields, objects in _fields(trees) if has_fields else ():
        if _results_in(fields, objects):
            covered.update(map(ObjectIdentity.of, objects))
            for section, entries in fields.items():
                known = spec.setdefault(section, {})
                known |= {name: entry for name, entry in entries.items() if name not in known}
    if "queues" in spec:
        spec["queues"] |= {name: {} for name in sorted(queues) if name not in spec["queues"]}
    files = {file_of(tree): dump(tree) for tree in trees if ObjectIdentity.of(tree) not in covered}
    if files:
        spec["manifests"] = [_MANIFESTS]
    platform = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Platform", "metadata": {"name": NAME}, "spec": spec}
    return {FILE: _HEAD + dump_compact(platform), **files}


def file_of(tree: Tree) -> str:
    """The file of an object that the Platform includes."""
    identity = ObjectIdentity.of(tree)
    folder = f"{identity.namespace}/" if get(tree, ("metadata", "namespace"), None) else ""
    return f"{_MANIFESTS}/{folder}{identity.kind.lower()}-{identity.name}.yaml"


def queues_of(experiments: Sequence[Tree]) -> set[str]:
    """The queues that experiments name."""
    return {name for one in experiments if (name := get(one, ("spec", "schedule", "queue"), None))}


def _fields(trees: Sequence[Tree]) -> Iterator[tuple[Tree, list[Tree]]]:
    """The fields of a Platform for each object or group of objects, and the objects."""
    for tree in trees:
        name, spec = tree["metadata"]["name"], tree.get("spec") or {}
        if tree["kind"] == "Queue":
            yield {"queues": {name: _volcano(spec)}}, [tree]
        elif tree["kind"] == "ResourceFlavor":
            flavor = {word: spec[field] for field, word in _FLAVOR.items() if spec.get(field)}
            yield {"flavors": {name: flavor}}, [tree]
    # The flavors first: a queue adds those that exist.
    for tree in trees:
        if tree["kind"] == "ClusterQueue":
            local = [one for one in trees if _is_local(one, tree["metadata"]["name"])]
            yield _kueue(tree, local), [tree, *local]


def _volcano(spec: Tree) -> Tree:
    create = {field: spec[field] for field in _VOLCANO if field in spec}
    guarantee = get(spec, ("guarantee", "resource"), None)
    if guarantee:
        create["guarantee"] = guarantee
    if spec.get("extendClusters"):
        create["extendClusters"] = {
            one.get("name", ""): {field: one[field] for field in ("weight", "capacity") if field in one}
            for one in spec["extendClusters"]
        }
    capability = {"capability": spec["capability"]} if spec.get("capability") else {}
    return {**capability, "create": {"volcano": create}}


def _is_local(tree: Tree, queue: str) -> bool:
    name, of_queue = (get(tree, path, None) for path in (("metadata", "name"), ("spec", "clusterQueue")))
    return bool(tree["kind"] == "LocalQueue" and name == of_queue == queue)


def _kueue(tree: Tree, local: Sequence[Tree]) -> Tree:
    spec = tree.get("spec") or {}
    flavors = [
        {"name": flavor["name"], "quota": {one["name"]: one.get("nominalQuota") for one in flavor.get("resources") or []}}
        for group in spec.get("resourceGroups") or []
        for flavor in group.get("flavors") or []
    ]
    create: Tree = {"namespaces": [one["metadata"]["namespace"] for one in local], "flavors": flavors}
    words = {"cohortName": "cohort", "queueingStrategy": "strategy", "preemption": "preemption"}
    create |= {word: spec[field] for field, word in words.items() if spec.get(field)}
    existing = {one["name"]: {"exists": True} for one in flavors}
    return {"queues": {tree["metadata"]["name"]: {"create": {"kueue": create}}}, "flavors": existing}


def _results_in(fields: Tree, objects: Sequence[Tree]) -> bool:
    """Whether a Platform with these fields creates exactly these objects."""
    spec = PlatformSpec(fields)
    built = [one.tree for maker in (volcano.objects, kueue.objects) for one in maker(spec)]
    given, wanted = ({ObjectIdentity.of(tree): _comparable(tree) for tree in trees} for trees in (built, objects))
    return given == wanted


def _comparable(tree: Tree) -> Tree:
    """An object as a cluster stores it, without the labels of tjgen."""
    schema = find(tree["apiVersion"], tree["kind"])
    whole = {**tree, "spec": {**_DEFAULTS.get(tree["kind"], {}), **_canonical(tree.get("spec") or {})}}
    whole = with_defaults(whole, schema) if schema is not None else whole
    metadata = whole["metadata"]
    annotations = metadata.get("annotations") or {}
    return {"apiVersion": whole["apiVersion"], "labels": author_labels(whole), "annotations": annotations, "spec": whole["spec"]}


def _canonical(tree: Tree, *, is_amount: bool = False) -> Tree:
    """The quantities of a queue as the API server prints them."""
    if tree.__class__ is dict:
        return {key: _canonical(value, is_amount=is_amount or key in _AMOUNTS) for key, value in tree.items()}
    if tree.__class__ is list:
        return [_canonical(item) for item in tree]
    return canonical_amount(tree) if is_amount else tree
