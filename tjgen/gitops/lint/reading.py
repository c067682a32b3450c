"""A file of manifests -> its objects as items, and the documents in it that are not objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.cluster.validate.check import manifests
from tjgen.gitops.lint.scene import AppliedObject
from tjgen.trees.budgets import DEFAULT, CommandBudgets
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.source import reader
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple


class Read(NamedTuple):
    """The result of a file."""

    items: list[AppliedObject]
    others: list[Document]
    diagnostics: list[Diagnostic]
    documents: list[Document]
    """All of them."""


def read_items(
    content: str | bytes,
    file: str,
    units: Mapping[str, str],
    budgets: CommandBudgets = DEFAULT,
) -> Read:
    """The items of a file that `units` sync. Lists are opened, as kubectl does."""
    documents, diagnostics = reader.read(content, file, reader.KUBERNETES, budgets)
    items, others = [], []
    for document in documents:
        for tree, path in manifests(document.value):
            if tree.__class__ is dict and tree.get("apiVersion") and tree.get("kind"):
                locate = _placed(document, path)
                items.append(AppliedObject(tree, locate, file=file, units=units, document=document, base=path))
            else:
                others.append(document)
    return Read(items, others, diagnostics, documents)


def _placed(document: Document, base: FieldPath) -> Callable[..., Span | None]:
    def locate(path: FieldPath, *, key: bool = False) -> Span | None:
        return document.locate(base + path, key=key)

    return locate
