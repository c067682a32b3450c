"""A tree -> YAML in Kubernetes style: two spaces, sequences not indented under their key, block literals, few quotes.

Keys have the order of the tree; the same tree gives the same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tjgen.trees import regex
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.quoting import QUOTED, double_quoted, has_hidden
from tjgen.trees.source.scalars import Memo

_LONGEST_KEY = 1_000
"""Readers look for the colon of a key within 1024 characters; longer keys are announced by a question mark."""
# A block literal can hold any visible text whose first line with text does not begin with a space: that line sets the
# indentation. A carriage return would be read as a line break.
_LITERAL = r"\n*[^\x00-\x20\x7f][^\x00-\x08\x0b-\x1f\x7f]*\Z"
_INFINITY = float("inf")

Write = Callable[[str], None]


def dump(tree: Tree) -> str:
    """One document. Raises ValueError for a number that YAML for Kubernetes cannot hold, TypeError for what is not a tree."""
    lines: list[str] = []
    if tree.__class__ is dict and tree:
        _mapping(tree, "", "", lines.append)
    elif tree.__class__ is list and tree:
        _sequence(tree, "", "", lines.append)
    else:
        lines.append(_scalar(tree, "") + "\n")
    return "".join(lines)


def dump_all(trees: Iterable[Tree]) -> str:
    """Several documents with separators between them."""
    return "---\n".join([dump(tree) for tree in trees])


def _mapping(mapping: dict[str, Tree], lead: str, indent: str, write: Write) -> None:
    """Write the entries, the first behind `lead`, the others behind `indent`."""
    for key, value in mapping.items():
        name = _NAMES[key] if len(key) < _LONGEST_KEY else f"? {double_quoted(key)}\n{indent}:"
        kind = value.__class__
        if kind is str:
            write(f"{lead}{name} {QUOTED[value] if chr(10) not in value else _lines(value, indent + '  ')}\n")
        elif kind is dict and value:
            write(f"{lead}{name}\n")
            inner = indent + "  "
            _mapping(value, inner, inner, write)
        elif kind is list and value:
            write(f"{lead}{name}\n")
            _sequence(value, indent, indent, write)
        else:
            write(f"{lead}{name} {_scalar(value, indent)}\n")
        lead = indent


_NAMES = Memo(lambda key: QUOTED[key] + ":")
"""Key -> how it begins a line."""


def _sequence(items: list[Tree], lead: str, indent: str, write: Write) -> None:
    for value in items:
        kind = value.__class__
        if kind is str:
            write(f"{lead}- {QUOTED[value] if chr(10) not in value else _lines(value, indent + '  ')}\n")
        elif kind is dict and value:
            _mapping(value, lead + "- ", indent + "  ", write)
        elif kind is list and value:
            _sequence(value, lead + "- ", indent + "  ", write)
        else:
            write(f"{lead}- {_scalar(value, indent)}\n")
        lead = indent


def _scalar(value: Tree, indent: str) -> str:
    kind = value.__class__
    if kind is str:
        return QUOTED[value] if "\n" not in value else _lines(value, indent + "  ")
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is float:
        return _float(value)
    if kind is dict and not value:
        return "{}"
    if kind is list and not value:
        return "[]"
    raise TypeError(f"a tree holds no {kind.__name__}: {value!r}")


def _float(value: float) -> str:
    if not -_INFINITY < value < _INFINITY:  # math.isfinite, without importing math
        raise ValueError(f"JSON cannot hold the number {value}")
    text = repr(value)
    # YAML 1.1 readers see a number with an exponent only if it has a point.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _lines(text: str, indent: str) -> str:
    """A text of several lines as a block literal, or in double quotes where a literal would be misread."""
    if not regex.match(_LITERAL, text) or has_hidden(text):
        return double_quoted(text)
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    chomping = "-" if ends == 0 else "" if ends == 1 else "+"
    indented = [indent + line if line else line for line in body.split("\n")]
    return f"|{chomping}\n" + "\n".join(indented) + "\n" * max(0, ends - 1)
