"""The text of a manifest -> the manifest, without reading YAML, if a document before it differs only in opaque texts.

The first document of a shape is read (see text_shapes.py). So is the second one, which must be the first one with its own texts.
Later ones are computed from their texts. The equivalence class of a document is what its verdict depends on besides its shape:
which texts are equal, or equal to another text of the manifest, and how long names are.
`tests/cluster/validate/test_recognition.py` compares files with and without recognition. TJGEN_STAMPS=off turns it off.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.trainer.warnings.clashes import Key
from tjgen.cluster.validate.text_shapes import Equivalence, TextShape, shape_of
from tjgen.trees.budgets import CommandBudgets
from tjgen.trees.fields.path import Tree
from tjgen.trees.fields.stamp import stamped
from tjgen.trees.session import STAMPS, Session
from tjgen.trees.source.document import Document
from tjgen.trees.source.encoding import decode
from tjgen.trees.source.kubernetes import DIALECT
from tjgen.trees.source.text import Text
from tjgen.trees.typing import Any

_PATIENCE, _SAMPLED = 24, 16
_MOST = 256
"""Shapes of one command."""


class KnownDocument(Document):
    """A document of a shape. Its value and its text are computed on first use."""

    __slots__ = ("equivalence", "file_name", "shape", "texts")

    def __init__(self, shape: TextShape, texts: list[str], equivalence: Equivalence, file: str) -> None:
        self.shape = shape
        self.texts = texts
        self.equivalence = equivalence
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

    def within(self, source: Text, start: int, length: int, *, index: int) -> DocumentOfStream:
        """The same document as a part of a stream, in which it has `length` characters from `start`."""
        assert self.equivalence is not None
        part = DocumentOfStream(self.shape, self.texts, self.equivalence, self.file_name)
        first, last = self.shape.extent(self.texts, length)
        part.source, part.index, part._range = source, index, (start + first, start + last)
        return part

    @property
    def file(self) -> str:
        return self.file_name

    @property
    def text(self) -> str:
        # Many documents are looked at, and few of them are located.
        return self.shape.segments.filled(self.texts)

    def derived(self, compute: Callable[[Tree], Any]) -> Any:
        return self.shape.derived(compute, self.texts)

    @property
    def text_size(self) -> int:
        """The bytes of all strings and keys of the manifest."""
        return self.shape.text_size(self.texts)

    @property
    def own_texts(self) -> list[str]:
        """The opaque texts of the manifest."""
        return self.shape.own(self.texts)

    @property
    def identity(self) -> tuple[str, str, str, Tree]:
        """API version, kind, name and namespace of the manifest."""
        return self.shape.identity(self.texts)


class DocumentOfStream(KnownDocument):
    """A document of a shape that is one of several in its file."""

    __slots__ = ()

    @property
    def text(self) -> str:
        return self.source.content


class KnownObject(Placed):
    """The object of a document of a shape. Its tree is computed on first use."""

    __slots__ = ()

    @property
    def tree(self) -> Tree:
        return self.document.value

    @property
    def kind(self) -> Tree:
        return self._known.shape.kind

    @property
    def identity(self) -> tuple[Tree, ...] | None:
        return self._known.identity

    @property
    def head(self) -> Tree:
        return stamped(self._known.shape.head, self._known.own_texts)

    @property
    def key(self) -> Key | None:
        api_version, kind, name, namespace = self._known.identity
        group, slash, _ = api_version.partition("/")
        return Key(group if slash else "", kind, str(namespace or "default"), name)

    @property
    def _known(self) -> KnownDocument:
        return self.document  # type: ignore[return-value]  # no other document is of an equivalence class


class Recognizer:
    """The shapes of the documents of one command."""

    def __init__(self) -> None:
        self._by_lines: dict[int, list[TextShape]] = {}
        self._after: dict[tuple[int, TextShape | None], TextShape] = {}
        """Number of lines, and the shape of the last document with so many -> the shape of the one that came after it before."""
        self._latest: dict[int, TextShape] = {}
        self._count = 0
        self._alone = 0

    def recall(self, content: str | bytes, file: str, budgets: CommandBudgets) -> KnownDocument | None:
        """The only document of a file, if it has a known shape."""
        if not self._count or len(content) > budgets.file_size:
            return None
        text, unreadable = decode(content, file)
        return self.recall_text(text, file) if unreadable is None else None

    def recall_text(self, text: str, file: str) -> KnownDocument | None:
        """The document with this text, if it has a known shape."""
        recalled = self._find(text, is_proven=True)
        if recalled is None:
            return None
        equivalence = recalled[0].equivalence(recalled[1])
        return KnownDocument(*recalled, equivalence, file) if equivalence is not None else None

    def learn(self, document: Document) -> Document:
        """Take a document that was read without problems, the only one of its text; it is a `KnownDocument` if it has a shape."""
        recalled = self._find(document.text, is_proven=False)
        if recalled is not None:
            shape, texts = recalled
            known = KnownDocument(shape, texts, (), document.file)
            if repr(known.value) != repr(document.value) or known.extent != document.extent:
                return document
            shape.is_proven = True
            self._alone = 0
            return _as_known(document, shape, texts)
        self._alone += 1
        if (self._alone > _PATIENCE and self._alone % _SAMPLED) or self._count >= _MOST:
            return document
        new = shape_of(document)
        if new is None:
            return document
        self._count += 1
        self._by_lines.setdefault(document.text.count("\n"), []).insert(0, new)
        return _as_known(document, new, new.segments.texts(document.text) or [])

    def _find(self, text: str, *, is_proven: bool) -> tuple[TextShape, list[str]] | None:
        lines = text.count("\n")
        shapes = self._by_lines.get(lines, [])
        latest = self._latest.get(lines)
        expected = self._after.get((lines, latest))
        for shape in (expected, *shapes) if expected is not None else shapes:
            if not is_proven or shape.is_proven:
                texts = shape.texts(text)
                if texts is not None:
                    self._latest[lines] = shape
                    if shape is not expected:
                        self._after[lines, latest] = shape
                    return shape, texts
        return None


def recognizer_of(session: Session) -> Recognizer | None:
    """The recognizer of a command; None if it is turned off."""
    return session.once("recognizer", None, lambda: Recognizer() if os.environ.get(STAMPS) != "off" else None)


def _as_known(document: Document, shape: TextShape, texts: list[str]) -> Document:
    """The document with its equivalence class; itself if its verdict can depend on a text."""
    equivalence = shape.equivalence(texts)
    if equivalence is None:
        return document
    known = KnownDocument(shape, texts, equivalence, document.file)
    known.value, known.source, known._range = document.value, document.source, document.extent
    return known
