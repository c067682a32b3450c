"""The text of a manifest -> the manifest, without reading YAML, if a document before it differs only in opaque texts.

A document that was read has segments (`trees/source/segments.py`) between the texts that its equivalence key leaves out. Only a
text on a line of its own, behind its key or a dash, is an opening. When a second document has the same segments, it is read, and
compared with the segments filled with its texts. Later ones are computed from their texts. The likeness of a document is what its
verdict depends on in addition to the segments: which texts are equal, or equal to another text of the manifest, and how long
names are. `tests/cluster/validate/test_recognition.py` compares files with and without recognition.
"""

from __future__ import annotations

import os

from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.trainer.warnings.clashes import Key
from tjgen.cluster.validate.equivalence import FREE, LABEL, MARK, NAME, SIZE, forms
from tjgen.trees import regex
from tjgen.trees.budgets import CommandBudgets
from tjgen.trees.diagnostics import tokens
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.fields.stamp import Marks, stamped
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.source.encoding import decode
from tjgen.trees.source.kubernetes import DIALECT
from tjgen.trees.source.segments import SEVERAL, STAMPS, Segments
from tjgen.trees.source.text import Text
from tjgen.trees.typing import Any, NamedTuple

Likeness = tuple[object, ...]

_COMMENT, _DIGEST = "comment", "digest"
_WORD = "(?=[^\n]*[0-9])"
"""A text without a digit may be a word that a program knows, or that YAML reads as a value."""
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
"""Form -> what an opening in quotes accepts. A digest without quotes may be a number to another reader."""
_PLAIN[_DIGEST] = f"{_LETTER}{_QUOTED[_DIGEST]}"
_BEFORE = r" *(?:- +)*(?:(?<=- )|[A-Za-z0-9_./-]+: +)"
"""What is before an opening on its line."""
_HEADER = "#[^\n]*: +(?=[^ \n])"
_QUOTES = ("'", '"')
_PATIENCE, _SAMPLED = 24, 16
_MOST = 256
"""Shapes of one command."""
_KEPT = ("apiVersion", "kind")


class Opening(NamedTuple):
    """The place of an opaque text: in a comment before the document, or in the scalar at a path."""

    form: str
    quote: str
    path: FieldPath


class Shape:
    """Documents that differ only in opaque texts."""

    def __init__(self, segments: Segments, document: Document, texts: list[str]) -> None:
        self.segments = segments
        self.is_proven = False
        self._comments = sum(opening.form == _COMMENT for opening in segments.openings)
        own = segments.openings[self._comments :]
        groups: dict[tuple[str, str], list[int]] = {}
        for number, opening in enumerate(segments.openings):
            groups.setdefault((opening.form, opening.quote), []).append(number)
        self._groups = [(_pattern(form, quote).fullmatch, numbers) for (form, quote), numbers in groups.items()]
        self._measured = [number for number, opening in enumerate(own) if opening.form in (NAME, _DIGEST)]
        marks = [f"mq{number:04}z" for number in range(len(own))]
        tree = document.value
        for opening, mark in zip(own, marks, strict=True):
            tree = _with(tree, opening.path, mark)
        stamps = Marks(marks)
        self.tree = stamps.stamp(tree)
        metadata = tree["metadata"]
        self.kind: str = tree["kind"]
        self._identity = stamps.stamp((tree["apiVersion"], self.kind, metadata["name"], metadata.get("namespace")))
        self.constants = frozenset(texts_of(tree))
        self._name = next((number for number, one in enumerate(own) if one.path == ("metadata", "name")), -1)
        start, end = document.extent
        self._start = start - sum(map(len, texts[: self._comments]))
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

    def likeness(self, texts: list[str]) -> Likeness | None:
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

    def extent(self, texts: list[str], length: int) -> tuple[int, int]:
        """Where a document begins and ends in a text of this length."""
        return self._start + sum(map(len, texts[: self._comments])), length - self._rest


class KnownDocument(Document):
    """A document of a shape. Its value and its text are computed on first use."""

    __slots__ = ("file_name", "likeness", "shape", "texts")

    def __init__(self, shape: Shape, texts: list[str], likeness: Likeness, file: str) -> None:
        self.shape = shape
        self.texts = texts
        self.likeness = likeness
        self.file_name = file
        self.dialect = DIALECT
        self.index = 0
        self._place = None

    def __getattr__(self, name: str) -> Any:
        if name == "value":
            self.value = stamped(self.shape.tree, self.own_texts)
            return self.value
        if name not in ("source", "_range"):
            raise AttributeError(name)
        content = self.shape.segments.filled(self.texts)
        self.source = Text(content, self.file_name)
        self._range = self.shape.extent(self.texts, len(content))
        return self.source if name == "source" else self._range

    @property
    def file(self) -> str:
        return self.file_name

    @property
    def own_texts(self) -> list[str]:
        """The opaque texts of the manifest."""
        return self.shape.own(self.texts)

    @property
    def identity(self) -> tuple[str, str, str, Tree]:
        """API version, kind, name and namespace of the manifest."""
        return self.shape.identity(self.texts)


class KnownObject(Placed):
    """The object of a document of a shape. Its tree is computed on first use."""

    __slots__ = ()

    @property
    def tree(self) -> Tree:  # type: ignore[override]  # of a tuple, whose first element nothing reads
        return self.document.value

    @property
    def kind(self) -> Tree:
        return self._known.shape.kind

    @property
    def key(self) -> Key | None:
        api_version, kind, name, namespace = self._known.identity
        group, slash, _ = api_version.partition("/")
        return Key(group if slash else "", kind, str(namespace or "default"), name)

    @property
    def _known(self) -> KnownDocument:
        return self.document  # type: ignore[return-value]  # `of` is the only place that creates one

    @classmethod
    def of(cls, document: KnownDocument) -> KnownObject:
        """The object of a document."""
        return cls(None, document)


