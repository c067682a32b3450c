"""Entries of `data.sets` and `prefetch.sets` -> those that have no value, or a name that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.schema.patterns import search
from tjgen.language.resolve.places import without_value
from tjgen.language.spec.compact import LABEL
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.source.document import Document

_LONGEST = 40
"""Characters of a name, which names of volumes and containers contain."""
_NOUNS = {"data": "data set", "prefetch": "prefetch"}
_USES = {"data": "variables and volumes", "prefetch": "containers"}
"""Section of the experiment -> what has names that contain those of its entries."""


def empty(document: Document) -> Iterator[Diagnostic]:
    """TJ157 for entries without a value."""
    for section in _NOUNS:
        yield from _empty(document, section)


def _empty(document: Document, section: str) -> Iterator[Diagnostic]:
    noun = _NOUNS[section]
    return iter(without_value(document, ("spec", section, "sets"), "TJ157", noun, lambda _: f"add volume, or remove the {noun}"))


def name_problem(name: str, at: FieldPath) -> Iterator[Diagnostic]:
    """TJ157 for a name that is too long, or that variables, volumes or containers cannot contain."""
    if not search(LABEL["pattern"])(name) or len(name) > _LONGEST:
        hint = f"use at most {_LONGEST} lowercase letters, digits and '-'"
        section = str(at[1])
        message = f'"{name}" is not a valid name for a {_NOUNS[section]}: {_USES[section]} contain it'
        yield Diagnostic("TJ157", message, path=at, hint=hint)
