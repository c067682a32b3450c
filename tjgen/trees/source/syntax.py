"""What libyaml says about a text that is not YAML -> a diagnostic for people: what is wrong with the line, and a hint."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Diagnostic, Note
from tjgen.trees.source.problems import SYNTAX, diagnostic
from tjgen.trees.source.text import Text
from tjgen.trees.typing import Any, NamedTuple


class _Wording(NamedTuple):
    """How a problem of libyaml is told."""

    message: str
    hint: str
    beginning: str = ""
    """What began at libyaml's context mark, where that place helps the reader."""
    unfinished: str = ""
    """What to say if the text ends there: at that beginning, or at the last character."""
    points_back: bool = False
    """Whether the fault is at the beginning, and libyaml only notices later."""


_WORDINGS = {
    "mapping values are not allowed in this context": _Wording(
        "a colon stands where no key can end",
        "quote the value if the colon belongs to it; otherwise correct the indentation",
    ),
    "mapping keys are not allowed in this context": _Wording(
        "a key stands where none can begin",
        "begin a new line for it, at the indentation of its neighbours",
    ),
    "block sequence entries are not allowed in this context": _Wording(
        'a list item ("- ") stands where none can begin',
        "begin a new line for it, or quote the value if the dash belongs to it",
    ),
    "could not find expected ':'": _Wording(
        'the text is neither "key: value" nor a list item',
        "write a colon and a space behind the key, or quote the text",
        points_back=True,
    ),
    "did not find expected key": _Wording(
        "the line does not fit the mapping in which it stands",
        "correct its indentation, or the quotes and brackets before it",
        "the mapping begins here",
    ),
    "did not find expected '-' indicator": _Wording(
        "the line does not fit the list in which it stands",
        'begin it with "- ", or correct its indentation',
        "the list begins here",
    ),
    "did not find expected ',' or ']'": _Wording(
        "the list in brackets does not go on here",
        "put a comma between the items, and close the list with ]",
        "the list begins here",
        "the list that begins here is never closed",
    ),
    "did not find expected ',' or '}'": _Wording(
        "the mapping in braces does not go on here",
        "put a comma between the entries, and close the mapping with }",
        "the mapping begins here",
        "the mapping that begins here is never closed",
    ),
    "did not find expected node content": _Wording(
        "no value can begin here",
        "write a value, and close every bracket that is open",
        unfinished="the text ends inside brackets",
    ),
    "found unexpected end of stream": _Wording(
        "the text ends inside quotes",
        "close the quotes",
        "they open here",
        "the quotes that open here are never closed",
    ),
    "found unexpected document indicator": _Wording(
        "the document ends inside quotes",
        "close the quotes",
        "they open here",
    ),
    "found unexpected ':'": _Wording(
        "the colon of a key has no space behind it",
        "write a space behind the colon, or quote the text",
    ),
    "found unknown escape character": _Wording(
        "the backslash begins no escape that YAML knows",
        "write two backslashes, or use single quotes",
        "the quotes open here",
    ),
    "found invalid Unicode character escape code": _Wording(
        "the escape is not a character",
        "write the character itself, or \\U and its eight digits",
        "the quotes open here",
    ),
    "did not find expected <document start>": _Wording(
        "the document has ended, and no other begins here",
        "correct the indentation of the line, or put --- before it",
    ),
    "did not find expected comment or line break": _Wording(
        "text stands where the line has to end",
        "begin the text on the next line",
    ),
    "did not find expected alphabetic or numeric character": _Wording(
        "no name follows the & or *",
        "quote the text if no anchor or alias is meant",
    ),
    "found undefined tag handle": _Wording(
        "the tag has a handle that is not declared",
        "remove the tag, or quote the text",
    ),
    "found incompatible YAML document": _Wording(
        "the file names a version of YAML that nobody reads",
        "remove the %YAML line",
    ),
    "found unknown directive name": _Wording(
        "the line is a directive that YAML does not know",
        "remove it, or quote the text if no directive is meant",
    ),
}
_TAB = _Wording("a tab indents this line", "indent with spaces")


def explain(error: Any, source: Text) -> Diagnostic:
    """The diagnostic for an error of a scanner or parser."""
    content = source.content
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
        related = (Note("it would have to be closed before this", source.span(index, index + 1)),)
        message, index = wording.unfinished, beginning
    elif wording.beginning and beginning != index:
        related = (Note(wording.beginning, source.span(beginning, beginning + 1)),)
    return diagnostic(SYNTAX, message, span=source.span(index, index + 1), hint=wording.hint, related=related)


def _wording(problem: str, character: str) -> _Wording:
    if "tab character" in problem:
        return _TAB
    if problem.endswith("cannot start any token"):  # libyaml names no character, PyYAML's scanner does
        return _TAB if character == "\t" else _Wording(f"no value can begin with {character}", "put the value in quotes")
    return _WORDINGS.get(problem) or _Wording(f"the text is not YAML: {problem}", "correct the line, or quote the text")
