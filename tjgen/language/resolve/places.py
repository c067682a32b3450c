"""Origins of the merged experiment -> places in the documents that they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.language.spec.check import QUOTE
from tjgen.trees.diagnostics.model import Diagnostic, Note, Span
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.manifests.identity import ref_of
from tjgen.trees.source.document import Document

Documents = Mapping[str, Document]
"""Documents by the name that origins give them."""

ABOUT_KEYS = (
    "unknown-field",
    "unknown-path",
    "malformed-path",
    "invalid-volume-name",
    "misspelled-resource",
    "resource-of-another-tool",
    "unusual-variable-name",
    "overlapping-sweep-keys",
    "task-name-invalid",
    "too-many-points",
    "too-many-tasks",
    "too-many-runs",
)
"""Diagnostics that are about a key rather than about its value."""


def source_of(document: Document) -> str:
    """The name by which origins call a document: `file:PATH`, with `#2` for the second one of a file."""
    return f"file:{document.file}#{document.index + 1}" if document.index else f"file:{document.file}"


def span_of(origin: Origin, documents: Documents, *, key: bool = False) -> Span | None:
    """Return the place of the text that `origin` names, None if it is not in a file."""
    document = documents.get(origin.source)
    return None if document is None else document.locate(origin.because, key=key)


def locate(tree: Managed, path: FieldPath, documents: Documents, *, key: bool = False) -> Span | None:
    """Return the place of the text that set or removed the value at `path`; of several, the last one."""
    for origin in reversed(tree.origins(path)):
        span = span_of(origin, documents, key=key)
        if span is not None:
            return span
    return None


def placed(diagnostics: list[Diagnostic], tree: Managed, documents: Documents) -> list[Diagnostic]:
    """Return diagnostics about paths of `tree`, each with its place in a file, or with its source if it is not in one."""
    return [_placed(diagnostic, tree, documents) for diagnostic in diagnostics]


def _placed(diagnostic: Diagnostic, tree: Managed, documents: Documents) -> Diagnostic:
    if diagnostic.span is not None or diagnostic.path is None:
        return diagnostic
    origins = tree.origins(diagnostic.path)
    if origins and origins[-1].source not in documents:
        return diagnostic._replace(related=(*diagnostic.related, other_origin(origins[-1], documents)))
    diagnostic = diagnostic._replace(span=locate(tree, diagnostic.path, documents, key=diagnostic.name in ABOUT_KEYS))
    if diagnostic.hint == QUOTE and origins and "\n" not in (words := documents[origins[-1].source].excerpt(origins[-1].because)):
        return diagnostic._replace(hint=f'write "{words}"')
    return diagnostic


def without_value(document: Document, path: FieldPath, code: str, noun: str, hint_of: Callable[[str], str]) -> list[Diagnostic]:
    """Diagnostics for the entries without a value in the mapping at `path`: YAML reads null, and the entry would be absent."""
    entries = get(document.value, path, None)
    return [
        Diagnostic(
            code,
            f'{noun} "{name}" is empty',
            path=(*path, name),
            span=document.locate((*path, name), key=True),
            hint=hint_of(name),
        )
        for name, value in (entries.items() if entries.__class__ is dict else ())
        if value is None
    ]


def in_experiment(diagnostic: Diagnostic, document: Document, environment: str | None) -> Diagnostic:
    """A diagnostic with a place in the experiment, or with a note that names it if the place is in an overlay or platform."""
    if diagnostic.span is None and not diagnostic.related:
        return diagnostic._replace(span=document.locate(()))
    if diagnostic.span is None or diagnostic.span.file == document.file:
        return diagnostic
    name = get(document.value, ("metadata", "name"), None) or document.file
    where = f" in environment {environment}" if environment is not None else ""
    note = Note(f"found in experiment {name}{where}", document.locate(("metadata", "name")))
    return diagnostic._replace(related=(*diagnostic.related, note))


def in_overlays(
    diagnostics: list[Diagnostic], documents: Documents, document: Document, environment: str | None
) -> list[Diagnostic]:
    """Diagnostics of an experiment: those with a place in an overlay or Platform, which others may have, name the experiment."""
    overlays = {one.file for one in documents.values()} - {document.file}
    return [
        in_experiment(one, document, environment)._replace(subject=ref_of(document.value))
        if one.subject is None and one.span is not None and one.span.file in overlays
        else one
        for one in diagnostics
    ]


def other_origin(origin: Origin, documents: Documents) -> Note:
    """The second place of a diagnostic: another source that sets the field, and its place."""
    return Note(f"set by {origin.manager}", span_of(origin, documents))
