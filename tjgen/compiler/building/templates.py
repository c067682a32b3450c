"""Files that differ only in opaque texts -> their units, without reading them as YAML and without merging overlays.

A file whose run was stamped (see stamps.py) has segments (see segments.py). When a second file has the same segments, the build
resolves a third text: the segments with marks between them. The marks show where each text of a file occurs in its unit. The
result is a template if the texts of the second file turn it into the unit of that file, in every part. Later files with these
segments get their units from the template. Their identities, locks, names and overlays are computed for each file.
"""

from __future__ import annotations

import os

from tjgen.compiler.building.origins import UnitSource, compiled_run, origin_of
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built
from tjgen.compiler.building.segments import ExperimentSegments
from tjgen.compiler.building.shapes import shape_of
from tjgen.compiler.building.stamps import MOST, StampedRun, is_looked_at
from tjgen.compiler.building.unit_template import FAMILY, Marked, UnitTemplate, plain_unit
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.pipeline import Compiled
from tjgen.language.resolve.overlays import Surroundings
from tjgen.language.resolve.spelling import spelled
from tjgen.language.resolve.variants import variants
from tjgen.language.runs.identity import written
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.trees.session import Session


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
        # The text with marks must not count as an experiment that an overlay matches.
        self._surroundings = Surroundings(plan.project, environment, plan.layers)
        self._once: list[tuple[ExperimentSegments, tuple[str, ...], str]] = []
        """ExperimentSegments that one file has, the overlays that are for it, and its name."""
        self._templates: list[UnitTemplate] = []
        self._latest = 0
        """The position of the template of the latest unit."""
        self._decided: set[tuple[ExperimentSegments, tuple[str, ...]]] = set()
        """ExperimentSegments and overlays of the templates, and of files that can have none."""
        self._alone = 0
        """Files since the last one with known segments."""

    def unit(self, file: str, content: bytes) -> Built | None:
        if not self._templates or len(content) > self._plan.sandbox.budgets.file_size:
            return None
        text = _decoded(content)
        if text is None:
            return None
        # Shapes often alternate: what came after the latest template before is tried first.
        latest = self._templates[self._latest]
        for position in (latest.following, *range(len(self._templates))):
            template: UnitTemplate = self._templates[position]
            texts = template.segments.texts(text)
            if texts is not None:
                self._latest = latest.following = position
                return template.unit(file, content, text, texts)
        return None

    def learn(self, built: Built, run: StampedRun) -> None:
        self._alone += 1
        if not is_looked_at(self._alone):
            return
        unit, text = built.unit, _decoded(built.content)
        if text is None or text != unit.document.text:
            return
        for position, (segments, overlays, file) in enumerate(self._once):
            if overlays == built.overlays and segments.texts(text) is not None:
                del self._once[position]
                self._alone = 0
                self._decided.add((segments, overlays))
                template = self._template(segments, file, built, run)
                if template is not None and len(self._templates) < MOST:
                    self._templates.append(template)
                return
        own = ExperimentSegments.of(unit.document)
        if own is not None and (own, built.overlays) not in self._decided:
            self._once = [*self._once[-MOST:], (own, built.overlays, unit.document.file)]

    def _template(self, segments: ExperimentSegments, file: str, built: Built, run: StampedRun) -> UnitTemplate | None:
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
                if FAMILY not in map(shape.texts.index, marks):
                    return None
                template = UnitTemplate(self._plan, self._surroundings, segments, marks, marked, shape, run, built)
                unit = template.unit(built.unit.document.file, built.content, built.unit.document.text, texts)
                return template if unit is not None and repr(plain_unit(unit)) == repr(plain_unit(built)) else None
            # An overlay replaces the text, or several fields have it.
            closed = [number for number, count in enumerate(counts) if count != 1]
            segments = segments.without(closed, texts)
            texts = segments.texts(built.unit.document.text)
        return None

    def _resolved(self, file: str, text: str, built: Built) -> Marked | None:
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
        return Marked(file, document, variant, origin.content, jobs[0])


def _decoded(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
