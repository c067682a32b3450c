"""A manifest that was read -> the shape of its text: segments, and what the texts between them must be like.

A text is opaque if the equivalence key of the manifest leaves it out, it has a digit, and it is the rest of its line, behind its
key or a dash. YAML reads every text that such a place accepts as the same kind of value.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.trainer.runtimes import text_size
from tjgen.cluster.validate.equivalence import FREE, LABEL, MARK, NAME, SIZE, forms
from tjgen.trees import regex
from tjgen.trees.diagnostics import tokens
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.fields.stamp import Marks, stamped
from tjgen.trees.source.document import Document
from tjgen.trees.source.segments import SEVERAL, Segments
from tjgen.trees.typing import Any, NamedTuple

Equivalence = tuple[object, ...]

SEPARATOR = "---\n"
_MARK = "mq{:04}z"
_COMMENT, _DIGEST = "comment", "digest"
_WORD = "(?=[^\n]*[0-9])"
"""A text without a digit may be a word with a meaning to a program, or one that YAML reads as another value."""
_LETTER = "(?=[A-Za-z])"
"""A scalar without quotes that begins with a letter and has a digit is a string."""
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_NAME = "[a-z][a-z0-9]*+(?=[a-z-]*[0-9])(?:-[a-z0-9]+)+"
_PLAIN = {
    _COMMENT: "[ -~]{1,4000}",
    FREE: f"{_WORD}{_LETTER}[A-Za-z0-9_./:@+-]{{0,199}}[A-Za-z0-9_./@+-]",
    LABEL: f"{_WORD}{_LETTER}{_LABEL}",
    NAME: _NAME,
    SIZE: "[1-9][0-9]{0,8}[KMGT]i?",
}
"""Form -> what an opening without quotes accepts."""
_QUOTED = {
    FREE: f"{_WORD}[!#-&(-\\[\\]-~]{{1,200}}",
    LABEL: f"{_WORD}{_LABEL}",
    NAME: _NAME,
    SIZE: _PLAIN[SIZE],
    _DIGEST: "(?=[0-9]*[a-f][0-9]*[a-f])[0-9a-f]{32,64}",
}
"""Form -> what an opening in quotes accepts."""
_PLAIN[_DIGEST] = _QUOTED[_DIGEST]  # with two letters it is not a number
_BEFORE = r" *(?:- +)*(?:(?<=- )|[A-Za-z0-9_./-]+: +)"
"""What is before an opening on its line."""
_HEADER = "#[^\n]*: +(?=[^ \n])"
_QUOTES = ("'", '"')
_HEAD = ("apiVersion", "kind", "metadata")


class OpaquePlace(NamedTuple):
    """The place of an opaque text: in a comment before the document, or in the scalar at a path."""

    form: str
    quote: str
    path: FieldPath


class TextShape:
    """Documents that differ only in opaque texts."""

    def __init__(self, segments: Segments, document: Document, texts: list[str]) -> None:
        self.segments = segments
        self.is_proven = False
        self._size: int | None = None
        self._values: int | None = None
        self._comments = sum(opening.form == _COMMENT for opening in segments.openings)
        own = segments.openings[self._comments :]
        groups: dict[tuple[str, str], list[int]] = {}
        for number, opening in enumerate(segments.openings):
            groups.setdefault((opening.form, opening.quote), []).append(number)
        self._groups = [(_pattern(form, quote).fullmatch, numbers) for (form, quote), numbers in groups.items()]
        self._measured = [number for number, opening in enumerate(own) if opening.form in (NAME, _DIGEST)]
        marks = [_MARK.format(number) for number in range(len(own))]
        tree = document.value
        for opening, mark in zip(own, marks, strict=True):
            tree = _with(tree, opening.path, mark)
        self._stamps = stamps = Marks(marks)
        self._marked = tree
        self._derived: dict[object, object] = {}
        self.tree = stamps.stamp(tree)
        metadata = tree["metadata"]
        self.head = stamps.stamp({key: tree[key] for key in _HEAD})
        self.kind: str = tree["kind"]
        self._identity = stamps.stamp((tree["apiVersion"], self.kind, metadata["name"], metadata.get("namespace")))
        self.constants = frozenset(texts_of(tree))
        self._name = next((number for number, one in enumerate(own) if one.path == ("metadata", "name")), -1)
        start, end = document.extent
        self._before = self._comments if start else 0
        """Comments that end before the document begins."""
        self._start = start - sum(map(len, texts[: self._before]))
        self._rest = len(document.text) - end

    def texts(self, content: str) -> list[str] | None:
        """The opaque texts of a document of this shape."""
        texts = self.segments.texts(content)
        if texts is None:
            return None
        for accepts, numbers in self._groups:
            if accepts("\n".join([texts[number] for number in numbers])) is None:
                return None
        return texts

    def equivalence(self, texts: list[str]) -> Equivalence | None:
        """What a verdict depends on, in addition to the shape; None if it can depend on a text."""
        own = texts[self._comments :]
        name = own[self._name] if self._name >= 0 else ""
        if name and any(name in segment for segment in self.segments.fixed[self._comments :]):
            return None
        joined = "\n".join(own)
        if tokens.is_marked(joined) and next(tokens.find(joined), None) is not None:
            return None
        first: dict[str, object] = {text: text for text in self.constants.intersection(own)}
        equal = [first.setdefault(text, number) for number, text in enumerate(own)]
        return (id(self), *equal, *[len(own[number]) for number in self._measured])

    def own(self, texts: list[str]) -> list[str]:
        """The texts of the manifest itself."""
        return texts[self._comments :]

    def identity(self, texts: list[str]) -> tuple[str, str, str, Tree]:
        """API version, kind, name and namespace."""
        return stamped(self._identity, self.own(texts))  # type: ignore[no-any-return]  # the stamp of such a tuple

    def derived(self, compute: Callable[[Tree], Any], texts: list[str]) -> Any:
        """What a function returns for the tree with these texts, if it only moves texts as they are."""
        stamp = self._derived.get(compute, self._derived)
        if stamp is self._derived:
            stamp = self._derived[compute] = self._stamps.stamp(compute(self._marked))
        return stamped(stamp, self.own(texts))

    @property
    def values(self) -> int:
        """The number of keys, scalars, lists and mappings of the manifest."""
        if self._values is None:
            self._values = values_of(self._marked)
        return self._values

    def text_size(self, texts: list[str]) -> int:
        """The result of `text_size` for the tree with these texts, each of which has one place."""
        if self._size is None:
            marks = len(self.segments.openings) - self._comments
            self._size = text_size(self._marked) - marks * len(_MARK.format(0))
        return self._size + sum(map(len, self.own(texts)))

    def extent(self, texts: list[str], length: int) -> tuple[int, int]:
        """Where a document begins and ends in a text of this length."""
        return self._start + sum(map(len, texts[: self._before])), length - self._rest


def shape_of(document: Document) -> TextShape | None:
    """The shape of a document; None if it can have none, or has no opaque text."""
    content, tree = document.text, document.value
    if any(sign in content for sign in (*SEVERAL, "\r", "\t", "!", "%", "mq0", "binaryData")):
        return None
    if tree.__class__ is not dict or (tree.get("apiVersion"), tree.get("kind")) == ("v1", "List"):
        return None
    if not all(get(tree, path, None).__class__ is str for path in (("apiVersion",), ("kind",), ("metadata", "name"))):
        return None
    places = [*_comments(content), *_scalars(document)]
    if all(opening.form == _COMMENT for _, _, opening in places):
        return None
    segments = Segments.split(content, sorted(places, key=lambda place: place[0]))
    texts = segments.texts(content) if segments is not None else None
    if segments is None or texts is None or [content[start:end] for start, end, _ in sorted(places)] != texts:
        return None
    shape = TextShape(segments, document, texts)
    return shape if shape.texts(content) is not None else None


def _comments(content: str) -> list[tuple[int, int, OpaquePlace]]:
    """The comments before the manifest that have a text behind a colon, such as the header of a written file."""
    places, start = [], len(SEPARATOR) if content.startswith(SEPARATOR) else 0
    while content.startswith("#", start):
        end = content.find("\n", start)
        match = regex.match(_HEADER, content[start:end]) if end > 0 else None
        if match is not None:
            places.append((start + match.end(), end, OpaquePlace(_COMMENT, "", ())))
        start = end + 1 if end > 0 else len(content)
    return places


def _scalars(document: Document) -> list[tuple[int, int, OpaquePlace]]:
    """The openings of a document."""
    content, places = document.text, []
    blocks: dict[FieldPath, bool] = {}
    for path, form in forms(document.value):
        value = get(document.value, path, None)
        if not value.isascii() or regex.search("[0-9]", value) is None or not _is_block(document, path[:-1], blocks):
            continue
        bounds = document.bounds(path)
        if bounds is None:
            continue
        start, end = bounds
        line = content.rfind("\n", 0, start) + 1
        quote = content[start] if content[start] in _QUOTES else ""
        is_alone = content[end : end + 1] in ("", "\n") and regex.fullmatch(_BEFORE, content[line:start]) is not None
        start, end = start + len(quote), end - len(quote)
        for one in (_DIGEST, NAME) if form == MARK else (form,):
            if is_alone and content[start:end] == value and _pattern(one, quote).fullmatch(value) is not None:
                places.append((start, end, OpaquePlace(one, quote, path)))
                break
    return places


def _is_block(document: Document, path: FieldPath, known: dict[FieldPath, bool]) -> bool:
    """Whether a list or mapping, and all around it, are written without brackets."""
    if path not in known:
        bounds = document.bounds(path) if not path or _is_block(document, path[:-1], known) else None
        known[path] = bounds is not None and document.text[bounds[0]] not in "[{"
    return known[path]


def _pattern(form: str, quote: str) -> Any:
    """What fits texts of a form, one on each line."""
    one = (_QUOTED if quote else _PLAIN)[form]
    return regex.compile(f"(?:{one}\n)*{one}")


def _with(tree: Tree, path: FieldPath, value: str) -> Tree:
    """The tree with another value at a path."""
    if not path:
        return value
    changed = tree.copy()
    changed[path[0]] = _with(tree[path[0]], path[1:], value)
    return changed


def values_of(tree: Tree) -> int:
    """The number of keys, scalars, lists and mappings of a tree."""
    if tree.__class__ is dict:
        return 1 + len(tree) + sum(map(values_of, tree.values()))
    return 1 + sum(map(values_of, tree)) if tree.__class__ is list else 1


def texts_of(tree: Tree) -> list[str]:
    """All strings and keys of a tree."""
    if tree.__class__ is dict:
        return [text for key, value in tree.items() for text in (key, *texts_of(value))]
    if tree.__class__ is list:
        return [text for item in tree for text in texts_of(item)]
    return [tree] if tree.__class__ is str else []
