"""A text that should be JSON -> what Go's encoding/json has against it."""

from __future__ import annotations

from json import JSONDecodeError, loads

from tjgen.cluster.validate.wording import quote
from tjgen.trees.typing import Any

_NO_VALUE = "looking for beginning of value"
_JSON_WORDS = {
    "Extra data": "after top-level value",
    "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    "Expecting ':' delimiter": "after object key",
    "Expecting ',' delimiter": "after object key:value pair",
}


def json_problem(text: str, wanted: type, go_type: str) -> str:
    """What encoding/json has against a text that should be a value of a class; of rarer mistakes the words may be others."""
    try:
        value = loads(text)
    except JSONDecodeError as problem:
        if not text[problem.pos : problem.pos + 1] or problem.msg.startswith("Unterminated string"):
            return "unexpected end of JSON input"
        if problem.msg.startswith("Illegal trailing comma"):  # since Python 3.13; Go reports the character after it
            end = text[problem.pos + 1 :].lstrip()[0]
            return (
                f"invalid character {_character(end)} looking for beginning of {'object key string' if end == '}' else 'value'}"
            )
        return f"invalid character {_character(text[problem.pos])} {_JSON_WORDS.get(problem.msg, _NO_VALUE)}"
    return "" if value is None or isinstance(value, wanted) else unmarshal_problem(value, go_type)


def unmarshal_problem(value: Any, go_type: str) -> str:
    """The words of encoding/json for a value of another type."""
    kind = {str: "string", bool: "bool", list: "array", dict: "object"}.get(type(value), "number")
    return f"json: cannot unmarshal {kind} into Go value of type {go_type}"


def _character(character: str) -> str:
    """As encoding/json quotes it."""
    if character in "'\"":
        return "'\"'" if character == '"' else r"'\''"
    return f"'{quote(character)[1:-1]}'"
