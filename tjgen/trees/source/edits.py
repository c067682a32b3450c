"""A YAML text and the change of one field -> the text with the change and everything else as it was, comments included.

If a change would affect other values, such as those of an alias, the result is None. Each result
has been parsed again, and has the expected value.
"""

from __future__ import annotations

import json
from io import StringIO

from tjgen.trees.diagnostics.model import Span
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import read
from tjgen.trees.source.writer import dump

_SCALARS = (str, int, float, bool)


class Stream:
    """A text of several documents. Each is edited by itself, so an edit takes no longer for the others."""

    def __init__(self, content: str, file: str, dialect: str) -> None:
        self._file = file
        self._dialect = dialect
        self._pieces: list[str] = []
        self._at: dict[int, int] = {}
        documents, _ = read(content, file, dialect)
        whole = documents[0].text if documents else content
        position = 0
        for document in documents:
            start, end = document.extent
            self._at[document.index] = len(self._pieces) + 1
            self._pieces += [whole[position:start], whole[start:end]]
            position = end
        self._pieces.append(whole[position:])

    @property
    def text(self) -> str:
        """The whole text as it is now."""
        return "".join(self._pieces)

    def document(self, index: int) -> str | None:
        """The text of one document; None if there is none of that number."""
        at = self._at.get(index)
        return None if at is None else self._pieces[at]

    def edited(self, text: str, path: FieldPath, value: Tree) -> str | None:
        """The text of one document as `edited` changes it."""
        return edited(text, self._file, self._dialect, 0, path, value)

    def put(self, index: int, text: str) -> None:
        """Replace a document with another text."""
        self._pieces[self._at[index]] = text


def edited(content: str, file: str, dialect: str, index: int, path: FieldPath, value: Tree) -> str | None:
    """The text in which the document `index` has `value` at `path`, or nothing where it is MISSING."""
    document = _document(content, file, dialect, index)
    if document is None:
        return None
    wanted = changed(document.value, path, value)
    text = _removed(document, path) if value is MISSING else _set(document, path, value)
    if text is None:
        return None
    again = _document(text, file, dialect, index)
    return text if again is not None and again.value == wanted else None


