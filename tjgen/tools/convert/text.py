"""The text of a document and its converted tree -> the text with what has changed rewritten, and the rest as it was.

Only the changed entries of `spec` are written again; comments and the order of all else stay. A document in
flow style is written again as a whole.
"""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Span
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.source.document import Document
from tjgen.trees.source.writer import dump


def rewritten(document: Document, tree: Tree) -> str | None:
    """The lines of the file from the document's first entry to its last, or None where they cannot be kept apart."""
    lines = document.text.splitlines(keepends=True)
    edits = _edits(document, tree, ("spec",), lines)
    if edits is None:
        return None
    for start, end, text in sorted(edits, reverse=True):
        lines[start:end] = [text] if text else []
    return "".join(lines)


Edit = tuple[int, int, str]


def _edits(document: Document, tree: Tree, path: FieldPath, lines: list[str]) -> list[Edit] | None:
    """Return the first and last line to replace for the mapping at `path`; None in flow style."""
    before, after = get(document.value, path, None), get(tree, path, None)
    if before.__class__ is not dict or after.__class__ is not dict or _is_flow(document, path, lines):
        return None
    edits: list[Edit] = []
    new = [key for key in after if key not in before]
    for key, value in before.items():
        if key in after and after[key] == value:
            continue
        entry = _entry(document, (*path, key), lines)
        if entry is None:
            return None
        start, end, column = entry
        if value.__class__ is dict and value and after.get(key).__class__ is dict and after[key]:
            below = _edits(document, tree, (*path, key), lines)
            if below is not None:
                edits += below
                continue
        # New entries replace the first removed entry that changed the runtime.
        fresh = [key] if key in after else new
        if key not in after:
            new = []
        edits.append((start, end, _block({one: after[one] for one in fresh}, column)))
    if new:
        last = _entry(document, (*path, next(reversed(before))), lines)
        if last is None:
            return None
        edits.append((last[1], last[1], _block({key: after[key] for key in new}, last[2])))
    return edits


def _is_flow(document: Document, path: FieldPath, lines: list[str]) -> bool:
    place = document.locate(path)
    return place is not None and lines[place.line - 1][place.column - 1 :].startswith("{")


def _entry(document: Document, path: FieldPath, lines: list[str]) -> tuple[int, int, int] | None:
    """First line, line after the last, and indentation of a key with its value; None where it shares a line with others."""
    key, value = document.locate(path, key=True), document.locate(path)
    if key is None or value is None or lines[key.line - 1][: key.column - 1].strip():
        return None
    return key.line - 1, _last(value, lines), key.column - 1


def _last(value: Span, lines: list[str]) -> int:
    """The line after the value. A block ends where the next thing begins, so blank lines and comments before that are not its."""
    end = value.end_line if value.end_column > 1 else value.end_line - 1
    while end > value.line and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end


def _block(entries: dict[str, Tree], column: int) -> str:
    margin = " " * column
    return "".join(margin + line if line.strip() else line for line in dump(entries).splitlines(keepends=True)) if entries else ""
