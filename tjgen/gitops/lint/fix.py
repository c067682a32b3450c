"""Findings with fixes -> the texts of the fixed files, with all changes of a finding or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.gitops.lint.engine import LintReport
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.source.edits import Stream
from tjgen.trees.source.reader import KUBERNETES
from tjgen.trees.typing import NamedTuple


class Fixed(NamedTuple):
    """Texts, and the findings that they are without."""

    texts: dict[str, str]
    """The files that differ."""
    cured: list[LintReport]


def fixed(reports: Sequence[LintReport], texts: Mapping[str, str]) -> Fixed:
    """Return the files of `texts` with every fix that can be applied automatically.

    Of two findings that change one field only the first is fixed: the second refers to a field that has changed, so
    the rule has to run again. Generated files are never changed, nor lines where one change would affect more.
    """
    streams = _Streams(texts)
    taken: set[tuple[str, int, FieldPath]] = set()
    cured = []
    for one in reports:
        places = {
            (change.item.file, _index(change.item.document), change.item.base + change.path) for change in one.finding.changes
        }
        if not places or places & taken:
            continue
        changed = _applied(one, streams)
        if changed is not None:
            for (file, index), text in changed.items():
                streams[file].put(index, text)
            taken |= places
            cured.append(one)
    return Fixed({file: stream.text for file, stream in streams.items() if stream.text != texts[file]}, cured)


class _Streams(dict[str, Stream]):
    """The files that findings are about, each read once."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__()
        self._texts = texts

    def of(self, file: str) -> Stream | None:
        """The documents of a file; None where it cannot be changed."""
        if file not in self and file in self._texts:
            self[file] = Stream(self._texts[file], file, KUBERNETES)
        return self.get(file)


def _applied(one: LintReport, streams: _Streams) -> dict[tuple[str, int], str] | None:
    """Return the documents that the changes of a finding modify; None if one change is not possible."""
    result: dict[tuple[str, int], str] = {}
    for item, path, value in one.finding.changes:
        stream = streams.of(item.file)
        if stream is None or item.document is None:
            return None
        place = (item.file, item.document.index)
        content = result.get(place, stream.document(place[1]))
        text = stream.edited(content, item.base + path, value) if content is not None else None
        if text is None:
            return None
        result[place] = text
    return result


def _index(document: object) -> int:
    return int(getattr(document, "index", -1))
