"""The text of a scalar in a file of ours -> its value by YAML 1.2's core schema, and a word where kubectl differs."""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.fields.path import Tree
from tjgen.trees.source import kubernetes
from tjgen.trees.source.problems import AMBIGUOUS, LIMIT, NUMBER, TAG
from tjgen.trees.source.scalars import (
    FIRST_OF_NUMBER,
    IN_NUMBER,
    MERGE,
    TAG_PREFIX,
    TYPES_OF_TAG,
    Dialect,
    Memo,
    OddScalar,
    clip,
    describe,
    is_decimal,
    written,
)
from tjgen.trees.typing import Any

_INFINITY = float("inf")
_WORDS: dict[str, Tree] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), _INFINITY),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -_INFINITY),
}
_BASED = r"0(?:o[0-7]+|x[0-9a-fA-F]+)\Z"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z"
_MOST_DIGITS = 4_300
"""Python refuses to convert longer integers, for good reason: the time grows with the square."""


def plain(text: str) -> Any:
    """The value of an unquoted scalar; a Doubt where kubectl reads another, or where no number can hold it."""
    value = resolve(text)
    if value.__class__ is OddScalar:
        return value
    theirs = kubernetes.resolve(text)
    if _same(value, theirs):
        return value
    message = f"the value {clip(text)} is {describe(value)} here (YAML 1.2), but {describe(theirs)} to kubectl"
    return OddScalar(value, AMBIGUOUS, message, _unambiguous(text, value, theirs))


def key(text: str) -> Any:
    """The key that an unquoted scalar is, its text, or MERGE; a Doubt for null, and where kubectl reads another key."""
    if text == "<<":
        return MERGE
    value = resolve(text)
    if value is None:
        return kubernetes.key_of(value, text)
    theirs = kubernetes.key(text)
    if theirs == text:
        return text
    seen = f'is "{clip(theirs)}" to kubectl' if theirs.__class__ is str else "is refused by kubectl"
    return OddScalar(
        text, AMBIGUOUS, f'the key {clip(text)} is "{clip(text)}" here (YAML 1.2), but {seen}', f'quote it: "{clip(text)}"'
    )


def resolve(text: str) -> Any:
    """The value of an unquoted scalar in YAML 1.2; a Doubt where no finite number of sane length is meant."""
    if text in _WORDS:
        value = _WORDS[text]
        return _infinite(text) if value.__class__ is float else value
    if text[0] not in FIRST_OF_NUMBER or not IN_NUMBER.issuperset(text):
        return text
    if is_decimal(text):
        return int(text) if len(text) <= _MOST_DIGITS else _too_long(text)
    if regex.match(_BASED, text):
        return int(text, 0) if len(text) <= _MOST_DIGITS else _too_long(text)
    if regex.match(_FLOAT, text):
        value = float(text)
        return value if -_INFINITY < value < _INFINITY else _infinite(text)
    return text


def _infinite(text: str) -> OddScalar:
    return OddScalar(
        text, NUMBER, f"{clip(text)} is a number that JSON cannot hold", f'quote it if text is meant: "{clip(text)}"'
    )


def _too_long(text: str) -> OddScalar:
    return OddScalar(text, LIMIT, f"{clip(text)} has {len(text)} digits, more than {_MOST_DIGITS}", "quote it if text is meant")


def _same(ours: Tree, theirs: Tree) -> bool:
    """Return whether both are the same value: of one kind, and equal (1 and 1.0 are: JSON does not distinguish them)."""
    numbers = (int, float)
    if ours.__class__ in numbers and theirs.__class__ in numbers:
        return bool(ours == theirs)
    return ours.__class__ is theirs.__class__ and bool(ours == theirs)


def _unambiguous(text: str, ours: Tree, theirs: Tree) -> str:
    quoted = f'"{clip(text)}"'
    written = {None: "null", True: "true", False: "false"}
    other = written[theirs] if theirs is None or theirs.__class__ is bool else clip(str(theirs))
    if ours.__class__ is str:
        return f"quote it ({quoted}), or write {other}"
    if text[:1] == "0":
        # Without its zeros it is another text, such as another commit.
        return f"quote it if text is meant ({quoted}), or write {clip(str(ours))}"
    return f"write {clip(str(ours))}, or quote it ({quoted})"


def tagged(tag: str, text: str) -> Any:
    """The value of a scalar with a tag; a Doubt where the tag does not fit or is unknown."""
    if tag == "!" or tag == TAG_PREFIX + "str":
        return text
    name = tag[len(TAG_PREFIX) :] if tag.startswith(TAG_PREFIX) else ""
    if name not in TYPES_OF_TAG:
        return stray_tag(tag, text)
    value = resolve(text)
    if value.__class__ in TYPES_OF_TAG[name] or value.__class__ is OddScalar:
        return float(value) if name == "float" and value.__class__ is int else value
    return OddScalar(
        text, TAG, f'"{clip(text)}" is not a value of the tag !!{name}', f"remove the tag !!{name}, or correct the value"
    )


def stray_tag(tag: str, value: Tree) -> OddScalar:
    """The message about any other tag: it has no meaning in a tjgen file."""
    return OddScalar(value, TAG, f"the tag {written(tag)} has no meaning here", "remove the tag")


DIALECT = Dialect("core", Memo(plain), Memo(key), tagged, stray_tag, follows_go=False, guesses_json=False)
