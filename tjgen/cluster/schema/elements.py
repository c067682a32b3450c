"""Two lists of a strategic merge patch -> the merged list, in the order that upstream gives it.

Mirrors k8s.io/apimachinery 0.36 `strategicpatch.mergeSlice` and `normalizeElementOrder`. Both strategic merges of tjgen merge
lists here: `trainer/strategic.py` and `validate/update/strategic.py`, which describe why their walks over objects differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tjgen.trees.fields.ordinals import Ordinals
from tjgen.trees.fields.path import MISSING, Tree
from tjgen.trees.typing import Any

KeyOf = Callable[[Any], Tree]
"""Returns the merge key of an element; raises the error of its caller if the element has none."""


def merged_scalars(items: list[Tree], patch: list[Tree]) -> list[Tree]:
    """The values of both lists, each once."""
    return in_order(dict.fromkeys([*items, *patch]), patch, items, lambda item: item)


def merged_elements(
    items: list[Any], patch: list[Any], name: str, key_of: KeyOf, combine: Callable[[Tree, int], Any]
) -> list[Tree]:
    """`items` with the elements of `patch` merged in, each into the first element with the same value of the field `name`.

    `combine` gets the element that an element of the patch is merged into, or MISSING, and the position in the patch. The
    new elements are at the end; `in_order` moves them.
    """
    merged = list(items)
    places = Ordinals(item.get(name, MISSING) for item in items)
    for position, item in enumerate(patch):
        at = places.of(key_of(item))
        if at < 0:
            merged.append(combine(MISSING, position))
            places.append(item[name])
        else:
            merged[at] = combine(merged[at], position)
    return merged


def in_order(merged: Iterable[Tree], patch: list[Any], before: list[Any], key_of: KeyOf) -> list[Tree]:
    """Elements that the patch names in its order, the others in the order that they had before.

    An element that the patch does not name comes first only if it was before the next element that the patch names, so new
    elements come to the front.
    """
    wanted, known = Ordinals(map(key_of, patch)), Ordinals(map(key_of, before))
    named: list[tuple[int, int, Tree]] = []
    others: list[tuple[int, Tree]] = []
    for item in merged:
        key = key_of(item)
        if wanted.of(key) >= 0:
            named.append((wanted.of(key), known.of(key), item))
        else:
            others.append((known.of(key), item))
    named.sort(key=lambda entry: entry[0])
    # An element of neither list is last.
    others.sort(key=lambda entry: (entry[0] < 0, entry[0]))
    result: list[Tree] = []
    rest = iter(others)
    other = next(rest, None)
    for _, position, item in named:
        while other is not None and 0 <= other[0] < position:
            result.append(other[1])
            other = next(rest, None)
        result.append(item)
    return [*result, *([other[1]] if other is not None else []), *[item for _, item in rest]]
