"""A new tree, the old one and their schema -> which old value a new value replaces.

Mirrors k8s.io/apiserver 0.36 `pkg/cel/common` (CorrelatedObject, MapList): fields pair by name, elements of map lists by
their keys, elements of other lists not at all. What is deep-equal to its old value may stay wrong (ratcheting).
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.schema.store import Schema
from tjgen.trees.fields.path import FieldPath, Tree

Key = tuple[Tree, ...]


class ObjectPair:
    """A value and the old one that it replaces."""

    __slots__ = ("_below", "_by_key", "_equal", "new", "old", "schema")

    def __init__(self, new: Tree, old: Tree, schema: Schema) -> None:
        self.new = new
        self.old = old
        self.schema = schema
        self._below: dict[str | int, ObjectPair | None] = {}
        self._by_key: dict[Key, Tree] | None = None
        self._equal: bool | None = None

    def below(self, step: str | int) -> ObjectPair | None:
        """The pair of a field or an element; None if there is no old value for it."""
        if step not in self._below:
            self._below[step] = self._field(step) if step.__class__ is str else self._element(step)
        return self._below[step]

    @property
    def is_unchanged(self) -> bool:
        """`CachedDeepEqual`: map lists are equal in any order."""
        if self._equal is None:
            self._equal = self._compared()
        return self._equal

    def forgives(self, path: FieldPath) -> bool:
        """Whether an error that the node at `path` owns is forgiven: it, or a node around it, is unchanged."""
        if self.is_unchanged:
            return True
        field: ObjectPair | None = self
        for step in path if path[:1] not in (("apiVersion",), ("kind",)) else ():
            field = field.below(step) if field is not None and isinstance(step, str | int) else None
            if field is None:
                return False
            if field.is_unchanged:
                return True
        return False

    def _field(self, step: Tree) -> ObjectPair | None:
        if self.old.__class__ is not dict or self.new.__class__ is not dict or step not in self.old or step not in self.new:
            return None
        schema = self.schema.get("properties", {}).get(step, self.schema.get("additionalProperties"))
        return ObjectPair(self.new[step], self.old[step], schema) if schema.__class__ is dict else None

    def _element(self, step: Tree) -> ObjectPair | None:
        if self.old.__class__ is not list or self.new.__class__ is not list:
            return None
        if self._by_key is None:
            self._by_key = keyed(self.old, self.schema)
        key = key_of(self.new[step], self.schema)
        element = self._by_key.get(key) if key is not None else None
        return ObjectPair(self.new[step], element, self.schema["items"]) if element is not None else None

    def _compared(self) -> bool:
        new, old = self.new, self.old
        if new.__class__ is not old.__class__:
            return False
        if new.__class__ is dict:
            if len(new) != len(old):
                return False
            return all((pair := self.below(key)) is not None and pair.is_unchanged for key in new)
        if new.__class__ is list and len(new) == len(old) and is_map_list(self.schema) and new:
            return all((pair := self.below(position)) is not None and pair.is_unchanged for position in range(len(new)))
        return identical(new, old)


def identical(left: Tree, right: Tree) -> bool:
    """`reflect.DeepEqual`: 1, 1.0 and true differ."""
    if left.__class__ is not right.__class__:
        return False
    if left.__class__ is dict:
        return left.keys() == right.keys() and all(identical(value, right[key]) for key, value in left.items())
    if left.__class__ is list:
        return len(left) == len(right) and all(identical(*pair) for pair in zip(left, right, strict=True))
    return bool(left == right)


def is_map_list(schema: Schema) -> bool:
    """Whether the elements of a list are identified by keys."""
    return schema.get("x-kubernetes-list-type") == "map" and bool(schema.get("x-kubernetes-list-map-keys"))


def key_of(item: Tree, schema: Schema) -> Key | None:
    """Return the key of an element of a map list; None if it lacks a key, or a key is not a scalar."""
    if item.__class__ is not dict or not is_map_list(schema):
        return None
    values = [item.get(key) for key in schema["x-kubernetes-list-map-keys"]]
    if any(value.__class__ not in (str, int, float, bool) for value in values):
        return None
    return tuple([(value.__class__, value) for value in values])


def keyed(items: Sequence[Tree], schema: Schema) -> dict[Key, Tree]:
    """The elements of a map list by their keys; of two with the same key the first."""
    elements: dict[Key, Tree] = {}
    for item in items:
        key = key_of(item, schema)
        if key is not None:
            elements.setdefault(key, item)
    return elements
