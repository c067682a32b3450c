"""Layers of partial experiments -> one managed tree: the owner of each value, and which layers contradict each other.

The merge is that of `fields.apply`, with what the experiment language adds: a value that chooses
another alternative (`emptyDir` where there was `pvc`) replaces the old one, null is kept
where the language takes trees verbatim, every origin mirrors its own document, and two layers of
one rank may not set the same value differently.
"""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.language.spec.forms import PLAIN, Form, below, long_form, replaced
from tjgen.trees.fields.managed import Managed, Origin, Owners, origins_of
from tjgen.trees.fields.path import FieldPath, Tree, named
from tjgen.trees.fields.subpaths import Subpaths
from tjgen.trees.fields.subpaths import below as paths_below
from tjgen.trees.typing import NamedTuple


class LayerPart(NamedTuple):
    """A tree to put over the experiment; `part` makes one."""

    tree: Tree
    """Rooted at the experiment, in long form."""
    depth: int
    """How many steps lead to what is put: the maps up to there only hold it."""
    because: FieldPath
    """Where it is written in the layer's document."""


class Layer(NamedTuple):
    """The part of an experiment that one document, or one argument, sets."""

    manager: str
    source: str
    parts: tuple[LayerPart, ...]
    rank: str = ""
    """Layers of one rank are equals, which may not contradict each other; those without a rank may."""


class Contradiction(NamedTuple):
    """Two layers of one rank that set the value at `path` differently."""

    path: FieldPath
    before: Origin
    after: Origin


EMPTY = Managed({}, {})
_SEVERAL = 4
"""Up to so many replaced values a look at all owners for each is cheaper than an index."""


def part(path: FieldPath, tree: Tree, because: FieldPath) -> LayerPart:
    """What puts `tree`, in long or short form, at `path` of an experiment."""
    for step in reversed(path):
        tree = {step: tree}
    return LayerPart(long_form(tree, EXPERIMENT_FORM), len(path), because)


def merged(base: Managed, layers: Iterable[Layer]) -> tuple[Managed, list[Contradiction]]:
    """Return `base` with each layer over it, in order; if two contradict each other, the first one applies."""
    merge = _Merge(base)
    for layer in layers:
        merge.take(layer)
    return Managed(merge.tree, merge.owners), merge.contradictions


def present(tree: Tree, form: Form) -> Tree:
    """`tree` without map entries that are null, except where null is a value; `tree` itself if there are none."""
    if form.verbatim:
        return tree
    if tree.__class__ is dict:
        changed: dict[str, Tree] = {}
        for key, old in tree.items():
            if old.__class__ is dict or old.__class__ is list:
                new = present(old, below(form, key))
                if new is not old:
                    changed[key] = new
            elif old is None:
                changed[key] = None
        return {key: item for key, item in {**tree, **changed}.items() if item is not None} if changed else tree
    if tree.__class__ is list:
        items = [present(item, below(form, 0)) for item in tree]
        return items if any(new is not old for new, old in zip(items, tree, strict=True)) else tree
    return tree


