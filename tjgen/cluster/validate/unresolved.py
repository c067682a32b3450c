"""The complete set of objects -> the references in it to objects that do not exist (TJ532), for `tjgen check --closed`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.kinds.table import group_and_kind
from tjgen.cluster.trainer.inputs import Catalog, is_kind, runtime_of
from tjgen.cluster.trainer.refusals import CLUSTER_RUNTIME, RUNTIME
from tjgen.cluster.validate.gangs import Located
from tjgen.cluster.validate.references import (
    CLAIM,
    CLUSTER_QUEUE,
    CONFIG_MAP,
    DEVICE_CLASS,
    FLAVOR,
    LOCAL_QUEUE,
    PRIORITY_CLASS,
    SECRET,
    SERVICE_ACCOUNT,
    STORAGE_CLASS,
    VOLCANO_QUEUE,
    WORKLOAD_PRIORITY,
    Kind,
    ObjectReference,
    needed,
)
from tjgen.cluster.validate.report import subject_of
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.manifests.objects import Objects

Known = Mapping[Kind, Sequence[str]]
"""Kind -> names of objects that exist although no file has them, in every namespace."""

_CLUSTERED = (PRIORITY_CLASS, STORAGE_CLASS, DEVICE_CLASS, CLUSTER_QUEUE, FLAVOR, WORKLOAD_PRIORITY, VOLCANO_QUEUE)
_ALWAYS: dict[Kind, tuple[str, ...]] = {
    SERVICE_ACCOUNT: ("default",),
    CONFIG_MAP: ("kube-root-ca.crt",),
    PRIORITY_CLASS: ("system-cluster-critical", "system-node-critical"),
    VOLCANO_QUEUE: ("default", "root"),
}
"""Objects that every cluster has, or every one with Volcano."""
_MAKERS: dict[Kind, tuple[Kind, tuple[str, ...]]] = {
    ("bitnami.com", "SealedSecret"): (SECRET, ("spec", "template", "metadata", "name")),
    ("external-secrets.io", "ExternalSecret"): (SECRET, ("spec", "target", "name")),
    ("cert-manager.io", "Certificate"): (SECRET, ("spec", "secretName")),
    ("data.fluid.io", "Dataset"): (CLAIM, ("metadata", "name")),
}
"""A kind whose controller makes an object for others -> the kind of that object, and the field of its name."""


def unresolved(objects: Sequence[Located], present: Sequence[Tree], known: Known, catalog: Catalog) -> Iterator[Diagnostic]:
    """TJ532 for each reference of `objects` to an object that is neither among them, nor `present`, nor `known`.

    What a TrainJob's runtime names counts for the TrainJob. A runtime without a TrainJob names nothing. Device classes are
    looked for only if one is known: drivers bring theirs along.
    """
    names = _names([*present, *(one.tree for one in objects)], known)
    trees = Objects([one.tree for one in objects])
    for one in objects:
        if one.tree.__class__ is not dict or is_kind(one.tree, RUNTIME) or is_kind(one.tree, CLUSTER_RUNTIME):
            continue
        references = list(needed(one.tree))
        if is_kind(one.tree, "TrainJob"):
            runtime = runtime_of(one.tree, trees, catalog)
            references += [each._replace(path=("spec", "runtimeRef")) for each in needed(runtime)] if runtime is not None else []
        for reference in dict.fromkeys(references):
            if reference.kind == DEVICE_CLASS and not any(kind == DEVICE_CLASS for kind, _, _ in names):
                continue
            namespace = "" if reference.kind in _CLUSTERED else _namespace(one.tree)
            if (reference.kind, namespace, reference.name) not in names and (reference.kind, "*", reference.name) not in names:
                yield one.at(_missing(one.tree, reference, namespace, names))


def _names(trees: Sequence[Tree], known: Known) -> set[tuple[Kind, str, str]]:
    """Kind, namespace and name of everything that exists; "*" for every namespace."""
    names = {(kind, "*", name) for table in (_ALWAYS, known) for kind, given in table.items() for name in given}
    names |= {(kind, "", name) for kind, _, name in names if kind in _CLUSTERED}
    for tree in trees:
        if tree.__class__ is not dict:
            continue
        kind, name, namespace = group_and_kind(tree), str(get(tree, ("metadata", "name"), None) or ""), _namespace(tree)
        names.add((kind, "" if kind in _CLUSTERED else namespace, name))
        if kind in _MAKERS:
            kind_of_object, path = _MAKERS[kind]
            names.add((kind_of_object, namespace, str(get(tree, path, None) or name)))
        if kind == ("apps", "StatefulSet"):
            names |= {(CLAIM, namespace, claim) for claim in _claims(tree, name)}
    return names


def _claims(tree: Tree, name: str) -> Iterator[str]:
    """The claims that a StatefulSet makes."""
    templates, replicas = get(tree, ("spec", "volumeClaimTemplates"), None), get(tree, ("spec", "replicas"), 1)
    for template in templates if templates.__class__ is list else ():
        for number in range(replicas if replicas.__class__ is int else 1):
            yield f"{get(template, ('metadata', 'name'), '')}-{name}-{number}"


def _missing(tree: Tree, reference: ObjectReference, namespace: str, names: set[tuple[Kind, str, str]]) -> Diagnostic:
    kind, name, path = reference
    others = sorted(other for one, place, other in names if one == kind and place in (namespace, "*"))
    near = nearest(name, others)
    where = f" in namespace {namespace}" if namespace else ""
    declares = ", or declare it in the Platform" if kind in (STORAGE_CLASS, PRIORITY_CLASS, LOCAL_QUEUE, VOLCANO_QUEUE) else ""
    hint = f"did you mean {near}?" if near else f"add the {kind[1]} to the files{declares}"
    message = f"{kind[1]} {name} does not exist{where}: neither the files nor the Platform define it"
    return Diagnostic("TJ532", message, subject_of(tree), path, hint=hint)


def _namespace(tree: Tree) -> str:
    return str(get(tree, ("metadata", "namespace"), None) or "default")
