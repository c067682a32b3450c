"""Keys and values of a sweep -> which keys set one field, and which points have the values of an entry."""

from __future__ import annotations

from tjgen.language.resolve.fieldpaths import field_path
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.language.spec.forms import form_at, long_form
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import NamedTuple


class Value(NamedTuple):
    """One field that a point sets, and its place in the sweep."""

    path: FieldPath
    value: Tree
    because: FieldPath


Values = dict[str, Value]
"""The fields of a point by their text in the sweep."""


class Keys:
    """Keys of a sweep by the fields that they set."""

    def __init__(self) -> None:
        self._at: dict[FieldPath, list[tuple[int, str]]] = {}
        self._below: dict[FieldPath, list[tuple[int, str]]] = {}
        self._count = 0

    def add(self, path: FieldPath, key: str) -> None:
        """Take one more key, which sets the field at `path`."""
        entry = (self._count, key)
        self._count += 1
        self._at.setdefault(path, []).append(entry)
        for length in range(len(path)):
            self._below.setdefault(path[:length], []).append(entry)

    def overlapping(self, path: FieldPath) -> list[str]:
        """The keys that set the field at `path`, a part of it, or what it is a part of, in the order in which they were added."""
        entries = [entry for length in range(len(path) + 1) for entry in self._at.get(path[:length], ())]
        return [key for _, key in sorted([*entries, *self._below.get(path, ())])]


class Agreeing:
    """Points by their values of some keys: an entry of include or exclude is compared with those alone that it can mean."""

    def __init__(self, points: list[Values]) -> None:
        self._points = points
        self._indexes: dict[tuple[str, ...], dict[tuple[object, ...], list[int]]] = {}

    def with_values(self, entry: Tree) -> list[int]:
        """The positions of the points that have all values of `entry`."""
        keys = tuple(entry)
        index = self._indexes.get(keys)
        if index is None:
            index = self._indexes[keys] = {}
            for position, values in enumerate(self._points):
                if all(key in values for key in keys):
                    marks = tuple([_mark(values[key].value, values[key].path) for key in keys])
                    index.setdefault(marks, []).append(position)
        wanted = []
        for key, value in entry.items():
            path = field_path(key)
            wanted.append(_mark(value, () if isinstance(path, Diagnostic) else path))
        return [position for position in index.get(tuple(wanted), ()) if _has(self._points[position], entry)]


def _mark(value: Tree, path: FieldPath) -> object:
    """What is equal for values that are equal; short and long forms are one."""
    return _hashable(long_form(value, form_at(EXPERIMENT_FORM, path)))


def _hashable(tree: Tree) -> object:
    if tree.__class__ is dict:
        return frozenset((key, _hashable(value)) for key, value in tree.items())
    if tree.__class__ is list:
        return tuple([_hashable(item) for item in tree])
    return tree


def _has(values: Values, entry: Tree) -> bool:
    """Whether a point has all values of `entry`; short and long forms are one."""
    return all(key in values and _same(values[key], value) for key, value in entry.items())


def _same(value: Value, other: Tree) -> bool:
    form = form_at(EXPERIMENT_FORM, value.path)
    ours, theirs = long_form(value.value, form), long_form(other, form)
    return ours.__class__ is theirs.__class__ and bool(ours == theirs)
