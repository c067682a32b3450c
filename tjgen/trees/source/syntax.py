"""Error of libyaml -> a diagnostic: what is wrong with the line, and a hint."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Diagnostic, Note
from tjgen.trees.source.problems import SYNTAX, diagnostic
from tjgen.trees.source.text import Text
from tjgen.trees.typing import Any, NamedTuple


class _Wording(NamedTuple):
    """How a problem of libyaml is reported."""

    message: str
    hint: str
    beginning: str = ""
    """What began at libyaml's context mark, where that place helps the reader."""
    unfinished: str = ""
    """What to report if the text ends there: at that beginning, or at the last character."""
    points_back: bool = False
    """Whether the fault is at the beginning, and libyaml only notices later."""


_WORDINGS = {
    "mapping values are not allowed in this context": _Wording(
        "a key and its colon are not allowed here",
        "quote the value if the colon is part of it, or correct the indentation",
    ),
    "mapping keys are not allowed in this context": _Wording(
        "a key is not allowed here",
        "start a new line with it, indented like the lines around it",
    ),
    "block sequence entries are not allowed in this context": _Wording(
        'a list item ("- ") is not allowed here',
        "start a new line with it, or quote the value if the dash is part of it",
    ),
    "could not find expected ':'": _Wording(
        'the text is neither "key: value" nor a list item',
        "write a colon and a space after the key, or quote the text",
        points_back=True,
    ),
    "did not find expected key": _Wording(
        "the line does not continue the mapping before it",
        "correct its indentation, or the quotes and brackets before it",
        "the mapping starts here",
    ),
    "did not find expected '-' indicator": _Wording(
        "the line does not continue the list before it",
        'start it with "- ", or correct its indentation',
        "the list starts here",
    ),
    "did not find expected ',' or ']'": _Wording(
        "the list in brackets ends with ] or continues with a comma",
        "put a comma between the items, and close the list with ]",
        "the list starts here",
        "the list that starts here is not closed",
    ),
    "did not find expected ',' or '}'": _Wording(
        "the mapping in braces ends with } or continues with a comma",
        "put a comma between the entries, and close the mapping with }",
        "the mapping starts here",
        "the mapping that starts here is not closed",
    ),
    "did not find expected node content": _Wording(
        "a value is missing here",
        "write a value, and close all brackets",
        unfinished="the text ends inside brackets",
    ),
    "found unexpected end of stream": _Wording(
        "the text ends inside quotes",
        "close the quotes",
        "the quotes start here",
        "the quotes that start here are not closed",
    ),
    "found unexpected document indicator": _Wording(
        "the document ends inside quotes",
        "close the quotes",
        "the quotes start here",
    ),
    "found unexpected ':'": _Wording(
        "a space is missing after the colon of a key",
        "write a space after the colon, or quote the text",
    ),
    "found unknown escape character": _Wording(
        "the backslash does not start an escape of YAML",
        "write two backslashes, or use single quotes",
        "the quotes start here",
    ),
    "found invalid Unicode character escape code": _Wording(
        "the escape is not a character",
        "write the character itself, or \\U and its eight digits",
        "the quotes start here",
    ),
    "did not find expected <document start>": _Wording(
        "the document ends before this line",
        "correct the indentation of the line, or put --- before it",
    ),
    "did not find expected comment or line break": _Wording(
        "the line must end before this text",
        "start the text on the next line",
    ),
    "did not find expected alphabetic or numeric character": _Wording(
        "a name is missing after & or *",
        "quote the text if it is not an anchor or alias",
    ),
    "found undefined tag handle": _Wording(
        "the tag has an undeclared handle",
        "remove the tag, or quote the text",
    ),
    "found incompatible YAML document": _Wording(
        "the file requires a version of YAML that tjgen does not read",
        "remove the %YAML line",
    ),
    "found unknown directive name": _Wording(
        "the line is an unknown directive",
        "remove it, or quote the text if it is not a directive",
    ),
}
_OURS, _THEIRS = "\n<<<<<<< ", "\n>>>>>>> "
"""The first and the last line that Git writes around a conflict."""
_TAB = _Wording("a tab indents this line", "indent with spaces")


def explain(error: Any, source: Text) -> Diagnostic:
    """The diagnostic for an error of a scanner or parser."""
    content = source.content
    conflict = f"\n{content}".find(_OURS)
    if conflict >= 0 and _THEIRS in content[conflict:]:
        message, hint = "the file has a merge conflict", "choose between the two sides, and remove the lines of Git"
        return diagnostic(SYNTAX, message, span=source.span(conflict, conflict + len(_OURS) - 2), hint=hint)
    index = min(error.problem_mark.index, len(content)) if error.problem_mark is not None else 0
    wording = _wording(str(error.problem or error.context or ""), content[index : index + 1])
    beginning = index if error.context_mark is None else min(error.context_mark.index, len(content))
    message = wording.message
    related: tuple[Note, ...] = ()
    if wording.points_back:
        index = beginning
    elif wording.unfinished and not content[index:].strip():
        message, index = wording.unfinished, beginning if wording.beginning else len(content.rstrip())
    elif wording.unfinished and "\n" in content[beginning:index]:
        related = (Note("close it before this", source.span(index, index + 1)),)
        message, index = wording.unfinished, beginning
    elif wording.beginning and beginning != index:
        related = (Note(wording.beginning, source.span(beginning, beginning + 1)),)
    from tjgen.trees.source import lines  # only for a text that is not YAML

    closer = lines.advice(str(error.problem or ""), source, index, beginning)
    if closer is not None:
        return diagnostic(
            SYNTAX,
            closer.message or message,
            span=closer.span,
            hint=closer.hint,
            related=related if closer.keeps_notes else closer.related,
        )
    return diagnostic(SYNTAX, message, span=source.span(index, index + 1), hint=wording.hint, related=related)


def _wording(problem: str, character: str) -> _Wording:
    if "tab character" in problem:
        return _TAB
    if problem.endswith("cannot start any token"):  # libyaml names no character, PyYAML's scanner does
        return _TAB if character == "\t" else _Wording(f"a value cannot start with {character}", "quote the value")
    return _WORDINGS.get(problem) or _Wording(f"the text is not valid YAML: {problem}", "correct the line, or quote the text")
