"""Files of manifests -> what the registry of rules about objects reports, for any tool.

Left out is what a rule of lint reports under its own code, and what only states that an object was not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.validate.check import examine_documents
from tjgen.cluster.validate.together import Runtimes, together
from tjgen.gitops.lint.reading import Read
from tjgen.gitops.lint.refusals import refused
from tjgen.gitops.lint.rules.changed_objects import KINDS
from tjgen.gitops.lint.scene import Scene
from tjgen.trees.diagnostics.model import INFO, Diagnostic, ObjectRef
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.identity import identity_of

Judge = Callable[[Tree, Tree], Iterator[Diagnostic]]
"""What policies report about an object that replaces another one, or None."""
REPORTED_AS = {
    "TJ109": "TJ662",
    "TJ546": "TJ612",
    "TJ852": "TJ653",
    "TJ853": "TJ675",
    "TJ860": "TJ653",
    "TJ861": "TJ653",
    "TJ865": "TJ656",
    "TJ866": "TJ656",
}
"""Code of a fact -> the rule of lint that reports it with what the GitOps tool does."""
_COVERAGE = ("TJ520", "TJ521", "TJ529")


def about_objects(
    files: Sequence[Read],
    runtimes: Runtimes,
    versions: Mapping[str, str] | None,
    harmless: Collection[str] = (),
    policies: Callable[[Sequence[Placed]], tuple[Judge | None, list[Diagnostic]]] = lambda accepted: (None, []),
    before: Mapping[ObjectRef, Tree] | None = None,
) -> list[Diagnostic]:
    """Return the errors and warnings about objects, each at its place. `policies` finds what judges the accepted objects.

    `before` has the objects of the earlier state by `identity_of`: policies evaluate what they have as updates.
    """
    diagnostics: list[Diagnostic] = []
    accepted: list[Placed] = []
    for file in files:
        examined = examine_documents(file.documents, file.diagnostics, versions=versions, harmless=harmless)
        diagnostics += examined.diagnostics
        accepted += examined.accepted
    judge, problems = policies(accepted)
    diagnostics += [*problems, *together(accepted, runtimes, versions, policies=_updating(judge, before or {}))]
    return [one for one in diagnostics if one.severity != INFO and one.code not in _COVERAGE and one.code not in REPORTED_AS]


def _updating(judge: Judge | None, before: Mapping[ObjectRef, Tree]) -> Callable[[Tree], Iterator[Diagnostic]] | None:
    """A function that evaluates an object as an update of the one before, or as a new one."""
    return (lambda tree: judge(tree, before.get(identity_of(tree)))) if judge is not None else None


def refused_updates(scenes: Sequence[Scene]) -> Iterator[Diagnostic]:
    """TJ542 for each update that the server refuses of an object whose kind has no rule of lint for that."""
    for scene in scenes:
        for pair in scene.pairs() if scene.before is not None else ():
            new = pair.new
            for one in refused(scene, pair) if new.kind not in KINDS else ():
                span = new.locate(one.path)
                yield Diagnostic("TJ542", f"{new}: {one.words}", new.ref, one.path, span, hint="give the object another name")
