"""A pattern in Go's syntax -> the search of an equivalent Python pattern.

Go's `$` is the end of the text (Python's also matches before a last newline), its classes and word
boundaries are ASCII, `\\z` is Python's `\\Z`, and flags such as `(?i)` may occur in the middle of a
pattern, where they hold to the end of their group.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.trees import regex

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": "\\t ",
    "digit": "0-9",
    "lower": "a-z",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_UNKNOWN = "z-a"
"""A range that is not valid, for a class that Go does not know."""
_FLAGS = regex.compile(r"\(\?([a-zA-Z]+)\)")
_CLASS_NAME = regex.compile(r"\[:([a-z]+):\]")

_searches: dict[str, Callable[[str], object]] = {}


def search(pattern: str) -> Callable[[str], object]:
    """A function that answers something true where `pattern` occurs in a text; raises re.error where it is none."""
    matcher = _searches.get(pattern)
    if matcher is None:
        matcher = _searches[pattern] = regex.compile(_translated(pattern), regex.ASCII).search
    return matcher


def _translated(pattern: str) -> str:
    """`pattern` in Python's syntax."""
    out: list[str] = []
    reopened: list[list[str]] = [[]]  # by depth of groups: the flags that hold to the end of the group
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            escape = pattern[position : position + 2]
            out.append("\\Z" if escape == "\\z" else escape)
            position += 2
            continue
        if character == "[":
            end = _class_end(pattern, position)
            out.append(_CLASS_NAME.sub(lambda name: _POSIX.get(name[1], _UNKNOWN), pattern[position:end]))
            position = end
            continue
        flags = _FLAGS.match(pattern, position)
        if flags:
            reopened[-1].append(f"(?{flags[1]}:")
            out.append(reopened[-1][-1])
            position = flags.end()
            continue
        if character == "(":
            reopened.append([])
        elif character == ")" and len(reopened) > 1:
            out.append(")" * len(reopened.pop()))
        elif character == "|":
            out.append(")" * len(reopened[-1]) + "|" + "".join(reopened[-1]))
        if character == "$":
            out.append("\\Z")
        elif character != "|":
            out.append(character)
        position += 1
    return "".join(out) + ")" * len(reopened[0])


def _class_end(pattern: str, start: int) -> int:
    """Behind the `]` that closes the character class at `start`."""
    position = start + 1
    if pattern[position : position + 1] == "^":
        position += 1
    if pattern[position : position + 1] == "]":
        position += 1  # a first ] is a member
    while position < len(pattern) and pattern[position] != "]":
        name = _CLASS_NAME.match(pattern, position)
        if name:
            position = name.end()
        else:
            position += 2 if pattern[position] == "\\" else 1
    return position + 1
