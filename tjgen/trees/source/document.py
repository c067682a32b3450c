"""One document of a stream: its value, and the place of each part in its file."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Span
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.trees.source.positions import Extent
    from tjgen.trees.source.scalars import Dialect
    from tjgen.trees.source.text import Text

_NAME: FieldPath = ("metadata", "name")


class Document:
    """A value read from YAML. Positions are not stored while reading but computed on first use: few are used."""

    __slots__ = ("_place", "_range", "dialect", "index", "source", "value")

    def __init__(self, value: Tree, source: Text, dialect: Dialect, *, index: int, start: int, end: int) -> None:
        self.value = value
        self.source = source
        self.dialect = dialect
        self.index = index
        """The how-manieth document of its stream, from 0."""
        self._range = (start, end)
        self._place: Extent | None = None

    @property
    def file(self) -> str:
        """The name of the file, as given to the reader."""
        return self.source.file

    @property
    def text(self) -> str:
        """The text of the whole file."""
        return self.source.content

    @property
    def extent(self) -> tuple[int, int]:
        """Where the document begins and ends in the text of the file."""
        return self._range

    @property
    def own_text(self) -> str:
        """The text of this document alone."""
        start, end = self._range
        return self.source.content[start:end]

    def excerpt(self, path: FieldPath) -> str:
        """The text of the value at `path`, as it is written; empty where the document has no text."""
        bounds = self.bounds(path)
        return "" if bounds is None else self.source.content[bounds[0] : bounds[1]]

    def bounds(self, path: FieldPath) -> tuple[int, int] | None:
        """Where the value at `path` begins and ends in the text of the file, as `locate` finds it."""
        return self._find(path, key=False)

    def locate(self, path: FieldPath, *, key: bool = False) -> Span | None:
        """Return the place of the value at `path`, or with `key` of its key.

        A value that came by an alias or a merge key is located where it is written. Where the path does not exist, the
        nearest ancestor answers, with its key if it has one. None only for a document without any text.
        """
        bounds = self._find(path, key=key)
        return None if bounds is None else self.source.span(*bounds)

    def _find(self, path: FieldPath, *, key: bool) -> tuple[int, int] | None:
        from tjgen.trees.source import positions

        if self._place is None and not key and path == _NAME:
            # Every experiment is located by its name, and most of them by nothing else.
            content = self.source.content
            bounds = positions.find_name(content, self._range[0])
            if bounds is None:
                bounds = positions.find_scalar(content, *self._range, path, dialect=self.dialect)
            if bounds is not None:
                return bounds
        if self._place is None:
            self._place = positions.compose(self.source.content, *self._range, dialect=self.dialect)
        return positions.find(self._place, self.value, path, key=key)