def changed(tree: Tree, path: FieldPath, value: Tree) -> Tree:
    """The tree with `value` at `path`, without it where it is MISSING; mappings and lists that are left empty go too."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        items = [changed(item, rest, value) if at == step else item for at, item in enumerate(tree)]
        return [item for at, item in enumerate(items) if at != step or not _is_removed(item, value)]
    before = tree if tree.__class__ is dict else {}
    inner = changed(before.get(step), rest, value) if rest or value is not MISSING else MISSING
    if _is_removed(inner, value):
        return {key: one for key, one in before.items() if key != step}
    return {**before, step: inner}


def _is_removed(tree: Tree, value: Tree) -> bool:
    """Whether nothing is left of `tree` after the change of a value in it to `value`."""
    return tree is MISSING or (value is MISSING and tree in ({}, []))


def _document(content: str, file: str, dialect: str, index: int) -> Document | None:
    documents, _ = read(content, file, dialect)
    return next((document for document in documents if document.index == index), None)


def _set(document: Document, path: FieldPath, value: Tree) -> str | None:
    known = len(path)
    while known and get(document.value, path[:known]) is MISSING:
        known -= 1
    if known == len(path):
        return _replaced(document, path, value)
    keys = [step for step in path[known:] if isinstance(step, str)]
    holder = get(document.value, path[:known])
    if holder.__class__ is not dict or not holder or len(keys) != len(path) - known:
        return None
    entry = value
    for key in reversed(keys):
        entry = {key: entry}
    return _added(document, path[:known], list(holder), entry)


def _replaced(document: Document, path: FieldPath, value: Tree) -> str | None:
    """Return the text with another scalar instead of one on a single line."""
    span = _own(document, path)
    if span is None or span.line != span.end_line or value.__class__ not in _SCALARS:
        return None
    if get(document.value, path).__class__ not in _SCALARS:
        return None
    start, end = _range(document.text, span)
    text = document.text
    holders = [_own(document, path[:length]) for length in range(len(path))]
    in_flow = any(text[_range(text, holder)[0]] in "{[" for holder in holders if holder is not None)
    return text[:start] + (_scalar(value) if in_flow else dump(value).rstrip("\n")) + text[end:]


def _added(document: Document, path: FieldPath, keys: list[str], entry: dict[str, Tree]) -> str | None:
    """The text with one entry more behind the last of a mapping."""
    holder = _own(document, path)
    key = document.locate((*path, keys[0]), key=True)
    last = _own(document, (*path, keys[-1]))
    if holder is None or key is None or last is None:
        return None
    text = document.text
    start, end = _range(text, holder)
    if text[start] == "{":
        closing = text.rfind("}", start, end)
        is_json = text[_range(text, key)[0]] == '"'
        inner = (json.dumps(entry, ensure_ascii=False) if is_json else _flow(entry))[1:-1]
        at = len(text[:closing].rstrip())
        return f"{text[:at]}, {inner}{text[at:]}"
    lines = _lines(text)
    after = _last(last, lines)
    margin = " " * (key.column - 1)
    block = "".join(margin + line for line in dump(entry).splitlines(keepends=True))
    if lines[after - 1][-1:] not in "\r\n":
        block = _break(text) + block.rstrip("\n")
    return "".join([*lines[:after], block.replace("\n", _break(text)), *lines[after:]])


def _flow(tree: Tree) -> str:
    """A mapping of mappings and scalars in flow style."""
    if tree.__class__ is not dict:
        return _scalar(tree)
    return "{" + ", ".join(f"{_scalar(key)}: {_flow(value)}" for key, value in tree.items()) + "}"


def _scalar(value: Tree) -> str:
    """A scalar that flow style does not take apart."""
    text = dump(value).rstrip("\n")
    return text if text.startswith('"') or not set(text) & set(",[]{}\n") else json.dumps(value, ensure_ascii=False)


def _removed(document: Document, path: FieldPath) -> str | None:
    """Return the text without an entry, and without the mappings that contained only it."""
    while len(path) > 1 and isinstance(path[-2], str) and len(get(document.value, path[:-1])) == 1:
        path = path[:-1]
    key, value, holder = document.locate(path, key=True), _own(document, path), _own(document, path[:-1])
    if key is None or value is None or holder is None or not isinstance(path[-1], str):
        return None
    text = document.text
    if text[_range(text, holder)[0]] == "{":
        start, end = _range(text, key)[0], _range(text, value)[1]
        rest = text[end:].lstrip()
        if rest.startswith(","):
            end = len(text) - len(rest[1:].lstrip(" "))
        else:
            start = len(text[:start].rstrip().removesuffix(","))
        return text[:start] + text[end:]
    lines = _lines(text)
    if lines[key.line - 1][: key.column - 1].strip():
        return None
    return "".join([*lines[: key.line - 1], *lines[_last(value, lines) :]])


def _own(document: Document, path: FieldPath) -> Span | None:
    """Return the place of the value if it is inside its container: an alias is elsewhere."""
    span = document.locate(path)
    if span is None or not path:
        return span
    holder = _own(document, path[:-1])
    if holder is None:
        return None
    inside = (holder.line, holder.column) <= (span.line, span.column) and (span.end_line, span.end_column) <= (
        holder.end_line,
        holder.end_column,
    )
    return span if inside else None


def _last(value: Span, lines: list[str]) -> int:
    """The number of the line that a value ends on; blank lines and comments behind it are not its."""
    end = value.end_line if value.end_column > 1 else value.end_line - 1
    while end > value.line and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end


def _range(text: str, span: Span) -> tuple[int, int]:
    """The characters of a span."""
    starts = [0]
    for line in _lines(text):
        starts.append(starts[-1] + len(line))
    return starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1


def _lines(text: str) -> list[str]:
    """Lines as editors count them: other signs that Unicode calls breaks end none."""
    return StringIO(text, newline="").readlines()


def _break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
