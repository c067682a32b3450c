"""What is built, and what should be -> the operations of a patch that make the one the other, each with its place in the source.

Two objects are the same where an API server makes the same of them: quantities are canonical, defaults are filled in, and the
order of items with a key does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tjgen.tools.importing.forwarding import with_forwarding
from tjgen.tools.importing.order import UNORDERED, refer_equally
from tjgen.tools.importing.residue import stated
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_POLICY = "runPolicy"
"""A value that is never removed as a whole: later settings of the experiment would have no effect."""
_STRUCTS = ("metadata", "resources", "strategy", _POLICY)
"""Values in the Go types that hold them: empty ones are like absent ones."""
_PARTS = ("replicatedJobs", "tasks", "workerGroupSpecs", "containers")
"""Lists that are never replaced as a whole: an experiment's settings for the program would have no effect."""
_OPERATION = 30
"""The cost of an operation in addition to its value."""

Filled = Callable[[Tree], Tree]
"""An object -> the same with the defaults of its kind."""


class PatchChange(NamedTuple):
    """An operation of a JSON patch. `place` is the field of the source that it is for, or that which lacks it."""

    operation: Tree
    place: FieldPath


def cost_of(operation: Tree) -> int:
    """The cost of reading an operation, in characters."""
    value = operation.get("value")
    return _OPERATION + (0 if value is None else len(dump(value)))


class _Side(NamedTuple):
    """A value as it is, and with its defaults."""

    explicit: Tree
    filled: Tree

    def item(self, position: int) -> _Side:
        """Of a list; defaults neither add items nor move them."""
        return _Side(self.explicit[position], self.filled[position])

    def at(self, step: str) -> _Side:
        """Of a mapping; None if it has no such key."""
        return _Side(self.explicit.get(step), self.filled.get(step) if self.filled.__class__ is dict else None)


def changes(built: Tree, wanted: Tree, filled: Filled = stated) -> list[PatchChange]:
    """Return the changes to the spec of `built`; none if both are equal, or if a launcher only forwards more variables."""
    given, wanted_side = _side(built, filled), _side(with_forwarding(built, wanted), filled)
    return list(_changes(given.at("spec"), wanted_side.at("spec"), ("spec",), ("spec",)))


def _side(tree: Tree, filled: Filled) -> _Side:
    explicit = with_canonical_quantities(_without_structs(stated(tree)))
    return _Side(explicit, with_canonical_quantities(_without_structs(stated(filled(explicit)))))


def _without_structs(value: Tree) -> Tree:
    if value.__class__ is dict:
        items = ((key, _without_structs(item)) for key, item in value.items())
        return {key: item for key, item in items if not (key in _STRUCTS and item == {})}
    return [_without_structs(item) for item in value] if value.__class__ is list else value


def _changes(given: _Side, wanted: _Side, pointer: tuple[str, ...], place: FieldPath) -> Iterator[PatchChange]:
    if _same(given.explicit, wanted.explicit) or _same(given.filled, wanted.filled):
        return
    if given.explicit.__class__ is dict and wanted.explicit.__class__ is dict:
        yield from _of_mappings(given, wanted, pointer, place)
        return
    whole = [PatchChange({"op": "replace", "path": _written(pointer), "value": wanted.explicit}, place)]
    if _are_mappings(given.explicit) and _are_mappings(wanted.explicit):
        pieces = list(_of_lists(given, wanted, pointer, place))
        whole = pieces if pointer[-1] in _PARTS else min(whole, pieces, key=_cost)
    yield from whole


def _of_mappings(given: _Side, wanted: _Side, pointer: tuple[str, ...], place: FieldPath) -> Iterator[PatchChange]:
    for key in [*wanted.explicit, *(key for key in given.explicit if key not in wanted.explicit)]:
        given_value, wanted_value = given.at(key), wanted.at(key)
        if key in given.explicit and key in wanted.explicit:
            yield from _changes(given_value, wanted_value, (*pointer, key), (*place, key))
        elif _same(given_value.filled, wanted_value.filled):
            continue
        elif key in wanted.explicit:
            yield PatchChange({"op": "add", "path": _written((*pointer, key)), "value": wanted_value.explicit}, (*place, key))
        elif key == _POLICY:
            wanted_policy = _Side({}, wanted_value.filled if wanted_value.filled.__class__ is dict else {})
            yield from _of_mappings(given_value, wanted_policy, (*pointer, key), place)
        else:
            yield PatchChange({"op": "remove", "path": _written((*pointer, key))}, place)


def _of_lists(given: _Side, wanted: _Side, pointer: tuple[str, ...], place: FieldPath) -> Iterator[PatchChange]:
    pairs, is_first = _pairs(given.explicit, wanted.explicit, pointer[-1])
    for mine, theirs in pairs:
        yield from _changes(given.item(mine), wanted.item(theirs), (*pointer, str(mine)), (*place, theirs))
    kept, paired = {mine for mine, _ in pairs}, {theirs for _, theirs in pairs}
    for position in reversed(range(len(given.explicit))):
        if position not in kept:
            yield PatchChange({"op": "remove", "path": _written((*pointer, str(position)))}, place)
    added = [(position, item) for position, item in enumerate(wanted.explicit) if position not in paired]
    for position, item in reversed(added) if is_first else added:
        path = _written((*pointer, "0" if is_first else "-"))
        yield PatchChange({"op": "add", "path": path, "value": item}, (*place, position))


def _pairs(given: Sequence[Tree], wanted: Sequence[Tree], field: str) -> tuple[list[tuple[int, int]], bool]:
    """Return the items of both lists that match: by name if the order does not matter, else by their position.

    Also whether the others come before them, so that references among variables keep their meaning.
    """
    key = UNORDERED.get(field)
    names = [[str(item.get(key)) for item in items] for items in (given, wanted)] if key else []
    if key and all(len(set(some)) == len(some) for some in names):
        pairs = [(position, names[1].index(name)) for position, name in enumerate(names[0]) if name in names[1]]
        kept = [names[1][theirs] for _, theirs in pairs]
        added = [name for name in names[1] if name not in kept]
        if field != "env" or refer_equally(wanted, [*kept, *added]):
            return pairs, False
        if refer_equally(wanted, [*added, *kept]):
            return pairs, True
    return [(position, position) for position in range(min(len(given), len(wanted)))], False


def _are_mappings(value: Tree) -> bool:
    return value.__class__ is list and all(item.__class__ is dict for item in value)


def _same(one: Tree, other: Tree) -> bool:
    """Equal, and of the same types: to an API server True is not 1."""
    if one.__class__ is not other.__class__:
        return False
    if one.__class__ is dict:
        return bool(one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items()))
    if one.__class__ is list:
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _cost(changes_of_list: Sequence[PatchChange]) -> int:
    return sum(cost_of(change.operation) for change in changes_of_list)


def _written(steps: Sequence[str]) -> str:
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
