"""Diagnostics and the policy of a project -> the diagnostics with the severity that they have there.

Errors stay errors in every project: a run that could not be built is missing, and the user must see it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.language.spec.objects import Policy
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.source.document import Document

PLANNED = ("TJ746",)
"""Warnings about what a command has recorded on purpose: as errors, they would leave no way to do it."""
_IGNORE = "ignore"


def judged(diagnostics: Sequence[Diagnostic], policy: Policy) -> list[Diagnostic]:
    """Warnings and notes as `severity` has them by code or name; with `strict` the warnings that are left are errors."""
    if not policy.strict and not policy.severity:
        return list(diagnostics)
    kept = []
    for one in diagnostics:
        severity = one.severity
        if severity != ERROR:
            severity = policy.severity.get(one.code) or policy.severity.get(one.name) or severity
            if severity == WARNING and policy.strict and one.code not in PLANNED:
                severity = ERROR
        if severity != _IGNORE:
            kept.append(one._replace(severity=severity))
    return kept


def unknown(policy: Policy, document: Document) -> list[Diagnostic]:
    """TJ760 for each code or name that no diagnostic has."""
    if not policy.severity:
        return []
    from tjgen.trees.diagnostics.table import TABLE  # most projects change no severity

    known = {word for code, (name, _) in TABLE.items() for word in (code, name)}
    diagnostics = []
    for word in policy.severity:
        if word not in known:
            path = ("spec", "policy", "severity", word)
            near = nearest(word, known)
            hint = f'did you mean "{near}"?' if near else "write a code or name as diagnostics print it, such as TJ004"
            message = f'unknown diagnostic "{word}"'
            span = document.locate(path, key=True)
            diagnostics.append(Diagnostic("TJ760", message, path=path, span=span, hint=hint))
    return diagnostics
