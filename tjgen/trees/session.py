"""The results that one command computes once and uses again; the start of a build creates one and passes it along."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from tjgen.trees.typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


class Session:
    """Results by name and key. Nothing outlives the command, so no entry has to be removed when a file changes.

    A key is compared as a value. An object of a class without `==` is its own key, and the session keeps it alive.
    """

    __slots__ = ("_all", "_latest")

    def __init__(self) -> None:
        self._all: dict[tuple[str, Hashable], object] = {}
        self._latest: dict[str, list[tuple[object, object]]] = {}

    def once(self, name: str, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute` for `key`: computed at the first call, kept for all others."""
        result = self._all.get((name, key), _MISSING)
        if result is _MISSING:
            result = self._all[(name, key)] = compute()
        return cast("Any", result)  # type: ignore[no-any-return]  # what `compute` returned under this name

    def latest(self, name: str, key: object, compute: Callable[[], T], *, most: int = 1) -> T:
        """The same for any key, but only the last `most` results are kept: for large results, and for keys without a hash."""
        known = self._latest.setdefault(name, [])
        for one, result in known:
            if one == key:
                return cast("Any", result)  # type: ignore[no-any-return]  # what `compute` returned under this name
        computed = compute()
        known.insert(0, (key, computed))
        del known[most:]
        return computed

    def has(self, name: str, key: Hashable) -> bool:
        """Whether `key` was added to the set of this name."""
        return (name, key) in self._all

    def add(self, name: str, key: Hashable) -> None:
        """Add `key` to the set of this name."""
        self._all[(name, key)] = None


_MISSING = object()
