"""Findings that say what cures them -> the texts of the files with the cures, all of a finding's changes or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.fields.path import FieldPath
from tjgen.lint.engine import Found
from tjgen.source.edits import edited
from tjgen.source.reader import KUBERNETES
from tjgen.typing import NamedTuple


class Fixed(NamedTuple):
    """Texts, and the findings that they are without."""

    texts: dict[str, str]
    """The files that differ."""
    cured: list[Found]


def fixed(found: Sequence[Found], texts: Mapping[str, str]) -> Fixed:
    """The files of `texts` with every cure that can be made by itself.

    Of two findings that change one field only the first is cured: the second speaks of a field that is another by now, so
    it has to be asked again. What is built is never changed, nor what stands where one change would touch more.
    """
    now = dict(texts)
    taken: set[tuple[str, int, FieldPath]] = set()
    cured = []
    for one in found:
        places = {
            (change.item.file, _index(change.item.document), change.item.base + change.path) for change in one.finding.changes
        }
        if not places or places & taken:
            continue
        text = _applied(one, now)
        if text is not None:
            now.update(text)
            taken |= places
            cured.append(one)
    return Fixed({file: text for file, text in now.items() if text != texts[file]}, cured)


def _applied(one: Found, texts: Mapping[str, str]) -> dict[str, str] | None:
    """The files that the changes of a finding make; None where one of them cannot be made."""
    result: dict[str, str] = {}
    for item, path, value in one.finding.changes:
        content = result.get(item.file, texts.get(item.file))
        if content is None or item.document is None:
            return None
        text = edited(content, item.file, KUBERNETES, item.document.index, item.base + path, value)
        if text is None:
            return None
        result[item.file] = text
    return result


def _index(document: object) -> int:
    return int(getattr(document, "index", -1))
