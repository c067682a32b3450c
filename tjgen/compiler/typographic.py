"""A text of the experiment -> the characters of word processors in it that shells and programs do not read as meant."""

from __future__ import annotations

from tjgen.compiler.words import unquoted
from tjgen.trees import regex
from tjgen.trees.canonical import json_text
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath

_CODE = "TJ145"

_DOUBLE, _SINGLE = "\u201c\u201d\u201e", "\u2018\u2019\u201a"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SPACES = "\u00a0\u2007\u202f\u200b\u2060\ufeff"
"""Spaces that separate no words, and characters without a width."""
_MARK = regex.compile(
    rf"(?:(?<=\s)|(?<=\A)|(?<==))[{_DOUBLE}{_SINGLE}](?=\S)|(?:(?<=[\s{_SPACES}])|(?<=\A))[{_DASHES}]+(?=[A-Za-z])|[{_SPACES}](?=-)"
)
"""Quotation marks at the start of a word, dashes instead of an option's hyphens, and spaces before an option."""
_SPACE = regex.compile(f"[{_SPACES}]")
_HYPHENS = regex.compile(rf"(?:(?<=\s)|(?<=\A))[{_DASHES}]+(?=[A-Za-z])")
_QUOTED = regex.compile(rf"[{_DOUBLE}{_SINGLE}](.*)[{_DOUBLE}{_SINGLE}]\Z")
_PLAIN = str.maketrans({**dict.fromkeys(_DOUBLE, '"'), **dict.fromkeys(_SINGLE, "'"), **dict.fromkeys(_SPACES, " ")})


def of_line(line: str, at: FieldPath) -> Diagnostic | None:
    """TJ145 for a command that no shell reads, if characters outside its quotation marks do not separate words."""
    match = _SPACE.search(unquoted(line))
    return _diagnostic(match[0], line, at) if match is not None else None


def of_words(text: str, script: str | None, at: FieldPath) -> Diagnostic | None:
    """TJ145 for a text of a command line; `script` is the whole script if it has the text."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    mark = next((one[0][0] for line in lines if (one := _MARK.search(line))), None)
    return _diagnostic(mark, script, at) if mark is not None else None


def of_value(name: str, value: str, at: FieldPath) -> Diagnostic | None:
    """TJ145 for a variable whose whole value is in typographic quotation marks. A text can mean them."""
    quoted = _QUOTED.match(value)
    if quoted is None:
        return None
    message = f"the value of {name} begins with {value[0]} (U+{ord(value[0]):04X}), which is part of the text"
    return Diagnostic(_CODE, message, path=at, hint=f"write {json_text(quoted[1])}", severity=WARNING)


def plain(text: str) -> str:
    """The text with the characters of a keyboard."""
    return _HYPHENS.sub("--", text.translate(_PLAIN))


def _diagnostic(mark: str, script: str | None, at: FieldPath) -> Diagnostic:
    read = "a space between words" if mark in _SPACES else "--" if mark in _DASHES else plain(mark)
    shown = "" if mark in _SPACES else f"{mark} "
    message = f"the command line has {shown}{f'(U+{ord(mark):04X})' if shown else f'U+{ord(mark):04X}'}, "
    message += f"which shells and programs do not read as {read}"
    hint = f"write {plain(script).strip()}" if script is not None and "\n" not in script else f"write {read}"
    return Diagnostic(_CODE, message, path=at, hint=hint)
