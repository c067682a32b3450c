"""Objects that differ only by numbers -> one document for all of them: `node-0-{0..15}` are 16 names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tjgen.trees import regex
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import NamedTuple

_FEW = 24
"""Objects that are all built."""


class Collapsed(NamedTuple):
    """One document for several objects in a row."""

    tree: Tree
    """The first object, with `{A..B}` where the values count up from A to B."""
    first: Tree
    number: int
    differing: list[FieldPath]
    """Fields whose values do not count up; the tree has those of the first object."""


class IrregularError(Exception):
    """The objects of a sample do not show where the fields of the objects between them change."""


def sample(number: int) -> Sequence[int]:
    """The ordinals of the objects to build: of many, those at the ends and where the number of digits changes."""
    if number <= _FEW:
        return range(number)
    chosen = {0, 1, 2, number - 2, number - 1}
    power = 10
    while power < number:
        chosen |= {power - 1, power, power + 1}
        power *= 10
    return sorted(one for one in chosen if one < number)


def collapse(trees: Sequence[Tree], ordinals: Sequence[int], total: int) -> Iterator[Collapsed]:
    """Yield a document for each row of objects with the same fields.

    `trees` are the objects with these ordinals, of `total` objects. Raises IrregularError if a row ends between two of them that
    are not neighbors.
    """
    start = 0
    while start < len(trees):
        end = start + 1
        while end < len(trees) and _has_same_fields(trees[end - 1], trees[end]):
            end += 1
        following = ordinals[end] if end < len(ordinals) else total
        if following != ordinals[end - 1] + 1:
            raise IrregularError
        members, first = trees[start:end], ordinals[start]
        differing: list[FieldPath] = []
        tree = _merged(members, [ordinal - first for ordinal in ordinals[start:end]], (), differing)
        yield Collapsed(tree, members[0], following - first, differing)
        start = end


def _has_same_fields(one: Tree, other: Tree) -> bool:
    """Whether two trees differ by nothing but values. Objects of one series share most of their parts."""
    if one is other:
        return True
    if one.__class__ is not other.__class__:
        return False
    if one.__class__ is dict:
        return list(one) == list(other) and _have_same_fields(one.values(), other.values())
    if one.__class__ is list:
        return len(one) == len(other) and _have_same_fields(one, other)
    return True


def _have_same_fields(some: Iterable[Tree], others: Iterable[Tree]) -> bool:
    for one, other in zip(some, others, strict=True):
        if one is not other and not (one.__class__ is other.__class__ is str or _has_same_fields(one, other)):
            return False
    return True


def _merged(values: Sequence[Tree], offsets: Sequence[int], path: FieldPath, differing: list[FieldPath]) -> Tree:
    first = values[0]
    if all(value is first for value in values) or all(value == first for value in values):
        return first
    if first.__class__ is dict:
        return {key: _merged([value[key] for value in values], offsets, (*path, key), differing) for key in first}
    if first.__class__ is list:
        return [
            _merged(list(items), offsets, (*path, position), differing)
            for position, items in enumerate(zip(*values, strict=True))
        ]
    text = _pattern([str(value) for value in values], offsets)
    if text is None:
        differing.append(path)
        return first
    return text


def _pattern(texts: Sequence[str], offsets: Sequence[int]) -> str | None:
    """The texts as one with ranges; None if they differ by something else than numbers that count up with the offsets."""
    split = [regex.split("([0-9]+)", text) for text in texts]
    if len({len(parts) for parts in split}) != 1:
        return None
    result = []
    for parts in zip(*split, strict=True):
        first = parts[0]
        if all(part == first for part in parts):
            result.append(first)
        elif first.isdecimal() and all(part == str(int(first) + offset) for offset, part in zip(offsets, parts, strict=True)):
            result.append(f"{{{first}..{parts[-1]}}}")
        else:
            return None
    return "".join(result)
