"""A tree in which some values name the field that they come from -> the plain tree, and the origin of each of them."""

from __future__ import annotations

from collections.abc import Callable

from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import Any, NamedTuple


class Sourced(NamedTuple):
    """A value that a field of a file sets."""

    value: Any
    because: FieldPath
    mirrors: bool = False
    """Whether the value is copied unchanged, so that a deeper path there corresponds to the same deeper path here."""


def value_of(value: Any) -> Any:
    """The value without the field that it comes from."""
    return value.value if isinstance(value, Sourced) else value


def plain(tree: Tree, origin_of: Callable[[FieldPath], Origin]) -> tuple[Tree, Owners]:
    """The tree without the sources of its values, and by path the origin that `origin_of` gives for each of them."""
    owners: Owners = {}
    return _plain(tree, (), owners, origin_of), owners


def _plain(tree: Any, path: FieldPath, owners: Owners, origin_of: Callable[[FieldPath], Origin]) -> Tree:
    if isinstance(tree, Sourced):
        owners[path] = (origin_of(tree.because)._replace(mirrors=tree.mirrors),)
        return tree.value
    if tree.__class__ is dict:
        return {key: _plain(value, (*path, key), owners, origin_of) for key, value in tree.items()}
    if tree.__class__ is list:
        return [_plain(value, (*path, position), owners, origin_of) for position, value in enumerate(tree)]
    return tree
