"""What CEL's own functions do with texts.

Mirrors github.com/google/cel-go `common/types/string.go`, with patterns in Go's syntax.
"""

from __future__ import annotations

from tjgen.cluster.schema.pattern_escapes import PatternError
from tjgen.cluster.schema.patterns import search
from tjgen.cluster.validate.cel.values import CelError, overload
from tjgen.trees.typing import Any


def size(value: Any) -> int:
    """`size(value)`: characters of a string, elements of a list or map."""
    if value.__class__ not in (str, list, dict, bytes):
        raise overload()
    return len(value)


def matches(text: Any, pattern: Any) -> bool:
    """`text.matches(pattern)`: found anywhere in the text."""
    _texts(text, pattern)
    try:
        return search(pattern)(text)
    except PatternError as problem:
        raise CelError(f"error parsing regexp: {problem}") from None


def starts_with(text: Any, prefix: Any) -> bool:
    """`text.startsWith(prefix)`."""
    _texts(text, prefix)
    return bool(text.startswith(prefix))


def ends_with(text: Any, suffix: Any) -> bool:
    """`text.endsWith(suffix)`."""
    _texts(text, suffix)
    return bool(text.endswith(suffix))


def holds(text: Any, part: Any) -> bool:
    """`text.contains(part)`."""
    _texts(text, part)
    return part in text


def _texts(left: Any, right: Any) -> None:
    if left.__class__ is not str or right.__class__ is not str:
        raise overload()
