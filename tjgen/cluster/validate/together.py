"""Accepted objects of all files -> what is wrong or surprising about TrainJobs once their runtimes and neighbours are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.trainer.framework import expand
from tjgen.cluster.trainer.inputs import Expanded, runtime_of, trainjobs
from tjgen.cluster.trainer.placed import Placed, at_source, clashing, clashing_run
from tjgen.cluster.trainer.refusals import CLUSTER_RUNTIME, RUNTIME
from tjgen.cluster.trainer.release import of_versions
from tjgen.cluster.trainer.warnings.clashes import ClashingRun
from tjgen.cluster.validate import admission, registry, report
from tjgen.cluster.validate.expansion import on_created, refused
from tjgen.cluster.validate.gangs import Located
from tjgen.cluster.validate.unresolved import Known, unresolved
from tjgen.cluster.validate.verdict import WEBHOOK, Stage, Verdict
from tjgen.trees.diagnostics.model import WARNING, Diagnostic, has_errors
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.objects import Objects
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.typing import Protocol

_ELSEWHERE = ("TJ800", "TJ802", "TJ806")
"""What the check of a file has reported."""
_NO_RUNTIME = "TJ801"
_EXPANDED = ("TrainJob", RUNTIME, CLUSTER_RUNTIME)
"""Kinds of Trainer; also objects of other groups have them."""


class Runtimes(Protocol):
    """Runtimes that are not in the files."""

    def look_up(self, kind: str, namespace: str, name: str) -> Tree | None: ...

    def document_of(self, tree: Tree) -> Document | None: ...


def together(
    accepted: Sequence[Placed],
    runtimes: Runtimes,
    versions: Mapping[str, str] | None,
    *,
    context: Sequence[Located] = (),
    runs: Sequence[ClashingRun] = (),
    present: Sequence[Placed] = (),
    known: Known | None = None,
    policies: Callable[[Tree], Iterator[Diagnostic]] | None = None,
) -> Iterator[Diagnostic]:
    """Yield the findings of the rules of phase TOGETHER: webhooks, warnings, conflicting names, rejected objects, gangs.

    `context`: objects that other checks accept, such as those of experiments, and `runs` their results. With `known`, all
    these and `present`, which other checks may refuse, are the complete set of objects: every reference must lead to one of
    them or to a name in `known`. `policies` judges the objects, and what the Trainer controller creates.
    """
    yield from registry.of_objects([*accepted, *context])
    if policies is not None:
        for each in accepted:
            yield from (each.at(problem) for problem in list(policies(each.tree)))
    if known is not None:
        yield from unresolved([*accepted, *context], [one.tree for one in present], known, runtimes.look_up)
    if not runs and not any(one.kind == "TrainJob" for one in accepted):
        return
    release, session = of_versions(versions), Session()
    of_trainer = [one for one in accepted if one.kind in _EXPANDED]
    places = {id(one.tree): one for one in of_trainer}
    in_files = Objects([one.tree for one in present if one.kind in _EXPANDED[1:]])
    expansions: list[Diagnostic] = []
    refusals: list[Diagnostic] = []
    names: list[ClashingRun] = []
    for trainjob, runtime, uid in trainjobs([one.tree for one in of_trainer], runtimes.look_up):
        one = Expanded(trainjob, runtime, expand(trainjob, runtime, uid=uid, release=release, session=session))
        diagnostics = list(_by_webhook(one, places, versions, session))
        yield from diagnostics
        # A runtime of the files that is not accepted has errors of its own.
        has_refused_runtime = runtime is None and runtime_of(trainjob, in_files) is not None
        if has_errors(diagnostics) or has_refused_runtime:
            continue
        names.append(clashing_run(one))
        own = [at_source(one, each, places, runtimes.document_of) for each in one.expansion.diagnostics]
        refused_objects = list(refused(one, versions))
        on_objects = list(on_created(one, policies)) if policies is not None else []
        expansions += own
        refusals += [at_source(one, each, places, runtimes.document_of) for each in (*refused_objects, *on_objects)]
    for diagnostic in (*expansions, *clashing([*runs, *names], accepted)):
        if diagnostic.code == _NO_RUNTIME and known is None:
            yield _unevaluated(diagnostic)
        elif diagnostic.code not in _ELSEWHERE:
            yield diagnostic
    yield from refusals


def _unevaluated(diagnostic: Diagnostic) -> Diagnostic:
    """TJ529: a cluster may have a runtime that no file shows, but nothing can be reported about its TrainJob."""
    message = "the TrainJob is only partly checked: its runtime is in no file and no catalog, and is not bundled"
    hint = "name the runtime's file or folder with --catalog, or correct spec.runtimeRef"
    return diagnostic._replace(code="TJ529", message=message, severity=WARNING, hint=hint)


def _by_webhook(
    one: Expanded, places: Mapping[int, Placed], versions: Mapping[str, str] | None, session: Session
) -> Iterator[Diagnostic]:
    """Yield the errors of the TrainJob's webhook if its runtime is in another file: its own runtime is already checked."""
    trainjob, runtime = places[id(one.trainjob)], places.get(id(one.runtime))
    if runtime is None or runtime.document.source is trainjob.document.source:
        return
    answer = admission.review(
        one.trainjob, context=[runtime.tree, *admission.assumed(runtime.tree)], release=of_versions(versions), session=session
    )
    verdict = Verdict((Stage(WEBHOOK, answer.errors, answer.errors),) if answer.errors else (), warnings=answer.warnings)
    for diagnostic in report.diagnostics(one.trainjob, verdict):
        yield trainjob.at(diagnostic)
