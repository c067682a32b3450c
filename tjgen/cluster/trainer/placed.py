"""Documents of files -> the objects in them, each with its place, and what is surprising about their TrainJobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.trainer.inputs import Expanded
from tjgen.cluster.trainer.warnings.clashes import ClashingRun, Key, between_runs, key_of, makers_of, with_taken_name
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.generated_names import named
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

DocumentOf = Callable[[Tree], "Document | None"]
"""A runtime that comes from a catalog -> the document that contains it."""


class Placed(NamedTuple):
    """An object and its location: a document, or an item of a List in one."""

    tree: Tree
    document: Document
    path: FieldPath = ()

    @property
    def kind(self) -> Tree:
        """The kind of the object; None for a tree that is none."""
        return self.tree.get("kind") if self.tree.__class__ is dict else None

    @property
    def key(self) -> Key | None:
        """What the object is called."""
        return key_of(self.tree)

    def at(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic with its path from the top of the document, and its place."""
        whole = self.path + (diagnostic.path or ())
        return diagnostic._replace(path=whole, span=self.document.locate(whole))


def placed(documents: Sequence[Document]) -> list[Placed]:
    """The objects of documents under the names that they get; those of a List one by one."""
    result = []
    for document in documents:
        tree = document.value
        items = tree.get("items") if tree.__class__ is dict and tree.get("kind") == "List" else None
        if items.__class__ is list:
            result += [Placed(named(item), document, ("items", position)) for position, item in enumerate(items)]
        else:
            result.append(Placed(named(tree), document))
    return result


def surprising(objects: Sequence[Placed], expanded: Sequence[Expanded], document_of: DocumentOf) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the expansions and of conflicting names, each at the line of its object."""
    places = {id(one.tree): one for one in objects}
    for one in expanded:
        for diagnostic in one.expansion.diagnostics:
            yield at_source(one, diagnostic, places, document_of)
    yield from clashing([clashing_run(one) for one in expanded], objects)


def clashing_run(one: Expanded) -> ClashingRun:
    """The names that the objects of an expansion take."""
    return ClashingRun(one.trainjob, [created.tree for created in one.expansion.objects])


def clashing(runs: Sequence[ClashingRun], objects: Sequence[Placed]) -> Iterator[Diagnostic]:
    """Yield the diagnostics of conflicting names of runs and objects, each at the line of its object.

    Clashes between runs that are not among the objects are reported elsewhere.
    """
    places: dict[int, Placed] = {}
    for run, diagnostic in between_runs(runs):
        places = places or {id(one.tree): one for one in objects}
        if id(run) in places:
            yield places[id(run)].at(diagnostic)
    makers = makers_of(runs)
    for one in objects if makers else ():
        # Objects without a kind or a name are reported by the check.
        key = one.key
        if key is not None and key in makers:
            taken_name = with_taken_name(one.tree, key, makers[key])
            if taken_name is not None:
                yield one.at(taken_name)


def at_source(one: Expanded, diagnostic: Diagnostic, places: Mapping[int, Placed], document_of: DocumentOf) -> Diagnostic:
    """The diagnostic about a TrainJob or its runtime at the line of the one that it is about."""
    is_trainjobs = diagnostic.subject is None or diagnostic.subject.kind == "TrainJob"
    if is_trainjobs or one.runtime is None:
        return places[id(one.trainjob)].at(diagnostic)
    place = places.get(id(one.runtime))
    if place is None:
        document = document_of(one.runtime)
        if document is None:
            return diagnostic
        place = Placed(one.runtime, document)
    return place.at(diagnostic)
