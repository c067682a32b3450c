"""Objects that are applied -> all objects that controllers create from them, down to the pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.controllers.previews import follow
from tjgen.cluster.kinds.table import kind_of
from tjgen.cluster.trainer.inputs import Expanded, is_kind
from tjgen.cluster.validate import unmakeable
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.report import diagnostics
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.patch import without_nulls
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import PREVIEW, RUNS, Manifest
from tjgen.trees.typing import NamedTuple


class Followed(NamedTuple):
    """What controllers create from one object, or why it is refused before its controller sees it."""

    objects: Sequence[Manifest] = ()
    """The objects, each before those that its controller creates."""
    own: Sequence[Diagnostic] = ()
    """Diagnostics about the object."""
    below: Sequence[Diagnostic] = ()
    """Diagnostics about what the Trainer controller creates from it."""


def follow_all(
    objects: Sequence[Tree], expansions: Sequence[Expanded], *, versions: Mapping[str, str], every: bool
) -> Iterator[Followed]:
    """Yield the result for each object, in their order. `expansions` are those of the TrainJobs among them.

    Equal objects are one document unless `every` is set.
    """
    context = [tree for tree in objects if tree.__class__ is dict]
    following = iter(expansions)
    for tree in objects:
        if is_kind(tree, "TrainJob"):
            created = [one.tree for one in next(following).expansion.objects]
            yield _followed(tree, created, context, versions=versions, every=every)
        else:
            yield _followed(tree, [], context, versions=versions, every=every) if _has_controller(tree) else Followed()


def _followed(
    source: Tree, created: Sequence[Tree], context: Sequence[Tree], *, versions: Mapping[str, str], every: bool
) -> Followed:
    refusals = [one for tree in created or [source] for one in _refusals(tree, context, versions)]
    if refusals:
        return Followed(below=refusals) if created else Followed(own=refusals)
    try:
        applied = Manifest({"spec": {}, **_as_stored(source)}, {}, RUNS)
        previews = [Manifest(_as_stored(tree), {}, PREVIEW) for tree in created]
        return Followed(list(follow([applied], previews, every=every)))
    except CompileError as error:
        return Followed(own=error.diagnostics)


def _refusals(tree: Tree, context: Sequence[Tree], versions: Mapping[str, str]) -> Iterator[Diagnostic]:
    """What is wrong with an object: it is refused, or its pods are."""
    verdict = judge(tree, versions=versions, webhooks=True, context=context)
    yield from unmakeable.diagnostics(tree, versions=versions) if verdict.allowed else diagnostics(tree, verdict)


def _as_stored(tree: Tree) -> Tree:
    """The object without what the API server drops, in the namespace that it sets: null is the same as no value."""
    tree = without_nulls(tree)
    return {**tree, "metadata": {"namespace": "default", **tree["metadata"]}}


def _has_controller(tree: Tree) -> bool:
    kind = kind_of(tree) if tree.__class__ is dict else None
    return kind is not None and kind.controller != "" and kind.api_version == tree["apiVersion"]
