"""The text of a scalar in a Kubernetes file -> the value that kubectl reads.

kubectl reads YAML through sigs.k8s.io/yaml: go-yaml v2 resolves scalars (resolve.go:resolve, decode.go:scalar), the
result becomes JSON, and JSON does not distinguish 1.0 from 1. Order and names follow upstream.
"""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.problems import IGNORED_TAG, KEY, NUMBER, TAG
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
    written,
)
from tjgen.trees.typing import Any

_INFINITY = float("inf")
_WORDS: dict[str, Tree] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), _INFINITY),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -_INFINITY),
}
# Patterns are compiled on first use: few files have such numbers.
# Groups: sign, hexadecimal, binary, octal, decimal.
_INTEGER = r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))\Z"
_SIGNED_BINARY = r"0b([-+][01]+)\Z"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z"
_DIGIT_SEPARATOR = r"(?<=[0-9])_(?=[0-9])"
_LONGEST_INTEGER = 70
_SAFE_DIGITS = 18
"""Any digits that 64 bits hold."""


def plain(text: str) -> Any:
    """The value of an unquoted scalar; a Doubt for a number that JSON cannot hold."""
    value = resolve(text)
    return _as_json(value, text) if value.__class__ is float else value


def key(text: str) -> Any:
    """The key that an unquoted scalar is, or MERGE; a Doubt for null and for what sigs.k8s.io/yaml refuses."""
    if text == "<<":
        return MERGE
    return key_of(resolve(text), text)


def key_of(value: Tree, text: str) -> Any:
    """The key that a resolved value becomes (yaml.go:convertToJSONableObject)."""
    if value.__class__ is str:
        return value
    if value is None:
        return OddScalar(
            "null", KEY, f'the key "{text}" is null' if text else "a key is empty", "quote the key, or give it a name"
        )
    if value is True or value is False:
        return "true" if value else "false"
    if value.__class__ is float:
        return float32_text(value)
    if value >= 1 << 63:
        return OddScalar(str(value), KEY, f"the key {text} is a number that kubectl cannot use as a key", f'quote it: "{text}"')
    return str(value)


def resolve(text: str) -> Tree:
    """The value of an unquoted scalar before it becomes JSON: floats may be whole, infinite or not a number."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in FIRST_OF_NUMBER or not IN_NUMBER.issuperset(text):
        return text
    if len(text) <= _SAFE_DIGITS and text.isdigit() and (text[0] != "0" or text == "0"):
        return int(text)
    return _number(text)


def _number(text: str) -> Tree:
    if text[0] == ".":  # strconv.ParseFloat alone, which accepts underscores only between digits
        return _float(regex.sub(_DIGIT_SEPARATOR, "", text), text)
    digits = text.replace("_", "")
    value = _integer(digits)
    return _float(digits, text) if value is None else value


def _integer(digits: str) -> int | None:
    """Return the result of strconv.ParseInt and ParseUint in base 0 and 64 bits."""
    if len(digits) > _LONGEST_INTEGER:
        return None
    match = regex.match(_INTEGER, digits)
    if match is None:
        # ParseInt is called again after the prefix "0b", and accepts a sign there.
        match = regex.match(_SIGNED_BINARY, digits)
        return _within(int(match[1], 2), signed=True) if match else None
    sign, hexadecimal, binary, octal, decimal = match.groups()
    if hexadecimal:
        value = int(hexadecimal, 16)
    elif binary:
        value = int(binary, 2)
    else:
        value = int(octal, 8) if octal else int(decimal)
    return _within(-value if sign == "-" else value, signed=bool(sign))


def _within(value: int, *, signed: bool) -> int | None:
    return value if -(1 << 63) <= value < (1 << 63 if signed else 1 << 64) else None


def _float(digits: str, text: str) -> Tree:
    if not regex.match(_FLOAT, digits):
        return text
    value = float(digits)
    return value if -_INFINITY < value < _INFINITY else text


def _as_json(value: float, text: str) -> Any:
    if not -_INFINITY < value < _INFINITY:
        return OddScalar(text, NUMBER, f"{text} is a number that JSON cannot hold", f'quote it if text is meant: "{text}"')
    whole = int(value)
    return whole if whole == value and -(1 << 63) <= whole < 1 << 63 else value


def float32_text(value: float) -> str:
    """strconv.FormatFloat(value, 'g', -1, 32): the shortest digits that single precision keeps."""
    if value != value:  # noqa: PLR0124  # NaN
        return ".nan"
    from struct import pack, unpack

    try:
        single = unpack("f", pack("f", value))[0]
    except OverflowError:
        return ".inf" if value > 0 else "-.inf"
    if single in (_INFINITY, -_INFINITY):
        return ".inf" if value > 0 else "-.inf"
    digits = next(text for text in (f"{single:.{n}e}" for n in range(9)) if unpack("f", pack("f", float(text)))[0] == single)
    mantissa, exponent = digits.split("e")
    power = int(exponent)
    if power < -4 or power >= 6:
        return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"
    places = len(mantissa.lstrip("-").replace(".", "")) - 1 - power
    return f"{float(digits):.{max(0, places)}f}"


def tagged(tag: str, text: str) -> Any:
    """The value of a scalar with a tag; a Doubt where the tag does not fit, or means nothing to kubectl."""
    if tag == "!" or tag == TAG_PREFIX + "str":
        return text
    name = tag[len(TAG_PREFIX) :] if tag.startswith(TAG_PREFIX) else ""
    if name in TYPES_OF_TAG:
        value = resolve(text)
        # A number of more than 63 bits has a type of its own in Go, which no tag converts.
        if value.__class__ in TYPES_OF_TAG[name] and not (name == "float" and value.__class__ is int and value >= 1 << 63):
            return _as_json(value, text) if value.__class__ is float else value
        message = f'"{clip(text)}" is not a value of the tag !!{name}'
        return OddScalar(text, TAG, message, f"remove the tag !!{name}, or correct the value")
    if name == "binary":
        return _binary(text)
    if name in ("timestamp", "merge"):
        return text
    return stray_tag(tag, text)


def stray_tag(tag: str, value: Tree) -> OddScalar:
    """The message about any other tag: go-yaml v2 ignores it."""
    return OddScalar(value, IGNORED_TAG, f"kubectl ignores the tag {written(tag)}", "remove the tag")


def _binary(text: str) -> Any:
    from binascii import Error, a2b_base64

    try:
        data = a2b_base64(text.replace("\n", "").replace("\r", ""), strict_mode=True)
    except (Error, ValueError):
        message = "the value of the tag !!binary is not base64"
        return OddScalar(text, TAG, message, "encode the value as base64 with padding, or remove the tag")
    return data.decode("utf-8", "surrogateescape").translate(_REPLACED)


# Go puts one replacement character instead of each byte that is not UTF-8.
_REPLACED = dict.fromkeys(range(0xDC80, 0xDD00), 0xFFFD)

DIALECT = Dialect("kubernetes", Memo(plain), Memo(key), tagged, stray_tag, follows_go=True, guesses_json=True)
PART = DIALECT._replace(guesses_json=False)
"""The dialect of a part of a stream of YAML."""
