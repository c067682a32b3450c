"""Managed tree + writes -> managed tree: the one way to write.

A write merges as Kubernetes merges lists (by key, or whole) and remembers its origin. Containers are
copied when they are first written, so the tree that came in stays as it is, and what is not written
is shared with it.
"""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.trees.fields.managed import ListKeys, Managed, Origin, Owners, origins_of
from tjgen.trees.fields.patch import grow, without_nulls
from tjgen.trees.fields.path import MISSING, FieldPath, Selector, Tree, get
from tjgen.trees.fields.positions import Positions
from tjgen.trees.fields.subpaths import Subpaths, below
from tjgen.trees.typing import Any, NamedTuple

_SEVERAL = 4
"""Up to so many replaced containers a look at all paths for each is cheaper than an index."""


class Conflict(NamedTuple):
    """A value that a guarded manager had set and that another manager set otherwise."""

    path: FieldPath
    before: Origin
    after: Origin


def apply(base: Managed, patch: Tree, origin: Origin, *, keys: ListKeys) -> Managed:
    """`base` with `patch` merged over it, written by `origin`.

    Maps merge by key, lists whose field name is in `keys` merge by those keys (new elements last),
    other lists and scalars replace. `None` removes the value and leaves a tombstone: the path stays
    in `owners` though the tree no longer has it. An equal value adds a co-owner.
    """
    return apply_all(base, [(patch, origin)], keys=keys)


def apply_all(base: Managed, patches: list[tuple[Tree, Origin]], *, keys: ListKeys) -> Managed:
    """`apply` for several patches in order; cheaper than one by one."""
    writer = Writer(base, keys=keys)
    for patch, origin in patches:
        writer.merge((), patch, origin)
    return writer.done()


