"""A tree and its Go type -> the JSON that Go writes into an error: fields in the order of the struct."""

from __future__ import annotations

from tjgen.fields.path import Tree
from tjgen.trainer.typed import struct
from tjgen.validate.wording import as_json


def go_json(tree: Tree, name: str) -> str:
    """`tree`, or each element of it, as encoding/json writes the Go type `name`."""
    if tree.__class__ is list:
        return "[" + ",".join(go_json(item, name) for item in tree) + "]"
    if tree.__class__ is not dict or not name:
        return as_json(tree)
    fields = struct(name).fields
    parts = [f'"{key}":{go_json(tree[key], field.struct)}' for key, field in fields.items() if key in tree]
    return "{" + ",".join(parts) + "}"
