"""The objects that are applied together -> those of one kind, or of one kind and name, without a look at all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import Any


class Objects(list[Tree]):
    """Objects in order, with an index. Nothing is added once a question was answered."""

    __slots__ = ("_by_kind", "_by_name", "_derived")

    def __init__(self, trees: Iterable[Tree] = ()) -> None:
        super().__init__(trees)
        self._by_kind: dict[str, list[Tree]] | None = None
        self._by_name: dict[str, dict[str, list[Tree]]] = {}
        self._derived: dict[Any, Any] = {}

    def of_kind(self, kind: Any) -> list[Tree]:
        """The objects of a kind, of any group, in order."""
        if self._by_kind is None:
            self._by_kind = {}
            for tree in self:
                of = tree.get("kind") if tree.__class__ is dict else None
                if of.__class__ is str:
                    self._by_kind.setdefault(of, []).append(tree)
        return self._by_kind.get(kind, []) if kind.__class__ is str else []

    def named(self, kind: Any, name: Any) -> list[Tree]:
        """The objects of a kind and a name, of any group and namespace, in order."""
        if kind.__class__ is not str or name.__class__ is not str:
            return []
        names = self._by_name.get(kind)
        if names is None:
            names = self._by_name[kind] = {}
            for tree in self.of_kind(kind):
                of = get(tree, ("metadata", "name"), None)
                if of.__class__ is str:
                    names.setdefault(of, []).append(tree)
        return names.get(name, [])

    def derived(self, make: Callable[[Sequence[Tree]], Any]) -> Any:
        """Return the result of `make` for the objects, computed once."""
        if make not in self._derived:
            self._derived[make] = make(self)
        return self._derived[make]


def indexed(trees: Sequence[Tree]) -> Objects:
    """The objects with an index: themselves if they have one."""
    return trees if isinstance(trees, Objects) else Objects(trees)
