"""A tree and its Go type -> the text that Go writes into an error: JSON, with fields in the order of the struct."""

from __future__ import annotations

from tjgen.cluster.trainer.release import Release
from tjgen.cluster.trainer.typed import NEWEST, Types
from tjgen.cluster.validate.wording import as_json
from tjgen.trees.fields.path import Tree


def shown(tree: Tree, go_type: str, release: Release, written: Tree = None) -> str:
    """`tree` as a webhook of `release` writes a value of the Go type `go_type`, or of a list of them."""
    if not release.shows_values_as_json:
        from tjgen.cluster.validate.webhooks.gosyntax import go_syntax  # of releases that few clusters still have

        return go_syntax(tree if written is None else written, go_type, release.types)
    return go_json(tree, go_type.removeprefix("[]"), written, release.types)


def go_json(tree: Tree, name: str, written: Tree = None, types: Types = NEWEST) -> str:
    """`tree`, or each element of it, as encoding/json writes the Go type `name`.

    `written` is the same value as in the file: only there an empty list differs from an absent one.
    """
    if tree.__class__ is list:
        items = written if written.__class__ is list and len(written) == len(tree) else [None] * len(tree)
        return "[" + ",".join([go_json(item, name, before, types) for item, before in zip(tree, items, strict=True)]) + "]"
    if tree.__class__ is not dict or not name:
        return as_json(tree)
    before: dict[str, Tree] = written if written.__class__ is dict else {}
    parts = []
    struct = types.struct(name)
    for key in struct.fields.notations:
        if key in tree:
            field = struct.fields[key]
            parts.append(f'"{key}":{go_json(tree[key], field.struct if field is not None else "", before.get(key), types)}')
        elif key in struct.nulls:
            parts.append(f'"{key}":{"[]" if before.get(key) == [] else "null"}')
    return "{" + ",".join(parts) + "}"
