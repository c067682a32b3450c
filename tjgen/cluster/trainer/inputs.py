"""Documents -> the expansion of each TrainJob among them, with the runtime that it refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tjgen.cluster.trainer.framework import PLACEHOLDER_UID, Expansion, expand
from tjgen.cluster.trainer.refusals import CLUSTER_RUNTIME, GROUP, RUNTIME
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.generated_names import named
from tjgen.trees.manifests.objects import Objects, indexed
from tjgen.trees.session import Session
from tjgen.trees.typing import Any, NamedTuple

Catalog = Callable[[str, str, str], "Tree | None"]
"""Kind, namespace and name of a runtime -> the runtime, or None."""


class Expanded(NamedTuple):
    """A TrainJob, its runtime (None if it does not exist), and the result of the controller for the two."""

    trainjob: Tree
    runtime: Tree | None
    expansion: Expansion


class TrainJobInput(NamedTuple):
    """The input of an expansion."""

    tree: Tree
    runtime: Tree | None
    uid: str


def expand_documents(
    trees: Sequence[Tree], catalog: Catalog | None = None, *, release: Release = NEWEST
) -> list[tuple[Tree, Expansion]]:
    """Each TrainJob of `trees`, in their order, with its expansion.

    A List counts as its items. A runtime is looked for among the documents first, then in the
    catalog. The n-th TrainJob gets the placeholder uid that ends in n.
    """
    return [(one.trainjob, one.expansion) for one in expanded(opened(trees), catalog, release=release)]


def expanded(
    objects: Sequence[Tree], catalog: Catalog | None = None, *, release: Release = NEWEST, session: Session | None = None
) -> list[Expanded]:
    """Each TrainJob among `objects`, in their order, with its runtime and its expansion, as `expand_documents` finds them."""
    session = session or Session()
    return [
        Expanded(one.tree, one.runtime, expand(one.tree, one.runtime, uid=one.uid, release=release, session=session))
        for one in trainjobs(objects, catalog)
    ]


def trainjobs(objects: Sequence[Tree], catalog: Catalog | None = None) -> Iterator[TrainJobInput]:
    """Each TrainJob among `objects`, in their order, with its runtime and its uid."""
    uids: dict[tuple[str, str], str] = {}
    runtimes = Objects([tree for tree in objects if is_kind(tree, RUNTIME) or is_kind(tree, CLUSTER_RUNTIME)])
    for tree in objects:
        if is_kind(tree, "TrainJob"):
            key = (_namespace(tree), str(get(tree, ("metadata", "name"))))
            uid = uids.setdefault(key, f"{PLACEHOLDER_UID[:-12]}{len(uids) + 1:012d}")
            yield TrainJobInput(tree, runtime_of(tree, runtimes, catalog), uid)


def opened(trees: Sequence[Tree]) -> list[Tree]:
    """The documents, with the items of Lists in their place, as kubectl reads them."""
    result: list[Tree] = []
    for tree in map(named, trees):
        items = tree.get("items") if tree.__class__ is dict and tree.get("kind") == "List" else None
        result += map(named, items) if items.__class__ is list else [tree]
    return result


def runtime_of(trainjob: Tree, trees: Sequence[Tree], catalog: Catalog | None = None) -> Tree | None:
    """The runtime that a TrainJob refers to; of two with one name the last counts, as when both are applied."""
    reference: Any = get(trainjob, ("spec", "runtimeRef"), {})
    if reference.__class__ is not dict:
        return None
    kind, name = reference.get("kind") or CLUSTER_RUNTIME, reference.get("name")
    if kind.__class__ is not str or name.__class__ is not str:
        return None
    namespace = "" if kind == CLUSTER_RUNTIME else _namespace(trainjob)
    for tree in reversed(indexed(trees).named(kind, name)):
        if is_kind(tree, kind) and (not namespace or _namespace(tree) == namespace):
            return tree
    return catalog(kind, namespace, name) if catalog is not None else None


def is_kind(tree: Tree, kind: str) -> bool:
    """Whether the document is an object of that kind of Trainer."""
    if tree.__class__ is not dict or tree.get("kind") != kind:
        return False
    return str(tree.get("apiVersion")).partition("/")[0] == GROUP


def _namespace(tree: Tree) -> str:
    return str(get(tree, ("metadata", "namespace"), None) or "default")
