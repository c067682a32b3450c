"""Managed trees: a plain tree and, for what was written into it, who wrote it and why.

`apply` is the one way to write. It merges a patch as Kubernetes merges lists (by key, as a set, or
whole) and remembers the origin of every value that the patch brought, at the highest path that the
patch owns alone: a grafted subtree is recorded once, at its root, and a deeper path is answered by
its nearest recorded ancestor.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tjgen.fields.path import FieldPath, Step, Tree, index_of


class Origin(NamedTuple):
    """Who wrote a value (`manager`) and the place that asked for it.

    `because` is a path in the tree that `source` names: "experiment" (the merged experiment),
    "runtime", "trainjob", "platform", "file:PATH" (a document as it was read), or "tjgen" (a rule
    of the compiler or controller, with no place in a file). `mirrors` says that the value was
    copied as it stands, so that a deeper path there corresponds to the same deeper path here.
    """

    manager: str
    source: str
    because: FieldPath = ()
    mirrors: bool = False

    def deeper(self, rest: FieldPath) -> Origin:
        """The origin of the value at `rest` below the place that this origin was recorded for."""
        return self._replace(because=self.because + rest) if self.mirrors and rest else self


Owners = dict[FieldPath, tuple[Origin, ...]]
ListKeys = dict[str, tuple[str, ...]]
"""Field name of a list -> the fields that key its elements; lists that are not named are atomic."""


class Managed:
    """A tree and the owners of its parts. Both are values: nobody writes into them."""

    __slots__ = ("owners", "value")

    def __init__(self, value: Tree, owners: Owners) -> None:
        self.value = value
        self.owners = owners

    def origins(self, path: FieldPath) -> tuple[Origin, ...]:
        """Who set the value at `path`: the owners recorded there or at the nearest ancestor."""
        return origins_of(self.owners, path)


def origins_of(owners: Owners, path: FieldPath) -> tuple[Origin, ...]:
    """The owners of `path` in `owners`: those recorded at it, else at its nearest ancestor."""
    for length in range(len(path), -1, -1):
        found = owners.get(path[:length])
        if found:
            rest = path[length:]
            return tuple([origin.deeper(rest) for origin in found]) if rest else found
    return ()


def graft(tree: Tree, origin: Origin) -> Managed:
    """A whole tree that one origin brought."""
    return Managed(tree, {(): (origin,)})


def apply(base: Managed, patch: Tree, origin: Origin, *, keys: ListKeys) -> Managed:
    """`base` with `patch` merged over it, written by `origin`.

    Maps merge by key, lists whose field name is in `keys` merge by those keys (new elements last),
    other lists and scalars replace. `None` removes the value and leaves a tombstone: the path stays
    in `owners` though the tree no longer has it. An equal value adds a co-owner.
    """
    return apply_all(base, [(patch, origin)], keys=keys)


def apply_all(base: Managed, patches: list[tuple[Tree, Origin]], *, keys: ListKeys) -> Managed:
    """`apply` for several patches in order; cheaper than one by one."""
    writer = _Writer(base.value, dict(base.owners), keys)
    for patch, origin in patches:
        writer.origin = (origin,)
        writer.tree = writer.merge(writer.tree, patch, (), "")
    return Managed(writer.tree, writer.owners)


class _Writer:
    """One merge in progress. Copies a container the first time that it is written, then reuses it."""

    __slots__ = ("fresh", "keys", "origin", "owners", "tree")

    def __init__(self, tree: Tree, owners: Owners, keys: ListKeys) -> None:
        self.tree = tree
        self.owners = owners
        self.keys = keys
        self.origin: tuple[Origin, ...] = ()
        self.fresh: dict[int, Any] = {}

    def merge(self, old: Tree, new: Tree, path: FieldPath, field: str) -> Tree:
        if new.__class__ is dict and old.__class__ is dict:
            return self._merge_map(old, new, path)
        if new.__class__ is list and old.__class__ is list and field in self.keys:
            return self._merge_keyed(old, new, path, self.keys[field])
        if new.__class__ is old.__class__ and new == old:
            before = origins_of(self.owners, path)
            if self.origin[0] not in before:
                self.owners[path] = before + self.origin
            return old
        self._forget_below(path)
        self.owners[path] = self.origin
        return without_nulls(new)

    def _merge_map(self, old: dict[str, Tree], new: dict[str, Tree], path: FieldPath) -> Tree:
        merged = self._own(old)
        for key, value in new.items():
            child: FieldPath = (*path, key)
            if value is None:
                merged.pop(key, None)
                self._forget_below(child)
                self.owners[child] = self.origin
            elif key in merged:
                merged[key] = self.merge(merged[key], value, child, key)
            else:
                merged[key] = without_nulls(value)
                self._forget_below(child)
                self.owners[child] = self.origin
        return merged

    def _merge_keyed(self, old: list[Tree], new: list[Tree], path: FieldPath, names: tuple[str, ...]) -> Tree:
        merged = self._own(old)
        for item in new:
            step: Step = tuple([(name, item[name]) for name in names if name in item])
            position = index_of(merged, step)
            if position < 0:
                merged.append(without_nulls(item))
                self.owners[(*path, step)] = self.origin
            else:
                # The keys only say which element is meant: they are no claim to own them.
                rest = {name: value for name, value in item.items() if name not in names}
                merged[position] = self.merge(merged[position], rest, (*path, step), "")
        return merged

    def _own(self, container: Any) -> Any:
        if id(container) in self.fresh:
            return container
        copy = container.copy()
        self.fresh[id(copy)] = copy
        return copy

    def _forget_below(self, path: FieldPath) -> None:
        length = len(path)
        stale = [known for known in self.owners if len(known) > length and known[:length] == path]
        for known in stale:
            del self.owners[known]


def without_nulls(value: Tree) -> Tree:
    """`value` without map entries that are None: in a patch they mean removal, and nothing is there."""
    if value.__class__ is dict:
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if value.__class__ is list:
        return [without_nulls(item) for item in value]
    return value
