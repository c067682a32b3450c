"""The controller's objects for a TrainJob -> the errors that they will cause, at the fields that they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tjgen.cluster.trainer.inputs import Expanded
from tjgen.cluster.trainer.objects import CreatedObject
from tjgen.cluster.trainer.warnings.subject import reference
from tjgen.cluster.validate import report, unmakeable
from tjgen.cluster.validate.judge import judge
from tjgen.trees.diagnostics.model import ERROR, Diagnostic
from tjgen.trees.fields.managed import origins_of
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.leaves import lasting

_JUDGED = ("JobSet", "PodGroup")
_ALREADY_REFUSED = ("TJ815", "TJ840", "TJ841", "TJ842", "TJ843", "TJ852", "TJ860", "TJ861")
"""Warnings that lead to a rejection and explain it in their own text."""


def refused(one: Expanded, versions: Mapping[str, str] | None) -> Iterator[Diagnostic]:
    """TJ895 for each thing that is wrong with an object that the controller creates."""
    if any(diagnostic.code in _ALREADY_REFUSED for diagnostic in one.expansion.diagnostics):
        return
    for created in one.expansion.objects:
        if created.tree["kind"] in _JUDGED:
            for diagnostic in _judged(created.tree, versions):
                if diagnostic.severity == ERROR:
                    yield _of_source(one, created, diagnostic)


def on_created(one: Expanded, find: Callable[[Tree], Iterator[Diagnostic]]) -> Iterator[Diagnostic]:
    """What `find` reports about the objects that the controller creates, at the fields of the file that they come from."""
    for created in one.expansion.objects:
        for diagnostic in find(created.tree) if created.tree["kind"] in _JUDGED else ():
            tree, path = _source(one, created, diagnostic.path or ())
            message = f"{diagnostic.message} (on the {created.tree['kind']} that the controller creates)"
            yield diagnostic._replace(message=message, subject=reference(tree), path=path)


def _judged(tree: dict[str, Tree], versions: Mapping[str, str] | None) -> list[Diagnostic]:
    verdict = judge(tree, versions=versions, webhooks=True, context=())
    diagnostics = list(report.diagnostics(tree, verdict))
    return diagnostics if diagnostics or not verdict.allowed else list(unmakeable.diagnostics(tree, versions=versions))


def _of_source(one: Expanded, created: CreatedObject, diagnostic: Diagnostic) -> Diagnostic:
    tree, path = _source(one, created, diagnostic.path or ())
    kind = created.tree["kind"]
    message = (
        f"the {kind} that the controller creates from TrainJob {reference(one.trainjob).name} is refused: {diagnostic.message}"
    )
    return Diagnostic("TJ895", message, reference(tree), path, hint=diagnostic.hint)


def _source(one: Expanded, created: CreatedObject, path: FieldPath) -> tuple[Tree, FieldPath]:
    """Return the file's object and field that cause a field of the created object."""
    for origin in origins_of(created.owners, lasting(created.tree, path)):
        tree = {"trainjob": one.trainjob, "runtime": one.runtime}.get(origin.source)
        if tree is not None:
            because = origin.because
            while because and get(tree, because, None) is None:
                because = because[:-1]
            return tree, because
    return one.trainjob, ()
