"""Value of the merge key `<<` -> the keys that a mapping takes over from it."""

from __future__ import annotations

from collections.abc import Container

from tjgen.trees.fields.path import Tree


def merge(node: dict[str, Tree], written: Container[str], value: Tree, *, follows_go: bool) -> list[str] | None:
    """Add the keys of `value`, a mapping or a list of mappings of which the first wins, to `node`.

    The keys in `written` stay as they are, except with `follows_go`: then those of the merge key win, as for kubectl.
    Returns the keys whose written value was replaced; None, and `node` as it was, for a value that is neither.
    """
    sources = value if value.__class__ is list else [value]
    if any(source.__class__ is not dict for source in sources):
        return None
    replaced = []
    for source in reversed(sources):
        for key, inherited in source.items():
            if key in written:
                if not follows_go:
                    continue
                if node.get(key) != inherited:
                    replaced.append(key)
            node[key] = inherited
    return replaced
