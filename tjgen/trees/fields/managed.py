"""Managed trees: a plain tree and, for what was written into it, who wrote it and why.

Origins are recorded at the highest path that a writer owns alone: a grafted subtree once, at its
root. A deeper path is answered by its nearest recorded ancestor. How trees are written: writer.py.
"""

from __future__ import annotations

from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.fields.subpaths import Subpaths, below
from tjgen.trees.typing import NamedTuple


class Origin(NamedTuple):
    """The owner of a value (`manager`) and the place that set it.

    `because` is a path in the tree that `source` names: "experiment" (the merged experiment),
    "runtime", "trainjob", "platform", "file:PATH" (a document as it was read), or "tjgen" (a rule
    of the compiler or controller, with no place in a file). `mirrors` means that the value was
    copied unchanged, so that a deeper path there corresponds to the same deeper path here.
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


_SEVERAL = 4
"""Up to so many questions a look at all owners for each is cheaper than an index."""


class Managed:
    """A tree and the owners of its parts. Both are values: do not change them."""

    __slots__ = ("_lookups", "_ranks", "_subpaths", "owners", "value")

    def __init__(self, value: Tree, owners: Owners) -> None:
        self.value = value
        self.owners = owners
        self._lookups = 0
        self._ranks: dict[FieldPath, int] = {}
        self._subpaths: Subpaths | None = None

    def origins(self, path: FieldPath) -> tuple[Origin, ...]:
        """Who set the value at `path`: the owners recorded there or at the nearest ancestor."""
        return origins_of(self.owners, path)

    def recorded_below(self, path: FieldPath) -> list[FieldPath]:
        """The paths below `path` that have owners, in the order in which they were recorded."""
        self._lookups += 1
        if self._lookups <= _SEVERAL:
            return below(self.owners, path)
        if self._subpaths is None:
            self._subpaths = Subpaths(self.owners)
            self._ranks = {known: rank for rank, known in enumerate(self.owners)}
        ranks = self._ranks
        return sorted([known for known in self._subpaths.below(path) if known in ranks], key=ranks.__getitem__)


def origins_of(owners: Owners, path: FieldPath) -> tuple[Origin, ...]:
    """The owners of `path` in `owners`: those recorded at it, else at its nearest ancestor."""
    for length in range(len(path), -1, -1):
        origins = owners.get(path[:length])
        if origins:
            rest = path[length:]
            return tuple([origin.deeper(rest) for origin in origins]) if rest else origins
    return ()


def graft(tree: Tree, origin: Origin) -> Managed:
    """A whole tree that one origin brought."""
    return Managed(tree, {(): (origin,)})
