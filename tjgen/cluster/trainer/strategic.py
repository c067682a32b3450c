"""A typed tree and a typed patch -> the tree as Kubernetes' strategic merge patch leaves it.

Upstream: k8s.io/apimachinery v0.36 `strategicpatch.StrategicMergePatch`, without directives: a patch
that went through a Go type holds none. `note` gets every value that the patch brings.

`validate/update/strategic.py` mirrors the same function for an apply. Lists merge in one place (`schema/elements.py`),
by one table of merge keys (`gotypes.py`). The walk over objects exists twice, because its inputs differ. Here, tree and patch
have two Go types, each value is read again as the type of the tree, and origins are recorded. An apply merges untyped JSON
with directives and nulls, also one patch into another, and fails as upstream does where a value does not fit its type.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.schema.elements import in_order, merged_elements, merged_scalars
from tjgen.cluster.trainer.typed import GoField, Struct, Types
from tjgen.trees.fields.ordinals import Ordinals
from tjgen.trees.fields.path import MISSING, FieldPath, Step, Tree
from tjgen.trees.typing import Any

Note = Callable[[FieldPath, FieldPath, Tree], None]
"""Called with the path in the tree, the path below the patch and the value, for each value brought."""

Shapes = tuple[Struct, Struct]
"""The type of the tree and the type of the patch."""


class MergeError(Exception):
    """A patch that strategic merge refuses, with upstream's words."""


class Merger:
    """Merges patches one after the other. It keeps the places of the elements of a list between two patches of the list."""

    __slots__ = ("_places", "_types")

    def __init__(self, types: Types) -> None:
        self._types = types
        self._places: dict[FieldPath, _Places] = {}

    def merge(
        self, tree: dict[str, Tree], patch: dict[str, Tree], names: tuple[str, str], note: Note, path: FieldPath
    ) -> dict[str, Tree]:
        """`tree` with `patch` merged in, given the Go types of both; raises MergeError for an element without its key."""
        shapes = (self._types.struct(names[0]), self._types.struct(names[1]))
        return _PatchMerge(self._types, note, self._places).map(tree, patch, shapes, path, ())


class _Places:
    """Where the elements of a list are, whose keys are all different. New elements come to the front of the list."""

    __slots__ = ("_front", "_serials", "items")

    def __init__(self, items: list[Tree], serials: dict[str, int]) -> None:
        self.items = items
        self._serials = serials
        self._front = 0

    def of(self, key: str) -> int:
        """The position of the element with a key, or -1."""
        serial = self._serials.get(key)
        return -1 if serial is None else serial - self._front

    def put_first(self, key: str) -> None:
        """Count one more element at the front."""
        self._front -= 1
        self._serials[key] = self._front


class _PatchMerge:
    """One merge: its types, the recorder of its values, and the paths of earlier merges."""

    __slots__ = ("_note", "_places", "_types")

    def __init__(self, types: Types, note: Note, places: dict[FieldPath, _Places]) -> None:
        self._types = types
        self._note = note
        self._places = places

    def map(
        self, tree: dict[str, Tree], patch: dict[str, Tree], shapes: Shapes, path: FieldPath, below: FieldPath
    ) -> dict[str, Tree]:
        shape, patch_shape = shapes
        note = self._note
        merged = dict(tree)
        for key in patch_shape.nulls:
            # The patch is printed as JSON first, and a null there removes.
            if key not in patch and merged.pop(key, None) is not None:
                note((*path, key), below, None)
        for key, value in patch.items():
            field = shape.fields[key]
            if field is None:
                # What the tree's type does not have is lost when the result is read again.
                continue
            field_at, item_source = (*path, key), (*below, key)
            current = merged.get(key)
            if current.__class__ is dict and value.__class__ is dict:
                if field.struct:
                    merged[key] = self.map(current, value, self._below(field, patch_shape, key), field_at, item_source)
                else:
                    merged[key] = {**current, **value}
                    for name, item in value.items():
                        note((*field_at, name), (*item_source, name), item)
            elif current.__class__ is list and field.merge_key:
                element_shapes = self._below(field, patch_shape, key)
                one = self._with_one(current, value, field.merge_key, element_shapes, field_at, item_source)
                merged[key] = one or self._keyed(current, value, field.merge_key, element_shapes, field_at, item_source)
            elif current.__class__ is list and field.merge_key == "":
                merged[key] = merged_scalars(current, value)
                note(field_at, item_source, merged[key])
            else:
                # What the patch's type holds is read again as the tree's type, which may drop a zero or add `{}`.
                typed = field.read(value)
                if typed or field.keeps_empty:
                    merged[key] = typed
                else:
                    merged.pop(key, None)
                note(field_at, item_source, typed)
        return merged

    def _below(self, field: GoField, patch_shape: Struct, key: str) -> Shapes:
        patch_field = patch_shape.fields[key]
        assert patch_field is not None, "a patch was read as its type, which has the key"
        return self._types.struct(field.struct), self._types.struct(patch_field.struct)

    def _with_one(
        self, items: list[Tree], patch: list[Tree], key: str, shapes: Shapes, path: FieldPath, below: FieldPath
    ) -> list[Tree] | None:
        """What `_keyed` returns for a patch of one element, without a look at each element; None where it is more than that."""
        name: Any = patch[0].get(key) if len(patch) == 1 else None
        places = self._places_of(items, key, path) if name and name.__class__ is str else None
        if places is None:
            return None
        at = places.of(name)
        item_source = (*below, ((key, name),))
        if at >= 0:
            merged = list(items)
            merged[at] = self.map(items[at], patch[0], shapes, (*path, ((key, name),)), item_source)
        else:
            merged = [shapes[0].read(patch[0]), *items]
            self._note((*path, ((key, name),)), item_source, merged[0])
            places.put_first(name)
        places.items = merged
        return merged

    def _places_of(self, items: list[Tree], key: str, path: FieldPath) -> _Places | None:
        """The places of the elements; None if a key is missing, not a text, or there twice."""
        known = self._places.get(path)
        if known is None or known.items is not items:
            serials: dict[str, int] = {}
            for position, item in enumerate(items):
                name = item.get(key)
                if not name or name.__class__ is not str or name in serials:
                    return None
                serials[name] = position
            known = self._places[path] = _Places(items, serials)
        return known

    def _keyed(
        self, items: list[Tree], patch: list[Tree], key: str, shapes: Shapes, path: FieldPath, below: FieldPath
    ) -> list[Tree]:
        ordinals = Ordinals(item.get(key) for item in patch)

        def key_of(item: Any) -> Tree:
            if key not in item:
                raise MergeError(f"map: {_go_text(item)} does not contain declared merge key: {key}")
            return item[key]

        def combine(current: Tree, position: int) -> Tree:
            item = patch[position]
            step: Step = ((key, item[key]),)
            element_source = (*below, step if ordinals.of(item[key]) == position else position)
            if current is not MISSING:
                return self.map(current, item, shapes, (*path, step), element_source)
            added = shapes[0].read(item)
            self._note((*path, step), element_source, added)
            return added

        return in_order(merged_elements(items, patch, key, key_of, combine), patch, items, key_of)


def _go_text(value: Tree) -> str:
    """A JSON value as Go's %v prints it."""
    if value.__class__ is dict:
        return "map[" + " ".join(f"{key}:{_go_text(value[key])}" for key in sorted(value)) + "]"
    if value.__class__ is list:
        return "[" + " ".join(_go_text(item) for item in value) + "]"
    if value.__class__ is bool:
        return "true" if value else "false"
    return "<nil>" if value is None else str(value)
