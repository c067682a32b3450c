"""Paths -> those that are below another one, found without a comparison of all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tjgen.trees.fields.path import FieldPath


class Subpaths:
    """An index of a growing set of paths. `add` each path that is added to the set later."""

    __slots__ = ("_children",)

    def __init__(self, paths: Iterable[FieldPath]) -> None:
        self._children: dict[FieldPath, dict[FieldPath, None]] = {}
        for path in paths:
            self.add(path)

    def add(self, path: FieldPath) -> None:
        """Take one more path. A path that is known already changes nothing."""
        children = self._children
        while path:
            above = path[:-1]
            known = children.get(above)
            if known is not None:
                known[path] = None
                return
            children[above] = {path: None}
            path = above

    def below(self, path: FieldPath) -> Iterator[FieldPath]:
        """Every path below `path`, and the steps between."""
        open_paths = [path]
        while open_paths:
            for known in self._children.get(open_paths.pop(), ()):
                yield known
                open_paths.append(known)

    def take_below(self, path: FieldPath) -> Iterator[FieldPath]:
        """Every path below `path`, and the steps between; each leaves the index."""
        open_paths = [path]
        while open_paths:
            for known in self._children.pop(open_paths.pop(), ()):
                yield known
                open_paths.append(known)


def below(paths: Iterable[FieldPath], path: FieldPath) -> list[FieldPath]:
    """Return those of `paths` that are below `path`: a full scan, which is cheaper than an index for a few queries."""
    length = len(path)
    return [known for known in paths if len(known) > length and known[:length] == path]
