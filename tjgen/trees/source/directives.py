"""The start of a document -> what is wrong with its directives and its separator; whether it holds anything at all."""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.source import problems
from tjgen.trees.source.findings import SourceFindings, extent
from tjgen.trees.source.problems import diagnostic
from tjgen.trees.source.scalars import Dialect, clip
from tjgen.trees.source.text import Text
from tjgen.trees.typing import Any

MOST_TAG_DIRECTIVES = 1_000
"""The parser compares each with all others of its document."""


def check_start(event: Any, source: Text, dialect: Dialect, findings: SourceFindings) -> None:
    """Report a YAML version that the dialect is not, and text behind the separator where kubectl would read."""
    version = (1, 1) if dialect.follows_go else (1, 2)
    if event.version is not None and tuple(event.version) != version:
        wrong = ".".join(map(str, event.version))
        right = ".".join(map(str, version))
        reader = "kubectl reads" if dialect.follows_go else "files of this kind are read as"
        message = f"the file declares YAML {wrong}, but {reader} YAML {right}"
        findings.add(problems.VERSION, message, extent(event), "remove the %YAML line")
    if dialect.follows_go and event.explicit:
        behind = _rest_of_line(source.content, event.end_mark.index).strip()
        if behind and not behind.startswith("#"):
            # k8s.io/apimachinery, pkg/util/yaml/decoder.go:YAMLReader.Read
            message = f"{clip(behind)} follows --- on its line, which kubectl refuses"
            findings.add(problems.SEPARATOR, message, extent(event), "begin the document on the next line")


def check_number(source: Text) -> Diagnostic | None:
    """Return the diagnostic for a text with so many directives that reading it would take too long."""
    content = source.content
    if (
        content.count("%TAG") <= MOST_TAG_DIRECTIVES
        or len(regex.findall("^%TAG", content, regex.MULTILINE)) <= MOST_TAG_DIRECTIVES
    ):
        return None
    index = content.find("%TAG")
    message = f"the file has more than {MOST_TAG_DIRECTIVES} %TAG directives"
    return diagnostic(problems.LIMIT, message, span=source.span(index, index + 4), hint="remove those that no tag uses")


def is_blank(content: str) -> bool:
    """Whether a document consists of comments, directives and separators only."""
    for line in content.splitlines():
        rest = line.removeprefix("---").removeprefix("...").strip()
        if rest and rest[0] not in "#%":
            return False
    return True


def _rest_of_line(content: str, start: int) -> str:
    end = content.find("\n", start)
    return content[start:] if end < 0 else content[start:end]
