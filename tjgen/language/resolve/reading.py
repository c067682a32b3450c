"""Files of the project -> their documents of one kind, those that have the right shape."""

from __future__ import annotations

from tjgen.language.resolve.layers import present
from tjgen.language.resolve.rules import check_platform, check_project
from tjgen.language.spec import characters, compact
from tjgen.language.spec.check import check
from tjgen.language.spec.forms import Form, long_form
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.order import ordered
from tjgen.trees.fields.path import Tree
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import Any, NamedTuple

_KINDS: dict[str, tuple[dict[str, Any], Form]] = {
    "Overlay": (compact.OVERLAY, compact.OVERLAY_FORM),
    "Platform": (compact.PLATFORM, compact.PLATFORM_FORM),
    "Project": (compact.PROJECT, compact.PROJECT_FORM),
}
_CHECKS = {"Platform": check_platform, "Project": check_project}


class OfKind(NamedTuple):
    """What files hold of one kind."""

    good: list[tuple[Document, Tree]]
    """The documents of the kind, each with its tree in long form and in order."""
    diagnostics: list[Diagnostic]
    """What is wrong with the others of the kind, and with files that are not read."""
    others: list[Document]
    """The first document of each file that has documents, but none of the kind."""


def of_kind(kind: str, files: list[str], sandbox: Sandbox) -> OfKind:
    """The documents of one kind in `files`."""
    schema, form = _KINDS[kind]
    result = OfKind([], [], [])
    for file, content in sandbox.contents(files):
        if isinstance(content, Diagnostic):
            result.diagnostics.append(content)
            continue
        documents, findings = read(content, file, CORE, sandbox.budgets)
        result.diagnostics.extend(findings)
        wanted = [one for one in documents if one.value.__class__ is dict and one.value.get("kind") == kind]
        if documents and not wanted:
            result.others.append(documents[0])
        for document in wanted:
            tree = present(document.value, form)
            problems = check(tree, schema) or list(characters.diagnostics(tree))
            problems = problems or (_CHECKS[kind](long_form(tree, form)) if kind in _CHECKS else [])
            result.diagnostics.extend([_placed(problem, document) for problem in problems])
            if not problems:
                result.good.append((document, ordered(long_form(tree, form))))
    return result


def _placed(problem: Diagnostic, document: Document) -> Diagnostic:
    span = document.locate(problem.path or (), key=problem.name == "unknown-field")
    return problem._replace(span=span)
