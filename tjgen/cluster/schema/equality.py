"""JSON values -> which of them are equal; the order of keys does not matter."""

from __future__ import annotations

from tjgen.trees.fields.path import Tree


def repeated(values: list[Tree]) -> list[int]:
    """The position of the second of several equal values."""
    counts: dict[str, int] = {}
    positions = []
    for position, value in enumerate(values):
        text = _identity(value)
        counts[text] = counts.get(text, 0) + 1
        if counts[text] == 2:
            positions.append(position)
    return positions


def shown(value: Tree) -> str:
    """The value as messages show it: strings in double quotes."""
    return f'"{value}"' if value.__class__ is str else _identity(value)


def _identity(value: Tree) -> str:
    """A text that two values share only if they are equal as JSON values; the order of keys does not matter."""
    kind = value.__class__
    if kind is dict:
        return "{" + ",".join([f"{key!r}:{_identity(value[key])}" for key in sorted(value)]) + "}"
    if kind is list:
        return "[" + ",".join(map(_identity, value)) + "]"
    return repr(value)
