"""Accepted objects of all files -> what is wrong or surprising about TrainJobs once their runtimes and neighbours are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.trainer.inputs import Expanded, expanded
from tjgen.cluster.trainer.placed import Placed, at_source, surprising
from tjgen.cluster.trainer.release import of_versions
from tjgen.cluster.validate import admission, report
from tjgen.cluster.validate.made import refused
from tjgen.cluster.validate.verdict import WEBHOOK, Stage, Verdict
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import Tree
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.typing import Protocol

_ELSEWHERE = ("TJ800", "TJ801", "TJ802", "TJ806")
"""What the check of a file has said, or cannot know: a cluster may have runtimes that nobody shows."""


class Runtimes(Protocol):
    """Runtimes that do not stand in the files."""

    def look_up(self, kind: str, namespace: str, name: str) -> Tree | None: ...

    def document_of(self, tree: Tree) -> Document | None: ...


def together(accepted: Sequence[Placed], runtimes: Runtimes, versions: Mapping[str, str] | None) -> Iterator[Diagnostic]:
    """Webhooks that need another file's runtime, surprises, names that clash, made objects that are refused."""
    release, session = of_versions(versions), Session()
    objects = [one.tree for one in accepted]
    places = {id(one.tree): one for one in accepted}
    made = []
    for one in expanded(objects, runtimes.look_up, release=release, session=session):
        said = list(_by_webhook(one, places, versions, session))
        yield from said
        if not has_errors(said):
            made.append(one)
    yield from (found for found in surprising(accepted, made, runtimes.document_of) if found.code not in _ELSEWHERE)
    seen: set[str] = set()
    for one in made:
        for found in refused(one, seen, versions):
            yield at_source(one, found, places, runtimes.document_of)


def _by_webhook(
    one: Expanded, places: Mapping[int, Placed], versions: Mapping[str, str] | None, session: Session
) -> Iterator[Diagnostic]:
    """What the TrainJob's webhook says where its runtime stands in another file: one of its own it was asked about."""
    trainjob, runtime = places[id(one.trainjob)], places.get(id(one.runtime))
    if runtime is None or runtime.document.source is trainjob.document.source:
        return
    answer = admission.review(
        one.trainjob, context=[runtime.tree, *admission.assumed(runtime.tree)], release=of_versions(versions), session=session
    )
    verdict = Verdict((Stage(WEBHOOK, answer.errors, answer.errors),) if answer.errors else (), warnings=answer.warnings)
    for found in report.diagnostics(one.trainjob, verdict):
        yield trainjob.at(found)
