"""Files of the project -> their documents of one kind, those that have the right shape."""

from __future__ import annotations

from tjgen.diagnostics.model import ERROR, Diagnostic
from tjgen.fields.order import ordered
from tjgen.fields.path import Tree
from tjgen.resolve.layers import present
from tjgen.resolve.rules import check_platform
from tjgen.source.document import Document
from tjgen.source.reader import CORE, read
from tjgen.spec import compact
from tjgen.spec.check import check
from tjgen.spec.forms import Form, long_form
from tjgen.typing import Any

_KINDS: dict[str, tuple[dict[str, Any], Form]] = {
    "Overlay": (compact.OVERLAY, compact.OVERLAY_FORM),
    "Platform": (compact.PLATFORM, compact.PLATFORM_FORM),
    "Project": (compact.PROJECT, compact.PROJECT_FORM),
}


def read_content(file: str) -> tuple[bytes, list[Diagnostic]]:
    """The bytes of a file of ours; TJ201 where it cannot be read."""
    try:
        with open(file, "rb") as stream:
            return stream.read(), []
    except OSError as error:
        return b"", [Diagnostic("TJ201", ERROR, f"{file} cannot be read: {error.strerror}", name="unreadable-file")]


def of_kind(kind: str, files: list[str]) -> tuple[list[tuple[Document, Tree]], list[Diagnostic]]:
    """The documents of one kind in `files`, each with its tree in long form and in order, and what is wrong with the others."""
    schema, form = _KINDS[kind]
    good, diagnostics = [], []
    for file in files:
        content, problems = read_content(file)
        documents, more = read(content, file, CORE) if not problems else ([], [])
        diagnostics += [*problems, *more]
        for document in documents:
            if document.value.__class__ is not dict or document.value.get("kind") != kind:
                continue
            tree = present(document.value, form)
            problems = check(tree, schema) or (check_platform(long_form(tree, form)) if kind == "Platform" else [])
            diagnostics += [_placed(problem, document) for problem in problems]
            if not problems:
                good.append((document, ordered(long_form(tree, form))))
    return good, diagnostics


def _placed(problem: Diagnostic, document: Document) -> Diagnostic:
    span = document.locate(problem.path or (), key=problem.name == "unknown-field")
    return problem._replace(span=span)
