"""A plan -> its results: every experiment, environment, and point of a sweep, compiled one after the other."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence

from tjgen.compiler.building.chosen import is_for, not_built, with_known_environments
from tjgen.compiler.building.compared import Compared
from tjgen.compiler.building.inputs import (
    is_experiment,
    is_next_to_experiments,
    namespace_left_out,
    no_experiment,
    same_experiment,
    without_kind,
)
from tjgen.compiler.building.origins import UnitSource, compiled_run, documents_of, origin_of, overlaps_of, problems_of, unit_of
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.processes import is_large
from tjgen.compiler.building.run import (
    OBJECTS_ONLY,
    AbsentUnit,
    Built,
    Left,
    NoteFindings,
    ProjectFindings,
    Recall,
    Recalled,
    RecordForm,
    Result,
    Run,
    SourceFindings,
    Unit,
    Watch,
)
from tjgen.compiler.pipeline import Compiler, compile_run
from tjgen.language.resolve.match import facts_of
from tjgen.language.resolve.overlays import Surroundings, matches
from tjgen.language.resolve.places import Documents
from tjgen.language.resolve.policy import judged
from tjgen.language.resolve.spelling import spelled
from tjgen.language.resolve.variants import variants
from tjgen.language.runs.identity import written
from tjgen.language.runs.lock import ACTIVE, SUPERSEDED
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.compiler.building.records import Answers, FileRecords, KnownRuns, Recorder
    from tjgen.compiler.building.workers import Workers


def build(
    plan: Plan,
    session: Session,
    *,
    recall: Recall = lambda *_: None,
    note_findings: NoteFindings = lambda *_: None,
    watch: Watch | None = None,
    left: Left = lambda _: (),
    jobs: int = 1,
    answers: Answers | None = None,
    form: RecordForm = OBJECTS_ONLY,
) -> Generator[Result, None, None]:
    """A result for each unit in order, and at the end the findings that belong to no unit.

    Sources that `recall` has are not compiled. `note_findings` gets what the others have in addition to units. `watch` gets
    the progress. `left` is called after the last unit, and returns the footprints of runs that are in the output and not
    requested. A large build has up to `jobs` workers: close the iterator if you leave it early. With `jobs` or `answers`, runs
    come from records of this `form`. Raises CompileError if a lock, a pin or a record is damaged, or if the build takes more time
    than its budget.
    """
    return _Compilation(plan, session, recall, note_findings, answers, form).results(watch, left, jobs)


def recorded(
    plan: Plan, session: Session, files: Sequence[str], jobs: int, form: RecordForm
) -> Generator[FileRecords, None, None]:
    """The records of the runs of each of `files`, by up to `jobs` workers. Raises CompileError as `build` does."""
    return _Compilation(plan, session, lambda *_: None, lambda *_: None, None, form).records(files, jobs)


class _Compilation:
    """One build from its first file to its last: what it has seen so far."""

    def __init__(
        self, plan: Plan, session: Session, recall: Recall, note_findings: NoteFindings, answers: Answers | None, form: RecordForm
    ) -> None:
        self._plan = plan
        self._session = session
        self._recall = recall
        self._note_findings = note_findings
        self._named = {*plan.request.paths}
        self._clock = plan.sandbox.clock
        self._surroundings = {name: Surroundings(plan.project, name, plan.layers) for name in plan.environments}
        self._seen: dict[str, tuple[str, int]] = {}
        """Key of a unit -> file and place in it of its experiment; the document itself is not kept."""
        self._compared = Compared()
        self._runs = 0
        """Runs that were compiled so far."""
        self._answers = answers
        """None in a small build, and in a worker."""
        self._form = form
        self._known: KnownRuns | Recorder | None = None
        """The records of the runs of the current file, from another process or for one."""

    def results(self, watch: Watch | None, left: Left, jobs: int) -> Generator[Result, None, None]:
        plan = self._plan
        policy = plan.project.spec.policy
        diagnostics = list(plan.diagnostics)
        try:
            for number, file in enumerate(plan.files):
                self._clock.check()
                if watch is not None:
                    watch(number, len(plan.files), file)
                for built in self._of_file(file, plan.content(file), diagnostics):
                    yield built._replace(diagnostics=judged(built.diagnostics, policy)) if built.diagnostics else built
                if jobs > 1 and self._answers is None and is_large(self._runs, len(plan.files) - number - 1):
                    self._answers = self._started(jobs, plan.files[number + 1 :])
        finally:
            if self._answers is not None:
                self._answers.close()
        if watch is not None:
            watch(len(plan.files), len(plan.files), "")
        unmatched, matched = matches(self._surroundings.values(), plan.project.shared_overlays)
        diagnostics += unmatched if plan.whole else []
        diagnostics += self._compared.problems(left, plan.bound)
        yield ProjectFindings(judged(diagnostics, policy), shared_overlays=matched)

    def _of_file(self, file: str, content: bytes | Diagnostic, diagnostics: list[Diagnostic]) -> Iterator[Built]:
        """The units of a file. Adds to `diagnostics` what is wrong with its text."""
        if self._answers is not None:
            self._known = self._answers.answer(file, content)
        if isinstance(content, Diagnostic):
            diagnostics.append(content)
            return
        recalled = {one: self._recalled(file, one, content) for one in self._plan.environments}
        environments = [one for one, known in recalled.items() if known is None]
        if not environments:
            diagnostics += next((known.findings.problems for known in recalled.values() if known is not None), ())
            return
        reads = self._plan.sandbox.reads
        experiments, problems = self._experiments(file, content)
        diagnostics += problems
        absent: dict[str | None, list[AbsentUnit]] = {one: [] for one in environments}
        units = dict.fromkeys(environments, 0)
        for document in experiments:
            skipped = []
            for environment in environments:
                built = self._built(document, environment, content)
                if built is None:
                    skipped.append(environment)
                    overlays = self._surroundings[environment].overlays_of(document.value)
                    absent[environment].append(AbsentUnit(facts_of(document.value).name, overlays))
                    continue
                units[environment] += 1
                yield built
            if file in self._named and skipped == self._plan.environments:
                diagnostics.append(not_built(document, skipped))
        # Units state themselves whether they depend on other files.
        if experiments and (self._plan.sandbox.reads == reads or not any(absent.values())):
            for environment, number in units.items():
                findings = SourceFindings(tuple(problems), tuple(absent[environment]), number)
                self._note_findings(file, environment, content, findings)

    def records(self, files: Sequence[str], jobs: int) -> Generator[FileRecords, None, None]:
        """The records of the runs of each file."""
        workers: Workers | None = None
        try:
            for number, file in enumerate(files):
                self._clock.check()
                records = workers.records() if workers is not None else None
                yield records if records is not None else self._recorded(file)
                if jobs > 1 and workers is None and is_large(self._runs, len(files) - number - 1):
                    workers = self._started(jobs, files[number + 1 :])
        finally:
            if workers is not None:
                workers.close()

    def _started(self, jobs: int, files: Sequence[str]) -> Workers:
        from tjgen.compiler.building.workers import Workers  # most builds are small

        return Workers(jobs, files, self._recorded)

    def _recorded(self, file: str) -> FileRecords:
        """The records of the runs of a file, for another process."""
        from tjgen.compiler.building.records import Recorder

        sandbox = self._plan.sandbox
        self._known = recorder = Recorder(self._form, lambda: sandbox.reads)
        for _ in self._of_file(file, self._plan.content(file), []):
            pass
        return recorder.records

    def _experiments(self, file: str, content: bytes) -> tuple[list[Document], list[Diagnostic]]:
        plan = self._plan
        documents, problems = plan.documents(file, content)
        experiments = [document for document in documents if is_experiment(document)]
        is_named = file in self._named
        belongs = not is_named and is_next_to_experiments(file, documents, plan.sandbox, self._session)
        is_other = file in plan.platform_files or has_errors(problems) or belongs
        if not experiments and not is_other:
            problems = [*problems, no_experiment(file, documents, named=is_named)]
        if len(documents) > len(experiments) > 0:
            problems = [*problems, *without_kind(documents)]
        return experiments, problems

    def _recalled(self, file: str, environment: str | None, content: bytes) -> Recalled | None:
        recalled: Recalled | None = self._recall(file, environment, content)
        if recalled is None or (file in self._named and not recalled.units):  # which is reported, if it has no unit at all
            return None
        for name, overlays in recalled.findings.absent:
            self._surroundings[environment].note(overlays, name)
        for key, _ in recalled.units:
            self._surroundings[environment].note(recalled.overlays, key.rpartition("/")[2])
            self._seen.setdefault(key, (file, 0))
        self._compared.add(recalled)
        return recalled

    def _built(self, document: Document, environment: str | None, content: bytes) -> Built | None:
        """The unit of an experiment in an environment; None if the experiment is for other environments."""
        plan = self._plan
        expansion = with_known_environments(variants(document, self._surroundings[environment]), plan)
        if not expansion.runs or not is_for(expansion, environment):
            from tjgen.compiler.building.unbuilt import without_runs  # few experiments

            return without_runs(expansion, document, environment, plan)
        unit = unit_of(plan, document, environment, expansion.runs[0])
        twin = self._seen.setdefault(unit.key, (document.file, document.index))
        if twin != (document.file, document.index):
            return Built(
                unit, [], [*expansion.diagnostics, same_experiment(unit, documents_of(plan, self._session, twin[0]), twin[1])]
            )
        diagnostics = [*expansion.diagnostics, *namespace_left_out(unit, expansion.runs[0].experiment.metadata, plan.request)]
        lock = plan.locks.of(unit)
        content_of = written(spelled(document, EXPERIMENT_FORM))
        source = UnitSource(unit, expansion.documents, content_of, lock.by_identity(), lock.renewals())
        only_promoted = plan.request.promotions is None and plan.only_promoted(unit.environment)
        runs, kept_names, waiting = list[Run](), list[str](), 0
        for variant in expansion.runs:
            self._clock.check()
            self._clock.count(1)
            origin, locked, problems, reads_files = origin_of(plan, source, variant)
            if origin is None:
                diagnostics += problems
                continue
            promoted_from = locked.promoted_from if locked is not None else ""
            if plan.request.promotions is not None:
                promotion = plan.request.promotion(document.file, document.index, variant.point, variant.task)
                if promotion is None:
                    kept_names += [locked.name] if locked is not None else []
                    continue
                promoted_from = promotion.origin
            elif only_promoted and (locked is None or locked.state == SUPERSEDED):
                waiting += 1
                continue
            is_record = locked is not None and locked.archived
            is_resumed = locked is not None and locked.was_suspended and variant.experiment.spec.state == ACTIVE
            # The name of a pruned run is never used again.
            renewal = locked.renewal if locked is not None else source.renewals.get(str(origin.identity), -1) + 1
            # A run that another experiment had before a rename keeps its name.
            name = locked.name if locked is not None and locked.folder else None
            self._runs += 1
            compiler: Compiler = compile_run
            if self._known is not None:
                parts = [unit.key, origin.identity, renewal, name or "", lock.storage, is_record, is_resumed]
                key = "\n".join(map(str, parts))
                compiler = self._known.compiler(key, compiler)
            run = compiled_run(
                plan, self._session, unit, origin, renewal, compiler, is_record=is_record, is_resumed=is_resumed, name=name
            )
            diagnostics += [*problems, *problems_of(run, exists=locked is not None)]
            runs.append(run._replace(reads_files=reads_files, promoted_from=promoted_from))
        if runs and runs[0].variant.task and not has_errors(diagnostics):
            diagnostics += overlaps_of(plan, self._session, runs, expansion.documents)
        diagnostics += self._unknown_runs(unit, runs, expansion.documents)
        # A promoted run stays until the next promotion, even if the experiments change.
        stays = tuple(lock.runs if only_promoted else kept_names)
        stops = (expansion.runs[0].experiment.spec.on_supersede or plan.project.on_supersede(environment)) == "stop"
        kept = expansion.state_for_kept_runs(document) if only_promoted else None
        built = Built(unit, runs, list(dict.fromkeys(diagnostics)), content, expansion.overlays, stays, waiting, stops, kept)
        self._compared.add(built)
        return built

    def _unknown_runs(self, unit: Unit, runs: Sequence[Run], documents: Documents) -> Iterable[Diagnostic]:
        if all(run.variant.experiment.spec.checkpoints is None for run in runs):
            return ()
        from tjgen.compiler.building.resuming import unknown_runs  # many experiments save no checkpoints

        return unknown_runs(self._plan, self._session, unit, runs, documents)