class Recognizer:
    """The shapes of the documents of one command."""

    def __init__(self) -> None:
        self._by_lines: dict[int, list[Shape]] = {}
        self._count = 0
        self._alone = 0

    def recall(self, content: str | bytes, file: str, budgets: CommandBudgets) -> KnownDocument | None:
        """The only document of a file, if it has a known shape."""
        if not self._count or len(content) > budgets.file_size:
            return None
        text, unreadable = decode(content, file)
        if unreadable is not None:
            return None
        found = self._find(text, is_proven=True)
        if found is None:
            return None
        likeness = found[0].likeness(found[1])
        return KnownDocument(*found, likeness, file) if likeness is not None else None

    def learn(self, document: Document) -> None:
        """Take a document that was read without problems, the only one of its file."""
        found = self._find(document.text, is_proven=False)
        if found is not None:
            shape, texts = found
            known = KnownDocument(shape, texts, (), document.file)
            shape.is_proven = shape.is_proven or (known.value == document.value and known.extent == document.extent)
            self._alone = 0
            return
        self._alone += 1
        if (self._alone > _PATIENCE and self._alone % _SAMPLED) or self._count >= _MOST:
            return
        shape = _shape_of(document)
        if shape is not None:
            self._count += 1
            self._by_lines.setdefault(document.text.count("\n"), []).insert(0, shape)

    def _find(self, text: str, *, is_proven: bool) -> tuple[Shape, list[str]] | None:
        shapes = self._by_lines.get(text.count("\n"), [])
        for position, shape in enumerate(shapes):
            if not is_proven or shape.is_proven:
                texts = shape.texts(text)
                if texts is not None:
                    if position:
                        shapes.insert(0, shapes.pop(position))
                    return shape, texts
        return None


def recognizer_of(session: Session) -> Recognizer | None:
    """The recognizer of a command; None if it is turned off."""
    return session.once("recognizer", None, lambda: Recognizer() if os.environ.get(STAMPS) != "off" else None)


def _shape_of(document: Document) -> Shape | None:
    """The shape of a document; None if it can have none, or has no opaque text."""
    content, tree = document.text, document.value
    if any(sign in content for sign in (*SEVERAL, "\r", "\t", "!", "%", "mq0")):
        return None
    if tree.__class__ is not dict or (tree.get("apiVersion"), tree.get("kind")) == ("v1", "List"):
        return None
    if not all(get(tree, path, None).__class__ is str for path in (("apiVersion",), ("kind",), ("metadata", "name"))):
        return None
    places = [*_comments(content), *_scalars(document)]
    segments = Segments.split(content, sorted(places, key=lambda place: place[0]))
    texts = segments.texts(content) if segments is not None else None
    if segments is None or texts is None or [content[start:end] for start, end, _ in sorted(places)] != texts:
        return None
    shape = Shape(segments, document, texts)
    return shape if shape.texts(content) is not None else None


def _comments(content: str) -> list[tuple[int, int, Opening]]:
    """The comments before the document that have a text behind a colon, such as the header of a written file."""
    places, start = [], 0
    while content.startswith("#", start):
        end = content.find("\n", start)
        match = regex.match(_HEADER, content[start:end]) if end > 0 else None
        if match is not None:
            places.append((start + match.end(), end, Opening(_COMMENT, "", ())))
        start = end + 1 if end > 0 else len(content)
    return places


def _scalars(document: Document) -> list[tuple[int, int, Opening]]:
    """The openings of a document."""
    content, places = document.text, []
    for path, form in forms(document.value):
        value = get(document.value, path, None)
        bounds = document.bounds(path) if value.isascii() and any(map(str.isdigit, value)) else None
        if bounds is None or not _is_block(document, path):
            continue
        start, end = bounds
        line = content.rfind("\n", 0, start) + 1
        quote = content[start] if content[start] in _QUOTES else ""
        is_alone = content[end : end + 1] in ("", "\n") and regex.fullmatch(_BEFORE, content[line:start]) is not None
        start, end = start + len(quote), end - len(quote)
        for one in (_DIGEST, NAME) if form == MARK else (form,):
            if is_alone and content[start:end] == value and _pattern(one, quote).fullmatch(value) is not None:
                places.append((start, end, Opening(one, quote, path)))
                break
    return places


def _is_block(document: Document, path: FieldPath) -> bool:
    """Whether all lists and mappings around a scalar are written without brackets."""
    for length in range(len(path)):
        bounds = document.bounds(path[:length])
        if bounds is None or document.text[bounds[0]] in "[{":
            return False
    return True


def _pattern(form: str, quote: str) -> Any:
    """What fits texts of a form, one on each line."""
    known = _PATTERNS.get((form, quote))
    if known is None:
        one = (_QUOTED if quote else _PLAIN)[form]
        known = _PATTERNS[form, quote] = regex.compile(f"(?:{one}\n)*{one}")
    return known


_PATTERNS: dict[tuple[str, str], Any] = {}


def _with(tree: Tree, path: FieldPath, value: str) -> Tree:
    """The tree with another value at a path."""
    if not path:
        return value
    changed = tree.copy()
    changed[path[0]] = _with(tree[path[0]], path[1:], value)
    return changed


def texts_of(tree: Tree) -> list[str]:
    """All strings and keys of a tree."""
    if tree.__class__ is dict:
        return [text for key, value in tree.items() for text in (key, *texts_of(value))]
    if tree.__class__ is list:
        return [text for item in tree for text in texts_of(item)]
    return [tree] if tree.__class__ is str else []
