"""A value -> its text in YAML's flow style, as a hint shows it: it can be pasted."""

from __future__ import annotations

import re

from tjgen.trees.fields.path import Tree

_PLAIN = re.compile(r"[A-Za-z/][\w./:@-]*|[0-9]+[A-Za-z]+")
"""Text that needs no quotes."""


def flow(one: Tree) -> str:
    """Scalars in YAML, quoted where they would be read as something else."""
    if one.__class__ is dict:
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in one.items()) + "}"
    if one.__class__ is list:
        return f"[{', '.join(map(flow, one))}]"
    if one.__class__ is bool:
        return "true" if one else "false"
    if one is None:
        return "..."
    if one.__class__ is str and not _PLAIN.fullmatch(one):
        escaped = one.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    return str(one)
