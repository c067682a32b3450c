"""A TrainJob -> the runtime that it refers to, and its place in a new catalog."""

from __future__ import annotations

from tjgen.language.catalog.find import Catalog
from tjgen.language.catalog.importer import cleaned
from tjgen.language.catalog.runtime import NAMESPACED_KIND
from tjgen.tools.importing.imported import ImportedObject
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.source.writer import dump


def runtime_of(job: ImportedObject, known: dict[tuple[str, str, str], Tree], elsewhere: Catalog) -> Tree:
    """The runtime of a TrainJob, among the `known` ones or in a catalog; None without any."""
    reference = get(job.tree, ("spec", "runtimeRef"), None)
    if reference.__class__ is not dict:
        return None
    kind, name = reference_of(job.tree)
    referenced = next((known[key] for key in keys_of(job) if key in known), None)
    if referenced is None:
        runtime, _ = elsewhere.find(name, kind=kind, namespace=job.namespace)
        referenced = runtime.tree if runtime is not None else None
    return referenced


def added_to(runtime: Tree, known: dict[tuple[str, str, str], Tree]) -> dict[str, str]:
    """The file of a runtime that is not yet `known`: one from elsewhere belongs to the new catalog, too."""
    metadata = runtime["metadata"]
    key = (str(runtime["kind"]), str(metadata.get("namespace") or ""), str(metadata["name"]))
    if key in known:
        return {}
    known[key] = cleaned(runtime)
    return {f"{key[1]}/{key[2]}.yaml" if key[1] else f"{key[2]}.yaml": dump(known[key])}


def keys_of(job: ImportedObject) -> list[tuple[str, str, str]]:
    """Kind, namespace and name of the runtimes that a TrainJob can refer to."""
    kind, name = reference_of(job.tree)
    return [(kind, place, name) for place in ((job.namespace, "") if kind == NAMESPACED_KIND else ("",))]


def reference_of(tree: Tree) -> tuple[str, str]:
    """The kind and the name of the runtime of a TrainJob."""
    reference = get(tree, ("spec", "runtimeRef"), None) or {}
    return _kind(reference), str(reference.get("name"))


def _kind(reference: Tree) -> str:
    return str(reference.get("kind") or "ClusterTrainingRuntime")
