"""The start of a document -> what is wrong with its directives and its separator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tjgen.source import problems
from tjgen.source.scalars import Dialect, clip
from tjgen.source.text import Text

_VERSION = {"kubernetes": (1, 1), "core": (1, 2)}


def check_start(event: Any, source: Text, dialect: Dialect, report: Callable[..., None]) -> None:
    """Report a YAML version that the dialect is not, and text behind the separator where kubectl would read."""
    version = _VERSION[dialect.name]
    if event.version is not None and tuple(event.version) != version:
        wrong = ".".join(map(str, event.version))
        right = ".".join(map(str, version))
        reader = "kubectl reads" if dialect.name == "kubernetes" else "files of this kind are read as"
        report(problems.VERSION, f"the file says YAML {wrong}, but {reader} YAML {right}", event, "remove the %YAML line")
    if dialect.name == "kubernetes" and event.explicit:
        behind = _rest_of_line(source.content, event.end_mark.index).strip()
        if behind and not behind.startswith("#"):
            # k8s.io/apimachinery, pkg/util/yaml/decoder.go:YAMLReader.Read
            message = f"{clip(behind)} stands behind ---, which kubectl refuses"
            report(problems.SEPARATOR, message, event, "begin the document on the next line")


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
