"""A scalar at the place of a mapping key -> the key: a string in every tree."""

from __future__ import annotations

from tjgen.trees.source.kubernetes import key_of
from tjgen.trees.source.scalars import MERGE, TAG_PREFIX, Dialect, OddScalar
from tjgen.trees.typing import Any

_MERGE_TAG = TAG_PREFIX + "merge"


def read_key(event: Any, dialect: Dialect) -> Any:
    """The key that a scalar event is: a string, MERGE, or a Doubt."""
    text = event.value
    if event.tag is None:
        return dialect.key[text] if event.implicit[0] else text
    if text == "<<" and (event.implicit[0] or event.tag == _MERGE_TAG):  # go-yaml v2, decode.go:isMerge
        return MERGE
    value = dialect.tagged(event.tag, text)
    return value if value.__class__ is OddScalar else key_of(value, text)


def key_range(key: Any, start: int, content: str) -> tuple[int, int]:
    """The range of a key that begins at `start`; of a quoted key, its first character."""
    text = "<<" if key is MERGE else key
    return start, start + (len(text) if content.startswith(text, start) else 1)
