"""The project's settings for lint rules -> marks that suppress, and diagnostics with the severity of the project."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cli.reporting import Reporter
from tjgen.gitops.lint.engine import UNREASONED, UNUSED, unknown_rules
from tjgen.gitops.lint.suppress import Mark
from tjgen.gitops.lint.table import codes
from tjgen.language.resolve.policy import PLANNED
from tjgen.language.resolve.project import LoadedProject, find
from tjgen.language.resolve.project_file import load
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath, get

_IGNORE = "ignore"
_LINT: FieldPath = ("spec", "lint", "ignore")
_POLICY: FieldPath = ("spec", "policy", "severity")


def project_of(paths: Sequence[str], reporter: Reporter) -> LoadedProject | None:
    """Return the project of the manifests, if there is one."""
    file = next((file_of_path for path in paths if path != "-" and (file_of_path := find(path)) is not None), None)
    if file is None:
        return None
    project, problems = load(file)
    reporter.add([one for one in problems if one.severity == ERROR])
    return project


def marks_of(project: LoadedProject, reporter: Reporter) -> list[Mark]:
    """A mark for each rule that the project ignores; a rule that does not exist is an error (TJ678)."""
    document = project.document
    marks = []
    written = get(document.value, _LINT, None) if document is not None else None
    # The language reads a null as absent, but its author meant to silence the rule.
    unreasoned = {code: "" for code, reason in written.items() if reason is None} if written.__class__ is dict else {}
    for code, reason in {**project.spec.lint.ignore, **unreasoned}.items():
        span = document.locate((*_LINT, code), key=True) if document is not None else None
        unknown = unknown_rules([code], "spec.lint.ignore")
        reporter.add([one._replace(span=span) for one in unknown])
        if not unknown:
            marks.append(Mark((code,), reason.strip(), span, everywhere=True))
    return marks


def ruled(diagnostics: Sequence[Diagnostic], project: LoadedProject, *, whole: bool) -> list[Diagnostic]:
    """The diagnostics as `policy.severity` has them by code or name; with `strict` the warnings that are left are errors.

    A rule's error can get a lower severity because lint builds nothing; to suppress one requires a reason (`spec.lint.ignore`).
    Where only a part is looked at, what the project ignores need not be found in it.
    """
    policy, document = project.spec.policy, project.document
    rules = codes()
    result = []
    for one in diagnostics:
        if one.code == UNUSED and not whole and document is not None and one.span is not None and one.span.file == document.file:
            continue
        severity = one.severity
        word = next((word for word in (one.code, one.name) if word in policy.severity), None)
        if word is not None and (one.code in rules or one.severity != ERROR):
            severity = policy.severity[word]
            if severity == _IGNORE and one.severity == ERROR:
                message = f"{word} is an error, which policy.severity cannot ignore without a reason"
                span = document.locate((*_POLICY, word), key=True) if document is not None else None
                hint = f"add it to spec.lint.ignore with the reason why it does no harm: {one.code}: REASON"
                result.append(Diagnostic(UNREASONED, message, span=span, hint=hint))
                severity = ERROR
        if severity == WARNING and policy.strict and one.code not in PLANNED:
            severity = ERROR
        if severity != _IGNORE:
            result.append(one._replace(severity=severity))
    return result
