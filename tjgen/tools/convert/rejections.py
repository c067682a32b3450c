"""Converted objects -> a diagnostic for each reason why a cluster with the target release rejects one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.trainer.inputs import Catalog, is_kind, runtime_of
from tjgen.cluster.trainer.refusals import CLUSTER_RUNTIME, RUNTIME
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.validate import admission, report
from tjgen.cluster.validate.check import manifests
from tjgen.cluster.validate.judge import judge
from tjgen.trees.diagnostics.model import ERROR, Diagnostic
from tjgen.trees.fields.path import Tree, text_at
from tjgen.trees.source.document import Document

_KINDS = ("TrainJob", RUNTIME, CLUSTER_RUNTIME)


def rejected(converted: Sequence[tuple[Document, Tree]], target: Release, catalog: Catalog) -> Iterator[Diagnostic]:
    """TJ545 for each reason, at the place of the field in the document before its conversion."""
    objects = [(document, tree, path) for document, whole in converted for tree, path in manifests(whole)]
    context = [tree for _, tree, _ in objects]
    for document, tree, path in objects:
        if any(is_kind(tree, kind) for kind in _KINDS):
            for rejection in _rejections(tree, context, target, catalog):
                kind, name = text_at(tree, ("kind",)), text_at(tree, ("metadata", "name"))
                message = f"Trainer {target.name} rejects the converted {kind} {name}: {rejection.message}"
                span = document.locate(path + (rejection.path or ()))
                yield Diagnostic("TJ545", message, path=rejection.path, span=span, hint=rejection.hint)


def _rejections(tree: Tree, context: Sequence[Tree], target: Release, catalog: Catalog) -> Iterator[Diagnostic]:
    runtime = runtime_of(tree, context, catalog) if is_kind(tree, "TrainJob") else None
    context_with_runtime = [*context, *([runtime, *admission.assumed(runtime)] if runtime is not None else [])]
    verdict = judge(tree, versions=target.versions, webhooks=True, context=context_with_runtime)
    yield from (one for one in report.diagnostics(tree, verdict) if one.severity == ERROR)
