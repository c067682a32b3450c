"""A regular expression -> its pattern, without importing `re` if the file of compiled modules has its compiled form.

Importing `re` and compiling the patterns of a small build take longer than all its other work. The functions are those of `re`.
Use them for the patterns of tjgen and of its schemas. A pattern from other input is compiled by `re`.
"""

from __future__ import annotations

from tjgen.trees import bytecode
from tjgen.trees.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

ASCII = 256
MULTILINE = 8

_MOST = 500
_LONGEST = 2_000
"""Patterns that are kept, and characters of one. Schemas of a cluster's own kinds may have any number of them."""

_patterns: dict[tuple[str, int], re.Pattern[str]] = {}


def compile(text: str, flags: int = 0) -> re.Pattern[str]:  # noqa: A001  # as in re
    """The pattern; raises re.error if the text is not a regular expression."""
    pattern = _patterns.get((text, flags))
    if pattern is None:
        program = bytecode.programs().get((text, flags))
        pattern = _loaded(text, program) if program is not None else _compiled(text, flags)
        _patterns[text, flags] = pattern
    return pattern


def match(pattern: str, text: str, flags: int = 0) -> re.Match[str] | None:
    """The match at the start of the text."""
    return compile(pattern, flags).match(text)


def fullmatch(pattern: str, text: str, flags: int = 0) -> re.Match[str] | None:
    """The match of the whole text."""
    return compile(pattern, flags).fullmatch(text)


def search(pattern: str, text: str, flags: int = 0) -> re.Match[str] | None:
    """The first match in the text."""
    return compile(pattern, flags).search(text)


def findall(pattern: str, text: str, flags: int = 0) -> list[Any]:
    """All matches in the text, as strings or groups."""
    return compile(pattern, flags).findall(text)


def sub(pattern: str, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
    """The text with each match replaced."""
    return compile(pattern).sub(replacement, text)


def split(pattern: str, text: str) -> list[str | Any]:
    """The parts of the text between matches."""
    return compile(pattern).split(text)


def _loaded(text: str, program: bytecode.Program) -> re.Pattern[str]:
    flags, code, groups, names = program
    by_number: list[str | None] = [None] * (groups + 1)
    for name, number in names.items():
        by_number[number] = name
    pattern: re.Pattern[str] = _sre().compile(text, flags, memoryview(code).cast("I").tolist(), groups, names, tuple(by_number))
    return pattern


def _compiled(text: str, flags: int) -> re.Pattern[str]:
    import re

    pattern = re.compile(text, flags)
    if bytecode.keeps() and len(text) <= _LONGEST and len(bytecode.programs()) + len(bytecode.new_programs) < _MOST:
        program = program_of(text, flags)
        if program is not None and _loaded(text, program) == pattern:
            bytecode.new_programs[text, flags] = program
    return pattern


def program_of(text: str, flags: int) -> bytecode.Program | None:
    """Return the compiled pattern from Python's own compiler; None in a Python whose compiler is unknown."""
    from array import array

    try:
        parser, compiler = __import__("re._parser", fromlist=["parse"]), __import__("re._compiler", fromlist=["_code"])
        parsed = parser.parse(text, flags)
        code = array("I", compiler._code(parsed, flags)).tobytes()
        return flags | parsed.state.flags, code, parsed.state.groups - 1, dict(parsed.state.groupdict)
    except (ImportError, AttributeError, TypeError, OverflowError):
        return None


def _sre() -> Any:
    return __import__("_sre")
