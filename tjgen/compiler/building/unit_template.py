"""A unit of a build with marks instead of the texts of its file -> units of files with other texts.

Parts of a unit that few callers read are computed when they are read.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built, Run, Unit
from tjgen.compiler.building.segments import ExperimentSegments
from tjgen.compiler.building.shapes import RunShape, has_texts
from tjgen.compiler.building.stamps import StampedRun, plain
from tjgen.compiler.hops.draft import Job
from tjgen.language.resolve.overlays import Surroundings
from tjgen.language.resolve.places import source_of
from tjgen.language.resolve.variants import Variant
from tjgen.language.runs.identity import Identity, RunContent, identity_of
from tjgen.language.runs.lock import Lock
from tjgen.language.spec.objects import Experiment, ExperimentSpec, Metadata
from tjgen.trees.fields.json_stamp import StampedJson
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.stamp import Marks, StampedTree, stamped
from tjgen.trees.k8s import quantity
from tjgen.trees.source.core import DIALECT as CORE
from tjgen.trees.source.document import Document
from tjgen.trees.source.text import Text
from tjgen.trees.typing import Any, NamedTuple

FAMILY, _RUN = 0, 1
"""Positions of the names of the experiment and of the run in the texts of a shape."""


class Marked(NamedTuple):
    """A file with marks instead of its opaque texts, and its resolved experiment."""

    file: str
    document: Document
    variant: Variant
    content: RunContent
    job: Job


class UnitTemplate:
    """A unit with marks instead of the texts of its file."""

    def __init__(
        self,
        plan: Plan,
        surroundings: Surroundings,
        segments: ExperimentSegments,
        marks: Sequence[str],
        marked: Marked,
        shape: RunShape,
        run: StampedRun,
        built: Built,
    ) -> None:
        self.segments = segments
        self.following = 0
        """The position of the template of the unit that came after one of this template."""
        self._plan = plan
        self._surroundings = surroundings
        self._shape = shape
        self._run = run
        self._like = built._replace(content=b"")
        self._positions = [shape.texts.index(mark) for mark in marks]
        """Opening -> position of its text in the texts of the shape."""
        self._name = self._positions.index(FAMILY)
        self._sizes = [(number, unit) for number in range(len(marks)) if (unit := segments.unit(number))]
        """Openings of sizes, and the units after them."""
        stamps = Marks([*marks, marked.file, *self._amounts(marks)], integers=True)
        tree = marked.variant.tree
        self._value = stamps.stamp(marked.document.value)
        self._tree = (stamps.stamp(tree.value), stamps.stamp(tree.owners))
        self._content = marked.content
        self._spec = stamps.stamp(marked.content.spec)
        self._experiment = marked.variant.experiment
        self._canonical = StampedJson(stamps.stamp(marked.content.canonical()))
        own = source_of(marked.document)
        self._documents = {name: one for name, one in marked.job.sources.documents.items() if name != own}
        self._start, end = marked.document.extent
        self._rest = len(marked.document.text) - end
        self._folders: dict[str, str] = {}
        """Folder of a file -> its path relative to the project."""

    def unit(self, file: str, content: bytes, text: str, pieces: Sequence[str]) -> Built | None:
        """The unit of a file with these texts; None if the shape cannot have them, or if the lock has other runs."""
        texts = self._shape.texts.copy()
        for position, piece in zip(self._positions, pieces, strict=True):
            texts[position] = piece
        constants, plan, like = self._run.constants, self._plan, self._like
        if not self.segments.accepts(pieces, constants) or not has_texts(self._shape, texts, constants):
            return None
        pieces = [*pieces, file, *self._amounts(pieces)]
        start, end = self._start, len(text) - self._rest
        document = Document(stamped(self._value, pieces), Text(text, file), CORE, index=0, start=start, end=end)
        if self._surroundings.overlays_of(document.value) != like.overlays:
            return None
        unit = Unit(document, like.unit.environment, like.unit.namespace, texts[FAMILY], self._source(file))
        spec = stamped(self._spec, pieces)
        run_content = self._content._replace(spec=spec, content_of=self._content.content_of._replace(spec=spec))
        identity = identity_of(self._canonical.of(pieces), like.runs[0].identity.attempt)
        if not _is_as_requested(plan.locks.of(unit), identity):
            return None
        texts[_RUN] = identity.run_name(unit.name)
        tree = StampedTree(self._tree, pieces)
        documents = {**self._documents, source_of(document): document}
        sources = self._run.job.sources._replace(experiment=tree, documents=documents)
        span = document.source.span(*self.segments.bounds(self._name, pieces))
        run = like.runs[0]._replace(
            unit=unit,
            name=texts[_RUN],
            variant=Variant("", {}, tree, StampedExperiment(tree, self._experiment)),
            identity=identity,
            content=run_content,
            compiled=self._run.template.stamped(texts, sources, span),
        )
        return like._replace(unit=unit, runs=[run], content=content)

    def _source(self, file: str) -> str:
        """The name of a file relative to the project."""
        name = file.rpartition("/")[2]
        folder = file.removesuffix(name)
        if folder not in self._folders:
            self._folders[folder] = self._plan.source(f"{folder}_").removesuffix("_")
        return self._folders[folder] + name

    def _amounts(self, pieces: Sequence[str]) -> list[str]:
        """The amounts of sizes, in billionths as in identities."""
        return [str(quantity.parse(pieces[number] + unit).nanos) for number, unit in self._sizes]


class StampedExperiment(Experiment):
    """An experiment whose parts are computed when they are read, apart from some fields of its spec."""

    __slots__ = ("_tree",)

    def __init__(self, tree: Managed, like: Experiment) -> None:
        self.api_version = like.api_version
        self.kind = like.kind
        self.spec = _StampedSpec(tree, like.spec)
        self._tree = tree

    def __getattr__(self, name: str) -> Any:
        if name != "metadata":
            raise AttributeError(name)
        self.metadata = Metadata(self._tree.value["metadata"])
        return self.metadata


class _StampedSpec(ExperimentSpec):
    """A spec that is computed when it is read, apart from some fields without opaque texts."""

    __slots__ = ("_tree",)

    def __init__(self, tree: Managed, like: ExperimentSpec) -> None:
        self.naming, self.state, self.on_supersede, self.checkpoints = (
            like.naming,
            like.state,
            like.on_supersede,
            like.checkpoints,
        )
        self._tree = tree

    def __getattr__(self, name: str) -> Any:
        if name == "_tree":
            raise AttributeError(name)
        super().__init__(self._tree.value["spec"])
        return object.__getattribute__(self, name)


def _is_as_requested(lock: Lock, identity: Identity) -> bool:
    """Whether a lock is empty, or has only the requested run with this identity, neither renewed nor moved."""
    return not lock.pruned and all(
        run.identity == str(identity)
        and run.is_requested
        and not (run.renewal or run.archived or run.was_suspended or run.folder or run.promoted_from)
        for run in lock.runs.values()
    )


def plain_unit(built: Built) -> Any:
    """Everything in a unit that a caller can read."""
    document = built.unit.document
    return (
        [built.unit[1:], document.value, document.text, document.file, document.index, document.extent],
        [_plain_run(run) for run in built.runs],
        built[2:],
    )


def _plain_run(run: Run) -> Any:
    variant = run.variant
    return (
        [variant.label, variant.point, variant.tree.value, variant.tree.owners, variant.task],
        [run.name, run.runtime.name, run.identity, run.content, run.renewal, run.reads_files],
        [run.is_record, run.is_resumed, run.promoted_from, run.images, plain(run.compiled)],
    )
