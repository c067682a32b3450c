"""The files of a run, and the objects of a cluster -> the Datasets of Fluid that the run mounts, and what of them is cached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tjgen.cluster.kinds.supporting import DATASET
from tjgen.gitops.output.inventory import RunEntry
from tjgen.gitops.output.leftover import objects_of
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import Any, NamedTuple

Key = tuple[str, str, str, str]
"""API group, kind, namespace and name of an object."""
_KIND = (DATASET.group, "Dataset")


class CachedData(NamedTuple):
    """A Dataset as Fluid reports it (`status` of v1alpha1)."""

    namespace: str
    name: str
    phase: str | None
    """None if the cluster does not have it; empty if Fluid has not set it yet."""
    cached: str
    """The cached amount, such as `1.20GiB`. It and the shares are empty if they are not reported."""
    percentage: str
    """The cached share of the data."""
    hit_ratio: str
    """The share of the reads that the cache answers."""


def cached_data(entry: RunEntry, directory: str, known: Mapping[Key, Tree]) -> tuple[CachedData, ...]:
    """The Datasets among the objects of a run, and those whose claims its pods mount: Fluid calls a claim like its Dataset."""
    trees = objects_of(directory, entry, stops=False)
    created = {key for tree in trees if (key := _key(tree, get(tree, ("metadata", "name"), None)))[:2] == _KIND}
    mounted = {_key(tree, name) for tree in trees for name in _claims(tree)} | created
    keys = sorted(key for key in {(*_KIND, *one[2:]) for one in mounted} if key in known or key in created)
    return tuple([_described(key, known.get(key)) for key in keys])


def _key(tree: Tree, name: Any) -> Key:
    group = str(tree.get("apiVersion", "")).rpartition("/")[0]
    return group, str(tree.get("kind")), get(tree, ("metadata", "namespace"), None) or "default", str(name)


def _claims(tree: Tree) -> Iterator[str]:
    """The names of claims in the volumes of an object, at any depth."""
    todo: list[Any] = [tree]
    while todo:
        one = todo.pop()
        if one.__class__ is dict:
            if one.get("claimName").__class__ is str:
                yield one["claimName"]
            todo += one.values()
        elif one.__class__ is list:
            todo += one


def _described(key: Key, live: Tree | None) -> CachedData:
    status = (live or {}).get("status")
    states = get(status, ("cacheStates",), None)
    names = ("cached", "cachedPercentage", "cacheHitRatio")
    texts = [str(states.get(name) or "") if states.__class__ is dict else "" for name in names]
    phase = str(get(status, ("phase",), None) or "") if live is not None else None
    return CachedData(key[2], key[3], phase, *texts)


def distinct(several: Iterable[tuple[CachedData, ...]]) -> list[CachedData]:
    """Each Dataset once, by namespace and name: runs may share one."""
    return sorted({one for data_sets in several for one in data_sets})