class Writer:
    """Several writes to one managed tree; `done` gives the result.

    A value of a manager in `guarded` that another manager changes is kept and noted in `conflicts`.
    """

    __slots__ = (
        "_guarded",
        "_keys",
        "_origin",
        "_owned",
        "_owners",
        "_positions",
        "_replaced",
        "_root",
        "_start",
        "_subpaths",
        "conflicts",
    )

    def __init__(self, base: Managed, *, keys: ListKeys, guarded: frozenset[str] = frozenset()) -> None:
        # The tree hangs in a box, so that its root is written like any other place.
        self._root: list[Tree] = [base.value]
        self._owners = dict(base.owners)
        self._keys = keys
        self._guarded = guarded
        self._origin: tuple[Origin, ...] = ()
        self._start = -1
        """Length of the path of a merge whose origin mirrors the patch, so that deeper writes have deeper origins; else -1."""
        self._owned: dict[FieldPath, Any] = {}
        """Path -> the container there, where it is our own copy."""
        self._positions = Positions()
        """Where the elements of our own lists are."""
        self._replaced = 0
        """Containers that were replaced."""
        self._subpaths: Subpaths | None = None
        """The paths of `_owners` and `_owned`, once several containers were replaced."""
        self.conflicts: list[Conflict] = []

    def done(self) -> Managed:
        """The current tree and owners."""
        return Managed(self._root[0], self._owners)

    def get(self, path: FieldPath, default: Any = None) -> Any:
        """Return the current value at `path`."""
        tree = self._root[0]
        for depth, step in enumerate(path):
            if step.__class__ is tuple and tree.__class__ is list and path[:depth] in self._owned:
                position = self._positions.find(path[:depth], tree, step)
                tree = tree[position] if position >= 0 else MISSING
            else:
                tree = get(tree, (step,))
            if tree is MISSING:
                return default
        return tree

    def put(self, path: FieldPath, value: Tree, origin: Origin) -> None:
        """Set `value` at `path` as a whole, over any value; None removes. Missing parents are created."""
        self._origin, self._start = (origin,), -1
        self._write(path, value, False)

    def merge(self, path: FieldPath, patch: Tree, origin: Origin) -> None:
        """Merge `patch` over the value at `path`, by the rules of `apply`."""
        self._origin, self._start = (origin,), len(path) if origin.mirrors else -1
        self._write(path, patch, True)

    def graft(self, path: FieldPath, value: Tree, owners: Owners) -> None:
        """Set `value` at `path` whole, with the owners that it (at ()) and its parts (below it) have already."""
        self.put(path, value, owners[()][0])
        for rest, origins in owners.items():
            self._record(path + rest, origins)

    def _write(self, path: FieldPath, value: Tree, merging: bool) -> None:
        if not path:
            self._root[0] = self._new(self._root[0], value, path, merging)
            return
        above = path[:-1]
        container = self._owned.get(above)
        if container is None:
            container = self._own(above)
        if container is None:
            self._grow(path, value)
            return
        step = path[-1]
        if step.__class__ is str:
            if above and above[-1].__class__ is not str:
                self._positions.written(above[:-1], step)
            if value is None:
                if self._allows(path, MISSING):
                    self._note(path, container.pop(step, None))
            elif step in container:
                container[step] = self._new(container[step], value, path, merging)
            else:
                container[step] = without_nulls(value)
                self._note(path)
            return
        position: Any = self._positions.find(above, container, step) if step.__class__ is tuple else step
        if not 0 <= position < len(container):
            container.append(grow((), value, dict(step)) if step.__class__ is tuple else without_nulls(value))
            self._positions.appended(above, container)
            self._note(path)
        elif value is None:
            if self._allows(path, MISSING):
                self._positions.changed(above)
                self._note(path, container.pop(position))
        else:
            old = container[position]
            if not merging or value.__class__ is not dict or old.__class__ is not dict:
                self._positions.changed(above)
            container[position] = self._new(old, value, path, merging)

    def _own(self, path: FieldPath) -> Any:
        """Our own copy of the container at `path`; None if there is no container."""
        owned = self._owned.get(path)
        if owned is not None:
            return owned
        above: Any
        position: Any
        if path:
            above = self._own(path[:-1])
            if above is None:
                return None
            position = path[-1]
            if position.__class__ is tuple:
                position = self._positions.find(path[:-1], above, position) if above.__class__ is list else -1
                if position < 0:
                    return None
            elif (position not in above) if above.__class__ is dict else not 0 <= position < len(above):
                return None
        else:
            above, position = self._root, 0
        container = above[position]
        if container.__class__ is not dict and container.__class__ is not list:
            return None
        container = container.copy()
        above[position] = container
        self._owned[path] = container
        if self._subpaths is not None:
            self._subpaths.add(path)
        return container

    def _grow(self, path: FieldPath, value: Tree) -> None:
        """Write a value with missing parents: the origin owns the highest new one."""
        if value is None:
            return
        length = len(path) - 1
        while length > 0 and path[:length] not in self._owned:
            length -= 1
        container = self._own(path[:length])
        while container is not None and (inner := self._own(path[: length + 1])) is not None:
            container, length = inner, length + 1
        if container is None:
            self._root[0] = grow(path, value, {})
            self._note(())
            return
        step = path[length]
        grown = grow(path[length + 1 :], value, dict(step) if step.__class__ is tuple else {})
        if step.__class__ is tuple:
            position = self._positions.find(path[:length], container, step)
            if position < 0:
                container.append(grown)
                self._positions.appended(path[:length], container)
            else:
                container[position] = grown
                self._positions.changed(path[:length])
        else:
            container[step] = grown
        self._note(path[: length + 1])
        if length + 1 < len(path) and self._origin[0].mirrors and self._start < 0:
            # What was copied corresponds to the value alone, not to the containers around it.
            self._record(path[: length + 1], (self._origin[0]._replace(mirrors=False),))
            self._record(path, self._origin)

    def _new(self, old: Tree, new: Tree, path: FieldPath, merging: bool) -> Tree:
        """Return the value at `path` after `new` was written over `old`."""
        if merging and new.__class__ is dict and old.__class__ is dict:
            for key, value in new.items():
                self._write((*path, key), value, True)
            return self._owned.get(path, old)
        if merging and new.__class__ is list and old.__class__ is list and path and path[-1] in self._keys:
            names = self._keys[path[-1]]
            for item in new:
                step: Selector = tuple([(name, item[name]) for name in names if name in item])
                self._element(path, step, item, names)
            return self._owned.get(path, old)
        if new.__class__ is old.__class__ and new == old:
            before = origins_of(self._owners, path)
            (origin,) = self._origin_at(path)
            if origin not in before:
                self._record(path, (*before, origin))
            return old
        if self._allows(path, new):
            self._note(path, old)
            return without_nulls(new)
        return old

    def _element(self, path: FieldPath, step: Selector, item: dict[str, Tree], names: tuple[str, ...]) -> None:
        container = self._own(path)
        if self._positions.find(path, container, step) < 0:
            container.append(without_nulls(item))
            self._positions.appended(path, container)
            self._note((*path, step))
            return
        # The keys only identify the element: they do not claim ownership.
        for key, value in item.items():
            if key not in names:
                self._write((*path, step, key), value, True)

    def _allows(self, path: FieldPath, new: Tree) -> bool:
        """Whether the value at `path` may be changed; a conflict is noted where not."""
        if not self._guarded or self._origin[0].manager in self._guarded:
            return True
        if new is MISSING and get(self._root[0], path) is MISSING:
            return True
        for origin in origins_of(self._owners, path):
            if origin.manager in self._guarded:
                self.conflicts.append(Conflict(path, origin, self._origin[0]))
                return False
        return True

    def _note(self, path: FieldPath, old: Tree = None) -> None:
        """Record the origin at `path`; what was known of the parts of a container that it replaces is forgotten."""
        if old.__class__ is dict or old.__class__ is list:
            self._forget(path)
        self._record(path, self._origin_at(path))

    def _record(self, path: FieldPath, origins: tuple[Origin, ...]) -> None:
        self._owners[path] = origins
        if self._subpaths is not None:
            self._subpaths.add(path)

    def _forget(self, path: FieldPath) -> None:
        """Drop what is known of the container at `path`, and who owns its parts."""
        self._replaced += 1
        if self._subpaths is None and self._replaced > _SEVERAL:
            self._subpaths = Subpaths([*self._owners, *self._owned])
        known: Iterable[FieldPath]
        if self._subpaths is None:
            known = [*below(self._owners, path), *below(self._owned, path)]
        else:
            known = self._subpaths.take_below(path)
        for one in (path, *known):
            self._owned.pop(one, None)
            self._positions.changed(one)
            if one is not path:
                self._owners.pop(one, None)

    def _origin_at(self, path: FieldPath) -> tuple[Origin, ...]:
        if self._start < 0 or len(path) <= self._start:
            return self._origin
        return (self._origin[0].deeper(path[self._start :]),)
