"""A file of manifests -> its objects as items, and the documents in it that are no objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.budgets import DEFAULT, Budgets
from tjgen.diagnostics.model import Diagnostic, Span
from tjgen.fields.path import FieldPath
from tjgen.lint.scene import Item
from tjgen.source.document import Document
from tjgen.source.reader import KUBERNETES, read
from tjgen.typing import NamedTuple
from tjgen.validate.check import manifests


class Read(NamedTuple):
    """What came of a file."""

    items: list[Item]
    others: list[Document]
    diagnostics: list[Diagnostic]


def read_items(content: str | bytes, file: str, units: Mapping[str, str], budgets: Budgets = DEFAULT) -> Read:
    """The items of a file that `units` sync. Lists are opened, as kubectl does."""
    documents, diagnostics = read(content, file, KUBERNETES, budgets)
    items, others = [], []
    for document in documents:
        for tree, path in manifests(document.value):
            if tree.__class__ is dict and tree.get("apiVersion") and tree.get("kind"):
                locate = _placed(document, path)
                items.append(Item(tree, locate, file=file, units=units, document=document, base=path))
            else:
                others.append(document)
    return Read(items, others, diagnostics)


def _placed(document: Document, base: FieldPath) -> Callable[..., Span | None]:
    def locate(path: FieldPath, *, key: bool = False) -> Span | None:
        return document.locate(base + path, key=key)

    return locate
