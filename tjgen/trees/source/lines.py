"""A line that is not YAML -> what is wrong with it, and the line as it could be written.

Loaded only for a text that is not YAML: it looks at the text alone, and suggests only what the line makes likely.
"""

from __future__ import annotations

import re

from tjgen.trees.diagnostics.model import Note, Span
from tjgen.trees.source.text import Text
from tjgen.trees.typing import NamedTuple

_KEY = re.compile(r"""\s*(?:- +)*([\w./-]+|"[^"]*"|'[^']*'):(?=\s|$)""")
_ITEM = re.compile(r" *- ")
_NO_SPACE = re.compile(r"\s*([A-Za-z_][\w-]*):(\S.*)")
_COLON = "mapping values are not allowed in this context"
_NO_KEY = "did not find expected key"
_NO_COLON = "could not find expected ':'"
_TAGGED = re.compile(r"[^\s:]+: +[\w.-]+")
_START = "found character that cannot start any token"


class Advice(NamedTuple):
    """What to report instead of the words of the parser."""

    span: Span
    hint: str
    message: str = ""
    related: tuple[Note, ...] = ()
    keeps_notes: bool = False


def advice(problem: str, source: Text, index: int, beginning: int) -> Advice | None:
    """Advice for a problem at `index`, in a part that starts at `beginning`; None if the line shows no likely cause."""
    content = source.content
    start = content.rfind("\n", 0, index) + 1
    line = _line(content, start)
    if problem == _COLON and (key := _KEY.match(line)) is not None and start + key.end() - 1 < index:
        value = line[key.end() :].strip()
        field = line[: key.end()].strip()
        is_image = field == "image:" and _TAGGED.fullmatch(value) is not None
        hint = f"write {field} {value.replace(': ', ':')}" if is_image else f"quote the value: {field} {_quoted(value)}"
        return Advice(source.span(index, index + 1), hint, 'the value contains ": ", which starts a mapping in YAML')
    if problem in (_COLON, _NO_KEY):
        return _indented(source, start, line)
    if problem == _NO_COLON and (match := _NO_SPACE.match(line)) is not None:
        where = start + match.start(1)
        return Advice(
            source.span(where, where + len(match[1]) + 1), f"write {match[1]}: {match[2]}", "a space is missing after the colon"
        )
    if problem.endswith(_START) and content[index : index + 1] != "\t":
        message = f"a value cannot start with {content[index : index + 1]}"
        return Advice(source.span(index, index + 1), f"quote the value: {_quoted(line[index - start :].strip())}", message)
    opening = content[beginning : beginning + 1]
    if problem.startswith("found unexpected end of stream") and opening in "\"'":
        text = _line(content, beginning).rstrip()
        return Advice(source.span(beginning, beginning + 1), f"close the quotes: {text}{opening}", keeps_notes=True)
    closing = {"[": "]", "{": "}"}.get(opening)
    if closing is not None and problem.endswith(f"or '{closing}'") and (index == beginning or "\n" in content[beginning:index]):
        text = _line(content, beginning).rstrip().rstrip(",")
        return Advice(
            source.span(beginning, beginning + 1),
            f"close it with {closing}: {text}{closing}",
            _NOT_CLOSED[opening],
            keeps_notes=True,
        )
    return None


_NOT_CLOSED = {"[": "the list that starts here is not closed", "{": "the mapping that starts here is not closed"}


def _indented(source: Text, start: int, line: str) -> Advice | None:
    """A line that is indented differently from the line before it: a key after a key with a value, or an item after an item."""
    before = _before(source.content, start)
    if before is None:
        return None
    text = _line(source.content, before)
    own, other = _indentation(line), _indentation(text)
    note = Note("the line before it", source.span(before, before + other + 1))
    span = source.span(start, start + own + 1)
    if own != other and _ITEM.match(line) and _ITEM.match(text):
        message = f"the item is indented with {_spaces(own)}, but the item before it with {_spaces(other)}"
        return Advice(span, f"indent with {_spaces(other)}: {' ' * other}{line.strip()}", message, (note,))
    key, own_key = _KEY.match(text), _KEY.match(line)
    if own_key is None or key is None or not text[key.end() :].strip():
        return None
    if _ITEM.match(text) and not _ITEM.match(line):
        inside = key.start(1)
        if own in (inside, other):
            return None
        message = f"the line is indented with {_spaces(own)}, but the keys of the list item with {_spaces(inside)}"
        return Advice(span, f"indent with {_spaces(inside)}: {' ' * inside}{line.strip()}", message, (note,))
    if own == other:
        return None
    used = {_indentation(one) for one in source.content[:before].split("\n") if one.strip()}
    message = f"the line is indented with {_spaces(own)}, but the line before it with {_spaces(other)}"
    below = _below(source.content, start) if not line[own_key.end() :].strip() else 0
    outer = max((one for one in used if one < below), default=other) if below > own else other
    hint = (
        "indent both lines with the same number of spaces"
        if own in used
        else f"indent with {_spaces(outer)}: {' ' * outer}{line.strip()}"
    )
    return Advice(span, hint, message, (note,))


def _below(content: str, start: int) -> int:
    """The indentation of the next line that is not blank; 0 at the end."""
    lines = content[start:].split("\n")[1:]
    return next((_indentation(one) for one in lines if one.strip()), 0)


def _before(content: str, start: int) -> int | None:
    """The start of the last line before `start` that is not blank and not a comment."""
    while start > 0:
        start = content.rfind("\n", 0, start - 1) + 1
        text = _line(content, start).strip()
        if text and not text.startswith("#"):
            return start
    return None


def _line(content: str, start: int) -> str:
    """The text from `start` to the end of its line."""
    end = content.find("\n", start)
    return content[start : len(content) if end < 0 else end].rstrip("\r")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _spaces(count: int) -> str:
    return f"{count} space{'' if count == 1 else 's'}"


def _quoted(value: str) -> str:
    return f'"{value}"' if not set(value) & set('"\\') else "'" + value.replace("'", "''") + "'"
