"""Managed trees: a plain tree and, for what was written into it, who wrote it and why.

`apply` is the one way to write. It merges a patch as Kubernetes merges lists (by key, as a set, or
whole) and remembers the origin of every value that the patch brought, at the highest path that the
patch owns alone: a grafted subtree is recorded once, at its root, and a deeper path is answered by
its nearest recorded ancestor.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tjgen.fields.path import FieldPath, Selector, Tree, get, index_of


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
    writer = Writer(base, keys=keys)
    for patch, origin in patches:
        writer.merge((), patch, origin)
    return writer.done()


class Conflict(NamedTuple):
    """A value that a guarded manager had set and that another manager set otherwise."""

    path: FieldPath
    before: Origin
    after: Origin


class Writer:
    """Several writes to one managed tree, cheaper than one `apply` each; `done` gives the result.

    Containers are copied when they are first written, so the tree that came in stays as it is.
    A value of a manager in `guarded` that another manager changes is kept and noted in `conflicts`.
    """

    __slots__ = ("_guarded", "_keys", "_origin", "_owned", "_owners", "_tree", "conflicts")

    def __init__(self, base: Managed, *, keys: ListKeys, guarded: frozenset[str] = frozenset()) -> None:
        self._tree = base.value
        self._owners = dict(base.owners)
        self._keys = keys
        self._guarded = guarded
        self._origin: tuple[Origin, ...] = ()
        self._owned: dict[int, Any] = {}
        self.conflicts: list[Conflict] = []

    def done(self) -> Managed:
        """The tree and owners as they stand now."""
        return Managed(self._tree, self._owners)

    def get(self, path: FieldPath, default: Any = None) -> Any:
        """The value that stands at `path` now."""
        return get(self._tree, path, default)

    def merge(self, path: FieldPath, patch: Tree, origin: Origin) -> None:
        """Merge `patch` over the value at `path`, by the rules of `apply`."""
        self._origin = (origin,)
        self._tree = self._at(self._tree, path, 0, patch, False)

    def put(self, path: FieldPath, value: Tree, origin: Origin) -> None:
        """Set `value` at `path` whole, whatever stood there."""
        self._origin = (origin,)
        self._tree = self._at(self._tree, path, 0, value, True)

    def _at(self, old: Tree, path: FieldPath, depth: int, value: Tree, whole: bool) -> Tree:
        if depth == len(path):
            field = path[-1] if path and path[-1].__class__ is str else ""
            return self._set(old, value, path) if whole else self._merge(old, value, path, field)
        step = path[depth]
        if step.__class__ is tuple:
            items = self._own(old) if old.__class__ is list else []
            position = index_of(items, step)
            if position < 0:
                items.append(_below(path[depth + 1 :], value, dict(step)))
                self._owners[path[: depth + 1]] = self._origin
            else:
                items[position] = self._at(items[position], path, depth + 1, value, whole)
            return items
        if old.__class__ is list:
            items = self._own(old)
            items[step] = self._at(items[step], path, depth + 1, value, whole)
            return items
        fields = self._own(old) if old.__class__ is dict else {}
        if value is None and depth + 1 == len(path):
            fields.pop(step, None)
            self._note(path)
        elif step in fields:
            fields[step] = self._at(fields[step], path, depth + 1, value, whole)
        else:
            fields[step] = _below(path[depth + 1 :], value, {})
            self._note(path[: depth + 1])
        return fields

    def _merge(self, old: Tree, new: Tree, path: FieldPath, field: Any) -> Tree:
        if new.__class__ is dict and old.__class__ is dict:
            merged = self._own(old)
            for key, value in new.items():
                child: FieldPath = (*path, key)
                if value is None:
                    merged.pop(key, None)
                    self._note(child)
                elif key in merged:
                    merged[key] = self._merge(merged[key], value, child, key)
                else:
                    merged[key] = without_nulls(value)
                    self._note(child)
            return merged
        if new.__class__ is list and old.__class__ is list and field in self._keys:
            return self._merge_keyed(old, new, path, self._keys[field])
        return self._set(old, new, path)

    def _merge_keyed(self, old: list[Tree], new: list[Tree], path: FieldPath, names: tuple[str, ...]) -> Tree:
        merged = self._own(old)
        for item in new:
            step: Selector = tuple([(name, item[name]) for name in names if name in item])
            position = index_of(merged, step)
            if position < 0:
                merged.append(without_nulls(item))
                self._owners[(*path, step)] = self._origin
            else:
                # The keys only say which element is meant: they are no claim to own them.
                rest = {name: value for name, value in item.items() if name not in names}
                merged[position] = self._merge(merged[position], rest, (*path, step), "")
        return merged

    def _set(self, old: Tree, new: Tree, path: FieldPath) -> Tree:
        before = origins_of(self._owners, path)
        if new.__class__ is old.__class__ and new == old:
            if self._origin[0] not in before:
                self._owners[path] = before + self._origin
            return old
        if self._guarded and self._origin[0].manager not in self._guarded:
            for origin in before:
                if origin.manager in self._guarded:
                    self.conflicts.append(Conflict(path, origin, self._origin[0]))
                    return old
        self._note(path)
        return without_nulls(new)

    def _own(self, container: Any) -> Any:
        if id(container) in self._owned:
            return container
        copy = container.copy()
        self._owned[id(copy)] = copy
        return copy

    def _note(self, path: FieldPath) -> None:
        """Record the origin at `path` and forget what was recorded below it."""
        length = len(path)
        stale = [known for known in self._owners if len(known) > length and known[:length] == path]
        for known in stale:
            del self._owners[known]
        self._owners[path] = self._origin


def _below(rest: FieldPath, value: Tree, seed: dict[str, Tree]) -> Tree:
    """`value` wrapped in the containers that `rest` asks for, the outermost one grown from `seed`."""
    if not rest:
        return {**seed, **without_nulls(value)} if seed else without_nulls(value)
    step = rest[0]
    if step.__class__ is tuple:
        return [_below(rest[1:], value, dict(step))]
    return {**seed, step: _below(rest[1:], value, {})}


def without_nulls(value: Tree) -> Tree:
    """`value` without map entries that are None: in a patch they mean removal, and nothing is there."""
    if value.__class__ is dict:
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if value.__class__ is list:
        return [without_nulls(item) for item in value]
    return value
