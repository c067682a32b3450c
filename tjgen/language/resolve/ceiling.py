"""The settings of a project, and those of the caller -> what the project sets and the caller does not allow (TJ568)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.language.spec.objects import ProjectSpec
from tjgen.trees.budgets import DEFAULT, CommandBudgets
from tjgen.trees.ceilings import Ceiling
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.source.document import Document


def exceeded(spec: ProjectSpec, document: Document, limit: Ceiling) -> Iterator[Diagnostic]:
    """An error for each folder and exception, and a warning for each budget."""
    for position, entry in enumerate(spec.readable):
        if not limit.is_readable(os.path.realpath(os.path.join(os.path.dirname(document.file), entry))):
            path: FieldPath = ("spec", "readable", position)
            yield _error(f"{limit.file} does not allow the project to read {entry}", path, document)
    for position, exception in enumerate(spec.policy.allow):
        if limit.allow is not None and exception not in limit.allow:
            path = ("spec", "policy", "allow", position)
            yield _error(f"{limit.file} does not allow {exception}", path, document)
    budgets = CommandBudgets.of(spec.budgets)
    for field, most in limit.budgets.items():
        own = getattr(budgets, field)
        if own > most and own != getattr(DEFAULT, field):
            message = f"{limit.file} limits the budget {field.replace('_', ' ')} to {most}, but the project sets {own}"
            path, hint = ("spec", "budgets"), "lower it, or request more from the owner of the settings"
            yield Diagnostic("TJ568", message, path=path, span=document.locate(path), hint=hint, severity=WARNING)


def _error(message: str, path: FieldPath, document: Document) -> Diagnostic:
    hint = "remove the entry, or request it from the owner of the settings"
    return Diagnostic("TJ568", message, path=path, span=document.locate(path), hint=hint)
