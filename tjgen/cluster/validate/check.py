"""A file's text -> verdicts and diagnostics on each of its manifests, with their places."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from tjgen.cluster.trainer.inputs import is_kind
from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.trainer.refusals import RUNTIME
from tjgen.cluster.trainer.release import of_versions
from tjgen.cluster.validate import admission, disclosure, marks, registry, unmakeable
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.report import by_webhook, diagnostics, is_about_key, subject_of
from tjgen.cluster.validate.verdict import DECODE, WEBHOOK
from tjgen.trees import regex
from tjgen.trees.budgets import DEFAULT, Clock, CommandBudgets
from tjgen.trees.diagnostics.model import WARNING, CompileError, Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.generated_names import named, prefix_of
from tjgen.trees.manifests.objects import Objects
from tjgen.trees.source import reader
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

IsApplied = Callable[[Tree], bool]
"""Whether the object exists in the cluster already, so that the check of updates applies."""


class Examined(NamedTuple):
    """A file of manifests: its objects, and what is wrong with each of them."""

    diagnostics: list[Diagnostic]
    objects: Sequence[Placed]
    """Every document and every item of a List, whether or not it has a schema."""
    accepted: Sequence[Placed]
    """The objects that the server accepts, without those that are applied already: input of `together`."""


def check(
    text: str | bytes,
    file: str,
    *,
    versions: Mapping[str, str] | None = None,
    strict: bool = False,
    server_side: bool = False,
    is_applied: IsApplied | None = None,
    budgets: CommandBudgets = DEFAULT,
    harmless: Collection[str] = (),
) -> list[Diagnostic]:
    """The diagnostics of `examine`."""
    return examine(
        text,
        file,
        versions=versions,
        strict=strict,
        server_side=server_side,
        is_applied=is_applied,
        budgets=budgets,
        harmless=harmless,
    ).diagnostics


def examine(
    text: str | bytes,
    file: str,
    *,
    versions: Mapping[str, str] | None = None,
    strict: bool = False,
    server_side: bool = False,
    is_applied: IsApplied | None = None,
    budgets: CommandBudgets = DEFAULT,
    harmless: Collection[str] = (),
    is_manifest: Callable[[Tree], bool] = lambda tree: True,
    clock: Clock | None = None,
) -> Examined:
    """Everything that is wrong with a file of Kubernetes manifests; without a `clock`, never raises because of its text.

    `versions` chooses the releases that the cluster runs. With `strict`, a kind without a schema is an error. With
    `server_side` the manifests are judged as server-side apply judges them. Of what is `is_applied` only templates are checked.
    `harmless`: fingerprints of what looks like a secret and is none. Documents that are not `is_manifest` are left out.
    With a `clock`, each object counts as a unit of work. After its
    time, raises CompileError with what was found so far, and TJ217.
    """
    documents, problems = reader.read(text, file, reader.KUBERNETES, budgets)
    return examine_documents(
        [document for document in documents if is_manifest(document.value)],
        problems,
        versions=versions,
        strict=strict,
        server_side=server_side,
        is_applied=is_applied,
        harmless=harmless,
        clock=clock,
    )


def examine_documents(
    documents: Sequence[Document],
    diagnostics_of_text: Sequence[Diagnostic],
    *,
    versions: Mapping[str, str] | None = None,
    strict: bool = False,
    server_side: bool = False,
    is_applied: IsApplied | None = None,
    harmless: Collection[str] = (),
    clock: Clock | None = None,
) -> Examined:
    """What `examine` returns for a file with these documents, of which `diagnostics_of_text` is known."""
    problems = list(diagnostics_of_text)
    every: list[Placed] = []
    accepted: list[Placed] = []
    # The objects of one file are applied together, so webhooks find them in the cluster.
    context = [named(manifest) for document in documents for manifest, _ in manifests(document.value)]
    objects = Objects([*context, *[one for other in context for one in admission.assumed(other)]])
    for document in documents:
        for manifest, path in manifests(document.value):
            late = clock.excess(document.locate(path)) if clock is not None else None
            if late is not None:
                raise CompileError([*problems, late])
            stands = is_applied is not None and is_applied(manifest)
            if stands:
                judged = list(_applied(manifest, versions, strict=strict))
            else:
                judged = _judged(manifest, objects, versions, strict=strict, server_side=server_side)
            every.append(Placed(manifest, document, path))
            if clock is not None:
                clock.count(1)
            if manifest.__class__ is dict and not stands and not has_errors(judged):
                accepted.append(Placed(named(manifest), document, path))
            for diagnostic in (*judged, *disclosure.diagnostics(manifest, harmless)):
                whole = path + (diagnostic.path or ())
                span = document.locate(whole, key=is_about_key(diagnostic))
                problems.append(diagnostic._replace(path=whole, span=span))
    return Examined(problems, every, accepted)


def _judged(
    manifest: Tree, context: Sequence[Tree], versions: Mapping[str, str] | None, *, strict: bool, server_side: bool
) -> list[Diagnostic]:
    """The server, then the webhooks on accepted objects, then the objects from the templates of those."""
    collapsed = _collapsed(manifest)
    if collapsed is not None:
        return [collapsed]
    problems = list(marks.diagnostics(manifest))
    verdict = judge(marks.without_marks(manifest), versions=versions, server_side=server_side, webhooks=True, context=context)
    if prefix_of(manifest) and (verdict.allowed or verdict.stage == WEBHOOK):
        problems.append(_generated(manifest))
        manifest = named(manifest)
    problems += diagnostics(manifest, verdict, strict=strict)
    if verdict.allowed:
        problems += registry.of_object(manifest, versions)
    return problems


def _collapsed(manifest: Tree) -> Diagnostic | None:
    """TJ594: a preview of several objects, which has a range in its name."""
    metadata = manifest.get("metadata") if manifest.__class__ is dict else None
    if metadata.__class__ is not dict:
        return None
    field = "name" if metadata.get("name") else "generateName"
    name = metadata.get(field)
    if name.__class__ is not str or not regex.search(r"\{[0-9]+\.\.[0-9]+\}", name):
        return None
    message = f'the document shows several objects as one: its name "{name}" has a range'
    hint = "print each object by itself, with --all-pods"
    return Diagnostic("TJ594", message, subject_of(manifest), ("metadata", field), hint=hint)


def _generated(manifest: Tree) -> Diagnostic:
    """TJ546: an object that can be created, but not applied."""
    prefix = prefix_of(manifest)
    message = f'the server generates the name from "{prefix}", so kubectl apply, Argo CD, and Flux cannot apply the object'
    path = ("metadata", "generateName")
    return Diagnostic("TJ546", message, subject_of(manifest), path, hint="set metadata.name, or use kubectl create")


def _applied(manifest: Tree, versions: Mapping[str, str] | None, *, strict: bool) -> Iterator[Diagnostic]:
    """What is wrong with an object that is applied already: its templates, and types that no server can have stored."""
    verdict = judge(marks.without_marks(manifest), versions=versions, webhooks=True)
    if verdict.allowed:
        yield from unmakeable.diagnostics(manifest, versions=versions)
        yield from _unlooked(manifest, versions)
    elif verdict.stage == DECODE:
        yield from diagnostics(manifest, verdict, strict=strict)


def _unlooked(manifest: Tree, versions: Mapping[str, str] | None) -> Iterator[Diagnostic]:
    """Return the errors that Trainer's webhook would have for a changed TrainingRuntime, if it checked updates.

    It looks at creations alone (pkg/webhooks/trainingruntime_webhook.go `ValidateUpdate`, v2.3.0).
    """
    if not is_kind(manifest, RUNTIME):
        return
    for fault in admission.review(manifest, release=of_versions(versions)).errors:
        diagnostic = by_webhook(fault, subject_of(manifest))
        message = f"the server accepts this change unchecked, but would refuse a new object: {diagnostic.message}"
        yield diagnostic._replace(code="TJ888", severity=WARNING, message=message)


def manifests(tree: Tree) -> Iterator[tuple[Tree, FieldPath]]:
    """Yield the objects in a document and their paths: itself, or the items of a List (kubectl opens those)."""
    if tree.__class__ is dict and (tree.get("apiVersion"), tree.get("kind")) == ("v1", "List"):
        items = tree.get("items")
        for position, item in enumerate(items if isinstance(items, Sequence) and not isinstance(items, str) else ()):
            yield item, ("items", position)
    else:
        yield tree, ()
