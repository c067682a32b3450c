"""Documents before and after -> what their expansions have different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.trainer.framework import expand
from tjgen.cluster.trainer.inputs import Catalog, runtime_of
from tjgen.cluster.trainer.objects import SNAPSHOT_SUFFIX
from tjgen.cluster.trainer.release import Release
from tjgen.trees.diagnostics.model import has_errors
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any, NamedTuple

_DEFAULTS = (("groupName", "default"),)
"""Fields that the JobSet of one release has and that of another leaves out, with the same effect."""


class ExpansionDifference(NamedTuple):
    """One place where the two expansions differ."""

    object: str
    place: str
    before: Tree
    after: Tree


def differences(
    trainjob: Tree,
    before: Sequence[Tree],
    source: Release,
    converted: Tree,
    after: Sequence[Tree],
    target: Release,
    catalog: Catalog,
) -> list[ExpansionDifference] | None:
    """Return the differences between the two controllers' objects for a TrainJob; None if one of them creates none.

    The snapshot of the runtime, which only 2.3 keeps, is not a difference.
    """
    first = _objects(trainjob, runtime_of(trainjob, before, catalog), source)
    second = _objects(converted, runtime_of(converted, after, catalog), target)
    if first is None or second is None:
        return None
    object_differences = []
    for name in sorted({*first, *second}):
        object_differences += [ExpansionDifference(name, *one) for one in _differing(first.get(name), second.get(name), "")]
    return object_differences


def _objects(trainjob: Tree, runtime: Tree, release: Release) -> dict[str, Any] | None:
    expansion = expand(trainjob, runtime, release=release)
    if has_errors(expansion.diagnostics) or not expansion.objects:
        return None
    trees: list[Any] = [created.tree for created in expansion.objects]
    return {
        f"{tree['kind']} {tree['metadata']['name']}": tree
        for tree in trees
        if not tree["metadata"]["name"].endswith(SNAPSHOT_SUFFIX)
    }


def _differing(before: Any, after: Any, place: str) -> Iterator[tuple[str, Tree, Tree]]:
    if before.__class__ is dict and after.__class__ is dict:
        for key in [*before, *(key for key in after if key not in before)]:
            if (key, before.get(key) or after.get(key)) in _DEFAULTS and None in (before.get(key), after.get(key)):
                continue
            yield from _differing(before.get(key), after.get(key), f"{place}.{key}" if place else key)
    elif before.__class__ is list and after.__class__ is list and len(before) == len(after):
        for position, pair in enumerate(zip(before, after, strict=True)):
            yield from _differing(*pair, f"{place}[{position}]")
    elif before != after:
        yield place, before, after
