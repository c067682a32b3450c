"""Objects that differ only by numbers -> one document for all of them: `node-0-{0..15}` are 16 names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from tjgen.trees import regex
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import NamedTuple


class Collapsed(NamedTuple):
    """One document for several objects in a row."""

    tree: Tree
    """The first object, with `{A..B}` where the values count up from A to B."""
    first: Tree
    number: int
    differing: list[FieldPath]
    """Fields whose values do not count up; the tree has those of the first object."""


def collapse(trees: Sequence[Tree]) -> Iterator[Collapsed]:
    """Yield a document for each row of objects with the same fields."""
    shapes: dict[int, object] = {}
    for _, row in groupby(trees, key=lambda tree: _shape(tree, shapes)):
        members = list(row)
        differing: list[FieldPath] = []
        yield Collapsed(_merged(members, (), differing), members[0], len(members), differing)


def _shape(tree: Tree, known: dict[int, object]) -> object:
    """The fields of a tree without their values. `known` holds the shapes of parts that several trees share, by identity."""
    shape = known.get(id(tree))
    if shape is None:
        shape = tree.__class__
        if tree.__class__ is dict:
            shape = tuple([(key, _shape(value, known)) for key, value in tree.items()])
        elif tree.__class__ is list:
            shape = tuple([_shape(value, known) for value in tree])
        known[id(tree)] = shape
    return shape


def _merged(values: Sequence[Tree], path: FieldPath, differing: list[FieldPath]) -> Tree:
    first = values[0]
    if all(value is first for value in values) or all(value == first for value in values):
        return first
    if first.__class__ is dict:
        return {key: _merged([value[key] for value in values], (*path, key), differing) for key in first}
    if first.__class__ is list:
        return [_merged(list(items), (*path, position), differing) for position, items in enumerate(zip(*values, strict=True))]
    text = _pattern([str(value) for value in values])
    if text is None:
        differing.append(path)
        return first
    return text


def _pattern(texts: Sequence[str]) -> str | None:
    """The texts as one with ranges; None if they differ by something else than numbers that count up."""
    split = [regex.split("([0-9]+)", text) for text in texts]
    if len({len(parts) for parts in split}) != 1:
        return None
    result = []
    for parts in zip(*split, strict=True):
        first = parts[0]
        if all(part == first for part in parts):
            result.append(first)
        elif first.isdecimal() and all(part == str(int(first) + number) for number, part in enumerate(parts)):
            result.append(f"{{{first}..{parts[-1]}}}")
        else:
            return None
    return "".join(result)
