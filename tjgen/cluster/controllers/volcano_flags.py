"""The arguments of a Volcano plugin -> the values of its flags.

Mirrors Go's `flag.FlagSet.Parse`: the first argument that it cannot read ends it, and Volcano goes on with what was read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.trees.fields.path import Tree

_BOOLEANS = {
    word: value for value, words in ((True, "1 t T TRUE true True"), (False, "0 f F FALSE false False")) for word in words.split()
}


def read_flags(arguments: Sequence[str], defaults: Mapping[str, str | int | bool]) -> dict[str, Tree]:
    """Each flag with its value, or its default."""
    values: dict[str, Tree] = dict(defaults)
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, has_value, text = word.lstrip("-").partition("=")
        dashes = len(word) - len(word.lstrip("-"))
        if dashes not in (1, 2) or not name or name not in defaults:
            break
        default = defaults[name]
        if not has_value and not isinstance(default, bool):
            if not rest:
                break
            text = rest.pop(0)
        value = _value(text if has_value or not isinstance(default, bool) else "true", default)
        if value is None:
            break
        values[name] = value
    return values


def _value(text: str, default: str | int | bool) -> str | int | bool | None:
    if isinstance(default, bool):
        return _BOOLEANS.get(text)
    if isinstance(default, str):
        return text
    try:
        return int(text, 0)
    except ValueError:
        return None
