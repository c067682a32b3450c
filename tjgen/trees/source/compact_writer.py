"""A tree -> YAML as people write it: mappings and lists that fit on a line are on one line, all else is in Kubernetes style.

A list of scalars that does not fit fills several lines. The spec is on one line only if all its values are scalars.
"""

from __future__ import annotations

from tjgen.trees.fields.path import Tree
from tjgen.trees.source.quoting import QUOTED, double_quoted
from tjgen.trees.source.writer import dump

WIDTH = 110
_IN_FLOW = frozenset(",[]{}")


def dump_compact(tree: dict[str, Tree], *, width: int = WIDTH) -> str:
    """One document. The first two levels of the tree are in Kubernetes style. Errors as for `dump`."""
    return "".join(_entries(tree, "", "", width))


def _entries(tree: dict[str, Tree], lead: str, indent: str, width: int) -> list[str]:
    lines = []
    for key, value in tree.items():
        head = f"{lead}{QUOTED[key]}:"
        flow = (
            _flow(value) if value.__class__ in (dict, list) and value and (indent or key != "spec" or _is_flat(value)) else None
        )
        if flow is not None and len(head) + 1 + len(flow) <= width:
            lines.append(f"{head} {flow}\n")
        elif flow is not None and value.__class__ is list and _is_flat(value):
            lines += _filled(head, value, indent, width)
        elif value.__class__ is dict and value:
            lines.append(f"{head}\n")
            lines += _entries(value, indent + "  ", indent + "  ", width)
        elif value.__class__ is list and value and value[0].__class__ is dict:
            lines.append(f"{head}\n")
            lines += [line for item in value for line in _item(item, indent, width)]
        else:
            written = dump({key: value}).splitlines(keepends=True)
            lines += [lead + written[0], *(indent + line if line.strip() else line for line in written[1:])]
        lead = indent
    return lines


def _is_flat(value: Tree) -> bool:
    """Whether a mapping or a list holds neither."""
    return not any(one.__class__ in (dict, list) for one in (value.values() if value.__class__ is dict else value))


def _filled(head: str, items: list[Tree], indent: str, width: int) -> list[str]:
    """A list of scalars on as few lines as it takes."""
    lines = [f"{head} ["]
    for position, item in enumerate(items):
        text = (_flow(item) or "") + ("," if position < len(items) - 1 else "]")
        space = "" if lines[-1].endswith("[") else " "
        if len(lines[-1]) + len(space) + len(text) > width and space:
            lines.append(f"{indent}  {text}")
        else:
            lines[-1] += space + text
    return [f"{line}\n" for line in lines]


def _item(item: Tree, indent: str, width: int) -> list[str]:
    flow = _flow(item)
    if flow is not None and len(indent) + 2 + len(flow) <= width:
        return [f"{indent}- {flow}\n"]
    if item.__class__ is dict and item:
        return _entries(item, f"{indent}- ", indent + "  ", width)
    return [indent + line if line.strip() else line for line in dump([item]).splitlines(keepends=True)]


def _flow(value: Tree) -> str | None:
    """A value on one line; None if it holds a text of several lines."""
    if value.__class__ is dict and value:
        items = [(key, _flow(item)) for key, item in value.items()]
        if any(item is None for _, item in items):
            return None
        return "{" + ", ".join(f"{_text(key)}: {item}" for key, item in items) + "}"
    if value.__class__ is list and value:
        parts = [_flow(item) for item in value]
        return None if any(part is None for part in parts) else "[" + ", ".join(part or "" for part in parts) + "]"
    if value.__class__ is str:
        return None if "\n" in value else _text(value)
    return dump(value).rstrip("\n")


def _text(text: str) -> str:
    quoted = QUOTED[text]
    return double_quoted(text) if quoted == text and not _IN_FLOW.isdisjoint(text) else quoted
