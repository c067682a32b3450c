"""Comments and annotations that silence a rule -> marks, each with the lines or the object that it covers.

    ttlSecondsAfterFinished: 60  # tjgen: ignore TJ632: this queue is drained by hand

A comment behind a key covers its line and what is nested in it; one on a line of its own, what comes next; one before
the first line of a document, the document. An annotation `tjgen.dev/ignore: "TJ632: reason"` covers its object, one mark
a line. A mark without a reason silences nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tjgen.gitops.lint.scene import AppliedObject
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.source.comments import Comment, comments
from tjgen.trees.typing import NamedTuple

ANNOTATION = "tjgen.dev/ignore"
_IGNORE = re.compile(r"tjgen:\s*ignore\b")
_COMMENT = re.compile(rf"{_IGNORE.pattern}\s*(?P<said>.*)\Z")
_MARK = re.compile(r"(?P<codes>[^:]*)(?::(?P<reason>.*))?\Z", re.DOTALL)


class Mark(NamedTuple):
    """What silences some rules in some place."""

    codes: tuple[str, ...]
    reason: str
    span: Span | None
    first: int = 0
    last: int = 0
    """Lines that it covers, of the file of its span; none where it covers an object."""
    item: AppliedObject | None = None
    everywhere: bool = False

    def covers(self, diagnostic: Diagnostic, item: AppliedObject) -> bool:
        """Return whether a diagnostic about `item` is in the range of the mark."""
        if self.everywhere:
            return True
        if self.item is not None:
            return item is self.item
        span = diagnostic.span
        return span is not None and self.span is not None and span.file == self.span.file and self.first <= span.line <= self.last


def in_text(content: str, file: str) -> Iterator[Mark]:
    """The marks in the comments of a file."""
    if _IGNORE.search(content) is None:  # the header of each written file has "tjgen:"
        return
    lines = content.splitlines()
    for comment in comments(content):
        match = _COMMENT.match(comment.text)
        if match is not None:
            codes, reason = _read(match["said"])
            first, last = _covered(lines, comment)
            width = len(lines[comment.line - 1]) + 1 if comment.line <= len(lines) else comment.column + 1
            yield Mark(codes, reason, Span(file, comment.line, comment.column, comment.line, width), first, last)


def in_annotations(items: Iterable[AppliedObject]) -> Iterator[Mark]:
    """The marks in the annotations of objects."""
    for item in items:
        text = item.annotations.get(ANNOTATION)
        for line in str(text).splitlines() if text is not None else ():
            if line.strip():
                codes, reason = _read(line.strip())
                yield Mark(codes, reason, item.locate(("metadata", "annotations", ANNOTATION)), item=item)


def _read(text: str) -> tuple[tuple[str, ...], str]:
    match = _MARK.match(text)
    codes, reason = (match["codes"], (match["reason"] or "").strip()) if match is not None else (text, "")
    return tuple(re.split(r"[,\s]+", codes.strip())) if codes.strip() else (), reason


def _covered(lines: list[str], comment: Comment) -> tuple[int, int]:
    """The lines that a comment covers."""
    if not comment.alone:
        return comment.line, _end(lines, comment.line)
    number = comment.line
    while number < len(lines) and _is_empty(lines[number]):
        number += 1
    if number >= len(lines) or _is_border(lines[number]):
        return comment.line, comment.line
    start = number + 1
    if _opens_document(lines, comment.line):
        end = start
        while end < len(lines) and not _is_border(lines[end]):
            end += 1
        return comment.line, end
    return comment.line, _end(lines, start)


def _end(lines: list[str], start: int) -> int:
    """The last line of what begins on line `start`: lines that are indented further, and a list at the indentation of its key."""
    margin = _margin(lines[start - 1])
    is_item = _is_item(lines[start - 1])
    end = start
    for number in range(start, len(lines)):
        line = lines[number]
        if _is_empty(line):
            continue
        if _margin(line) > margin or (_margin(line) == margin and not is_item and _is_item(line)):
            end = number + 1
        else:
            break
    return end


def _opens_document(lines: list[str], line: int) -> bool:
    """Return whether the lines before the line, to the beginning of its document, are all comments."""
    for number in range(line - 2, -1, -1):
        if _is_border(lines[number]):
            return True
        if not _is_empty(lines[number]):
            return False
    return True


def _is_border(line: str) -> bool:
    return line.startswith(("---", "...")) and (len(line) == 3 or line[3].isspace())


def _is_empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _is_item(line: str) -> bool:
    return line.lstrip() == "-" or line.lstrip().startswith("- ")


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