class _Merge:
    """One merge in progress. Trees are copied where they are written; `owners` is this merge's own."""

    __slots__ = (
        "_because",
        "_depth",
        "_equals",
        "_layer",
        "_own",
        "_ranks",
        "_replaced",
        "_rivals",
        "_subpaths",
        "contradictions",
        "owners",
        "tree",
    )

    def __init__(self, base: Managed) -> None:
        self.tree = base.value
        self.owners: Owners = dict(base.owners)
        self.contradictions: list[Contradiction] = []
        self._ranks: dict[str, set[tuple[str, str]]] = {}
        self._equals: set[tuple[str, str]] = set()
        self._own = ("", "")
        self._rivals = False
        """Whether a layer of the same rank was merged before."""
        self._replaced = 0
        self._subpaths: Subpaths | None = None
        self._layer: Layer
        self._because: FieldPath = ()
        self._depth = 0

    def take(self, layer: Layer) -> None:
        self._layer = layer
        equals = self._ranks.setdefault(layer.rank, set()) if layer.rank else set()
        self._equals, self._own = equals, (layer.manager, layer.source)
        self._rivals = len(equals) > (self._own in equals)
        for part in layer.parts:
            self._because, self._depth = part.because, part.depth
            self.tree = self._put(self.tree, part.tree, (), EXPERIMENT_FORM)
        equals.add((layer.manager, layer.source))

    def _put(self, old: Tree, new: Tree, path: FieldPath, form: Form) -> Tree:
        if new.__class__ is dict and old.__class__ is dict:
            return self._put_map(old, new, path, form)
        if new.__class__ is list and old.__class__ is list and new and old and _is_named(old) and _is_named(new):
            return self._put_named(old, new, path, form)
        if new.__class__ is old.__class__ and new == old:
            self._agree(path)
            return old
        if self._rivals and self._contradicts(path, is_present=True):
            return old
        self._note(path, forget=old.__class__ is dict or old.__class__ is list)
        return present(new, form) if new.__class__ is dict or new.__class__ is list else new

    def _put_map(self, old: dict[str, Tree], new: dict[str, Tree], path: FieldPath, form: Form) -> Tree:
        result = old.copy()
        for key in replaced(old, new, form) if form.alternatives else ():
            self._remove(result, key, path)
        for key, value in new.items():
            child = (*path, key)
            nested = value.__class__ is dict or value.__class__ is list
            inner = below(form, key) if nested else PLAIN
            if value is None and not form.verbatim:
                self._remove(result, key, path)
            elif key in result:
                result[key] = self._put(result[key], value, child, inner)
            elif len(child) < self._depth:
                result[key] = self._put({}, value, child, inner)
            elif not (self._rivals and self._contradicts(child, is_present=False)):
                self._note(child, forget=False)
                result[key] = present(value, inner) if nested else value
        return result

    def _put_named(self, old: list[Tree], new: list[Tree], path: FieldPath, form: Form) -> Tree:
        result = old.copy()
        positions: dict[str, int] = {}
        for position, item in enumerate(result):
            positions.setdefault(item["name"], position)
        for item in new:
            child = (*path, named(item["name"]))
            position = positions.setdefault(item["name"], len(result))
            if position == len(result):
                self._note(child, forget=False)
                result.append(present(item, below(form, 0)))
            else:
                rest = {key: value for key, value in item.items() if key != "name"}
                result[position] = self._put(result[position], rest, child, below(form, 0))
        return result

    def _remove(self, result: dict[str, Tree], key: str, path: FieldPath) -> None:
        child = (*path, key)
        if not (key in result and self._rivals and self._contradicts(child, is_present=True)):
            result.pop(key, None)
            self._note(child, forget=True)

    def _origin(self, path: FieldPath) -> Origin:
        return Origin(self._layer.manager, self._layer.source, self._because + path[self._depth :], True)

    def _agree(self, path: FieldPath) -> None:
        before = origins_of(self.owners, path)
        origin = self._origin(path)
        if origin not in before:
            self.owners[path] = (*before, origin)
            if self._subpaths is not None:
                self._subpaths.add(path)

    def _note(self, path: FieldPath, *, forget: bool) -> None:
        if forget:
            self._forget(path)
        self.owners[path] = (self._origin(path),)
        if self._subpaths is not None:
            self._subpaths.add(path)

    def _forget(self, path: FieldPath) -> None:
        """Drop the owners of all parts of the value at `path`."""
        self._replaced += 1
        if self._subpaths is None and self._replaced > _SEVERAL:
            self._subpaths = Subpaths(self.owners)
        owned = paths_below(self.owners, path) if self._subpaths is None else self._subpaths.take_below(path)
        for known in owned:
            self.owners.pop(known, None)

    def _contradicts(self, path: FieldPath, *, is_present: bool) -> bool:
        """Return whether a layer of the same rank set the current value or something in it, or removed the missing value."""
        if self._subpaths is None:
            self._subpaths = Subpaths(self.owners)
        origins = list(origins_of(self.owners, path) if is_present else self.owners.get(path, ()))
        origins += [origin for known in self._subpaths.below(path) for origin in self.owners.get(known, ())]
        for before in origins:
            known_as = (before.manager, before.source)
            if known_as in self._equals and known_as != self._own:
                self.contradictions.append(Contradiction(path, before, self._origin(path)))
                return True
        return False


def _is_named(items: list[Tree]) -> bool:
    return all(item.__class__ is dict and item.get("name").__class__ is str for item in items)
