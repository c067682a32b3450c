"""Files that differ only in opaque texts -> their units, without reading them as YAML and without merging overlays.

A file whose run was stamped (see stamps.py) has segments (see segments.py). When a second file has the same segments, its text
is resolved once more with marks as the opaque texts. This shows which text of the file is which text of the shape, and what else
of the unit has it. If the texts of the second file turn all of that into its unit, in every part, later files with these
segments get their units in the same way. Their identity, lock, place and overlays are looked at as for any file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen.compiler.building.origins import UnitSource, compiled_run, origin_of
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built, Run
from tjgen.compiler.building.segments import Segments
from tjgen.compiler.building.shapes import RunShape, has_texts, shape_of
from tjgen.compiler.building.stamps import StampedRun, plain
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.pipeline import Compiled
from tjgen.language.resolve.overlays import Surroundings
from tjgen.language.resolve.places import source_of
from tjgen.language.resolve.spelling import spelled
from tjgen.language.resolve.variants import Variant, variants
from tjgen.language.runs.identity import Identity, RunContent, identity_of, written
from tjgen.language.runs.lock import Lock
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.language.spec.objects import Experiment, ExperimentSpec, Metadata
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.stamp import Marks, StampedTree, stamped
from tjgen.trees.k8s import quantity
from tjgen.trees.session import Session
from tjgen.trees.source.core import DIALECT as CORE
from tjgen.trees.source.document import Document
from tjgen.trees.source.text import Text
from tjgen.trees.typing import Any, NamedTuple

MOST = 64
"""Templates of an environment."""
_PATIENCE = 24
"""Files, one after another and with segments of their own, whose segments are looked for."""
_SAMPLED = 16
"""Of the next ones, one of this many is looked at, until segments occur again."""
_FAMILY, _RUN = 0, 1
"""Positions of the names of the experiment and of the run in the texts of a shape."""


class Templates:
    """The templates of the files of one build."""

    def __init__(self, plan: Plan, session: Session) -> None:
        self._plan = plan
        self._session = session
        self._by_environment: dict[str | None, _Templates] = {}

    def unit(self, file: str, environment: str | None, content: bytes) -> Built | None:
        """The unit of a file, if there is a template for it, and its lock has no other run."""
        known = self._by_environment.get(environment)
        return known.unit(file, content) if known is not None else None

    def learn(self, built: Built, run: StampedRun) -> None:
        """Take the unit of a file whose last run was stamped."""
        environment, plan = built.unit.environment, self._plan
        if len(built.runs) != 1 or built.diagnostics or plan.request.promotions is not None or plan.only_promoted(environment):
            return
        if environment not in self._by_environment:
            self._by_environment[environment] = _Templates(plan, self._session, environment)
        self._by_environment[environment].learn(built, run)


class _Templates:
    """The templates of the files of one build for one environment."""

    def __init__(self, plan: Plan, session: Session, environment: str | None) -> None:
        self._plan = plan
        self._session = session
        self._environment = environment
        # What is resolved with marks matches no overlay of the build.
        self._surroundings = Surroundings(plan.project, environment, plan.layers)
        self._once: list[tuple[Segments, str]] = []
        """Segments that one file has, and the name of the file."""
        self._templates: list[_Template] = []
        self._refused: set[Segments] = set()
        """Segments with a template, or that have none."""
        self._alone = 0
        """Files since the last one with known segments."""

    def unit(self, file: str, content: bytes) -> Built | None:
        """See `Templates.unit`."""
        if not self._templates or len(content) > self._plan.sandbox.budgets.file_size:
            return None
        text = _decoded(content)
        if text is None:
            return None
        for position, template in enumerate(self._templates):
            texts = template.segments.texts(text)
            if texts is not None:
                if position:
                    self._templates.insert(0, self._templates.pop(position))
                return template.unit(file, content, text, texts)
        return None

    def learn(self, built: Built, run: StampedRun) -> None:
        """See `Templates.learn`."""
        self._alone += 1
        if self._alone > _PATIENCE and self._alone % _SAMPLED:
            return
        unit, text = built.unit, _decoded(built.content)
        if text is None or text != unit.document.text:
            return
        for position, (segments, file) in enumerate(self._once):
            if segments.texts(text) is not None:
                del self._once[position]
                self._alone = 0
                self._refused.add(segments)
                template = self._template(segments, file, built, run)
                if template is not None and len(self._templates) < MOST:
                    self._templates.insert(0, template)
                return
        own = Segments.of(unit.document)
        if own is not None and own not in self._refused:
            self._once = [*self._once[-MOST:], (own, unit.document.file)]

    def _template(self, segments: Segments, file: str, built: Built, run: StampedRun) -> _Template | None:
        """The template of these segments, if it yields `built`."""
        texts = segments.texts(built.unit.document.text)
        marked_file = os.path.join(os.path.dirname(file), f"mq{'q' * len(os.path.basename(file))}z.yaml")
        for _ in range(2):
            if texts is None:
                return None
            marks = [opening.mark(number, texts[number]) for number, opening in enumerate(segments.openings)]
            marked = self._resolved(marked_file, segments.filled(marks), built)
            shape = shape_of(marked.job, run.constants) if marked is not None else None
            if marked is None or shape is None or shape.key != run.shape.key or marked.job.runtime is not run.job.runtime:
                return None
            counts = [shape.texts.count(mark) for mark in marks]
            if all(count == 1 for count in counts):
                if _FAMILY not in map(shape.texts.index, marks):
                    return None
                template = _Template(self._plan, self._surroundings, segments, marks, marked, shape, run, built)
                made = template.unit(built.unit.document.file, built.content, built.unit.document.text, texts)
                return template if made is not None and repr(plain_unit(made)) == repr(plain_unit(built)) else None
            # An overlay replaces the text, or the text is in several places.
            closed = [number for number, count in enumerate(counts) if count != 1]
            segments = segments.without(closed, texts)
            texts = segments.texts(built.unit.document.text)
        return None

    def _resolved(self, file: str, text: str, built: Built) -> _Marked | None:
        """A file with marks, up to the job that its run is compiled by."""
        plan = self._plan
        documents, problems = plan.documents(file, text.encode())
        if problems or len(documents) != 1:
            return None
        document = documents[0]
        expansion = variants(document, self._surroundings)
        if expansion.diagnostics or len(expansion.runs) != 1 or expansion.overlays != built.overlays:
            return None
        variant = expansion.runs[0]
        metadata = variant.experiment.metadata
        unit = built.unit._replace(document=document, name=metadata.name + plan.request.suffix, source="")
        source = UnitSource(unit, expansion.documents, written(spelled(document, EXPERIMENT_FORM)), {}, {})
        origin, _, problems, reads_files = origin_of(plan, source, variant)
        if origin is None or problems or reads_files:
            return None
        jobs: list[Job] = []

        def compile_nothing(job: Job) -> Compiled:
            jobs.append(job)
            return built.runs[0].compiled

        compiled_run(plan, self._session, unit, origin, 0, compile_nothing)
        return _Marked(file, document, variant, origin.content, jobs[0])


class _Marked(NamedTuple):
    """A file with marks instead of its opaque texts, and what becomes of it."""

    file: str
    document: Document
    variant: Variant
    content: RunContent
    job: Job


class _Template:
    """A unit with marks instead of the texts of its file."""

    def __init__(
        self,
        plan: Plan,
        surroundings: Surroundings,
        segments: Segments,
        marks: Sequence[str],
        marked: _Marked,
        shape: RunShape,
        run: StampedRun,
        built: Built,
    ) -> None:
        self.segments = segments
        self._plan = plan
        self._surroundings = surroundings
        self._shape = shape
        self._run = run
        self._like = built._replace(content=b"")
        self._positions = [shape.texts.index(mark) for mark in marks]
        """Opening -> position of its text in the texts of the shape."""
        self._name = self._positions.index(_FAMILY)
        self._sizes = [(number, unit) for number in range(len(marks)) if (unit := segments.unit(number))]
        """Openings of sizes, and the units after them."""
        stamps = Marks([*marks, marked.file, *self._amounts(marks)], integers=True)
        tree = marked.variant.tree
        self._value = stamps.stamp(marked.document.value)
        self._tree = (stamps.stamp(tree.value), stamps.stamp(tree.owners))
        self._content = marked.content
        self._spec = stamps.stamp(marked.content.spec)
        self._experiment = marked.variant.experiment
        self._canonical = stamps.stamp(marked.content.canonical())
        own = source_of(marked.document)
        self._documents = {name: one for name, one in marked.job.sources.documents.items() if name != own}
        self._start, end = marked.document.extent
        self._rest = len(marked.document.text) - end

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
        source = os.path.relpath(file, plan.project.directory or ".").replace(os.sep, "/")
        unit = like.unit._replace(document=document, name=texts[_FAMILY], source=source)
        spec = stamped(self._spec, pieces)
        run_content = self._content._replace(spec=spec, content_of=self._content.content_of._replace(spec=spec))
        identity = identity_of(stamped(self._canonical, pieces), like.runs[0].identity.attempt)
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
            variant=Variant("", {}, tree, _StampedExperiment(tree, self._experiment)),
            identity=identity,
            content=run_content,
            compiled=self._run.template.stamped(texts, sources, span),
        )
        return like._replace(unit=unit, runs=[run], content=content)

    def _amounts(self, pieces: Sequence[str]) -> list[str]:
        """The amounts of sizes, as identities have them."""
        return [str(quantity.parse(pieces[number] + unit).nanos) for number, unit in self._sizes]


class _StampedExperiment(Experiment):
    """An experiment whose parts are computed when they are read: few readers look at more than the fields of `_StampedSpec`."""

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
    """The spec of an experiment with a few fields that have no opaque text."""

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
    """Whether a lock is empty, or has only the run with this identity, as it was built at first."""
    return not lock.pruned and all(
        run.identity == str(identity)
        and run.is_requested
        and not (run.renewal or run.archived or run.folder or run.promoted_from)
        for run in lock.runs.values()
    )


def _decoded(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


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
        [run.is_record, run.promoted_from, run.images, plain(run.compiled)],
    )
