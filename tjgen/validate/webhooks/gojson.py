"""A tree and its Go type -> the JSON that Go writes into an error: fields in the order of the struct."""

from __future__ import annotations

from tjgen.fields.path import Tree
from tjgen.trainer.typed import struct
from tjgen.validate.wording import as_json


def go_json(tree: Tree, name: str, written: Tree = None) -> str:
    """`tree`, or each element of it, as encoding/json writes the Go type `name`.

    `written` is the same value as it stands in the file: only there an empty list differs from an absent one.
    """
    if tree.__class__ is list:
        items = written if written.__class__ is list and len(written) == len(tree) else [None] * len(tree)
        return "[" + ",".join([go_json(*pair) for pair in zip(tree, [name] * len(tree), items, strict=True)]) + "]"
    if tree.__class__ is not dict or not name:
        return as_json(tree)
    before: dict[str, Tree] = written if written.__class__ is dict else {}
    parts = []
    for key, field in struct(name).fields.items():
        if key in tree:
            parts.append(f'"{key}":{go_json(tree[key], field.struct, before.get(key))}')
        elif field.is_null:
            parts.append(f'"{key}":{"[]" if before.get(key) == [] else "null"}')
    return "{" + ",".join(parts) + "}"
