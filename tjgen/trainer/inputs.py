"""Documents -> the expansion of each TrainJob among them, with the runtime that it refers to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tjgen.fields.path import Tree, get
from tjgen.trainer.framework import PLACEHOLDER_UID, Expansion, expand
from tjgen.trainer.refusals import CLUSTER_RUNTIME, GROUP
from tjgen.typing import Any

Catalog = Callable[[str, str, str], "Tree | None"]
"""Kind, namespace and name of a runtime -> the runtime, or None."""


def expand_documents(trees: Sequence[Tree], catalog: Catalog | None = None) -> list[tuple[Tree, Expansion]]:
    """Each TrainJob of `trees`, in their order, with its expansion.

    A runtime is looked for among the documents first, then in the catalog. The n-th TrainJob gets
    the placeholder uid that ends in n.
    """
    trainjobs = [tree for tree in trees if is_kind(tree, "TrainJob")]
    return [
        (tree, expand(tree, runtime_of(tree, trees, catalog), uid=f"{PLACEHOLDER_UID[:-12]}{number:012d}"))
        for number, tree in enumerate(trainjobs, 1)
    ]


def runtime_of(trainjob: Tree, trees: Sequence[Tree], catalog: Catalog | None = None) -> Tree | None:
    """The runtime that a TrainJob refers to; of two with one name the last counts, as when both are applied."""
    reference: Any = get(trainjob, ("spec", "runtimeRef"), {})
    if reference.__class__ is not dict:
        return None
    kind, name = reference.get("kind") or CLUSTER_RUNTIME, reference.get("name")
    namespace = "" if kind == CLUSTER_RUNTIME else _namespace(trainjob)
    for tree in reversed(trees):
        same_place = not namespace or _namespace(tree) == namespace
        if is_kind(tree, kind) and same_place and get(tree, ("metadata", "name"), None) == name:
            return tree
    return catalog(kind, namespace, str(name)) if catalog is not None else None


def is_kind(tree: Tree, kind: str) -> bool:
    """Whether the document is an object of that kind of Trainer."""
    if tree.__class__ is not dict or tree.get("kind") != kind:
        return False
    return str(tree.get("apiVersion")).partition("/")[0] == GROUP


def _namespace(tree: Tree) -> str:
    return get(tree, ("metadata", "namespace"), None) or "default"
