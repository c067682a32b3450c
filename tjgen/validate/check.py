"""A file's text -> verdicts and diagnostics on each of its manifests, with their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.diagnostics.model import Diagnostic
from tjgen.fields.path import FieldPath, Tree
from tjgen.source import reader
from tjgen.source.document import Document
from tjgen.validate import admission
from tjgen.validate.judge import judge
from tjgen.validate.report import diagnostics


def check(text: str | bytes, file: str, *, versions: Mapping[str, str] | None = None, strict: bool = False) -> list[Diagnostic]:
    """Everything that is wrong with a file of Kubernetes manifests; never raises because of its text.

    `versions` chooses the releases that the cluster runs. With `strict`, a kind without a schema is an error.
    """
    documents, found = reader.read(text, file, reader.KUBERNETES)
    # What stands in one file is applied together, so webhooks find it in the cluster.
    context = [manifest for document in documents for manifest, _ in manifests(document.value)]
    for document in documents:
        found += check_document(document, versions=versions, strict=strict, context=context)
    return found


def check_document(
    document: Document, *, versions: Mapping[str, str] | None = None, strict: bool = False, context: Sequence[Tree] = ()
) -> Iterator[Diagnostic]:
    """What is wrong with the manifest of one document, or with each of the manifests of a List.

    Webhooks are asked about what the server accepts; `context` are the objects that they find in the cluster.
    """
    for manifest, path in manifests(document.value):
        verdict = judge(manifest, versions=versions)
        found = [*diagnostics(manifest, verdict, strict=strict)]
        if verdict.allowed:
            assumed = [one for other in context for one in admission.assumed(other)]
            answer = admission.review(manifest, context=[*context, *assumed])
            found += admission.diagnostics(manifest, answer)
        for diagnostic in found:
            whole = path + (diagnostic.path or ())
            yield diagnostic._replace(path=whole, span=document.locate(whole, key=diagnostic.name == "unknown-field"))


def manifests(tree: Tree) -> Iterator[tuple[Tree, FieldPath]]:
    """The objects in a document and where they stand: itself, or the items of a List (kubectl opens those)."""
    if tree.__class__ is dict and (tree.get("apiVersion"), tree.get("kind")) == ("v1", "List"):
        items = tree.get("items")
        for position, item in enumerate(items if isinstance(items, Sequence) and not isinstance(items, str) else ()):
            yield item, ("items", position)
    else:
        yield tree, ()
