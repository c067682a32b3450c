"""A plan -> its results: every experiment, environment, and point of a sweep, compiled one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from tjgen.compiler.building.compared import Compared
from tjgen.compiler.building.compilers import Compiler, Compilers, listing
from tjgen.compiler.building.inputs import is_experiment, is_of_project, namespace_left_out, no_experiment, same_experiment
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.request import NAMESPACE
from tjgen.compiler.building.run import Built, DigestOf, Left, ProjectFindings, Recall, Recalled, Result, Run, Unit, Watch
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.passes import code, data
from tjgen.compiler.passes.images import rewritten
from tjgen.compiler.pipeline import compile_run
from tjgen.language.catalog.runtime import CatalogRuntime
from tjgen.language.resolve.overlays import Surroundings, matches
from tjgen.language.resolve.places import Documents, placed
from tjgen.language.resolve.policy import judged
from tjgen.language.resolve.spelling import spelled
from tjgen.language.resolve.variants import Variant, variants
from tjgen.language.runs.identity import Identity, RunContent, Written, run_content, written
from tjgen.language.runs.lock import LockedRun, known
from tjgen.language.setting import Setting
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.trees.budgets import Clock
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple


def build(
    plan: Plan, session: Session, *, recall: Recall = lambda *_: None, watch: Watch | None = None, left: Left = lambda _: ()
) -> Iterator[Result]:
    """A result for each unit in order, and at the end the findings that belong to no unit.

    Sources that `recall` has are not compiled. `watch` gets the progress. `left` is called after the last unit, and returns the
    footprints of runs that are in the output and not requested. Raises CompileError if a lock or a pin is
    damaged, or if the build takes more time than its budget.
    """
    return _Compilation(plan, session, recall).results(watch, left)


def renewed(plan: Plan, session: Session, run: Run) -> Run:
    """The same run under its next name."""
    origin = _Origin(run.variant, run.compiled.sources.documents, run.runtime, run.identity, run.content)
    renewal = plan.locks.of(run.unit).renewals().get(str(run.identity), run.renewal) + 1
    return _compiled(plan, session, run.unit, origin, renewal)._replace(promoted_from=run.promoted_from)


def setting_of(plan: Plan, session: Session, run: Run) -> Setting:
    """What passes know of a run in addition to its experiment."""
    return _setting(plan, session, run.unit, run.name, run.variant, run.runtime, plan.digest_of)


class _Source(NamedTuple):
    """What all runs of one unit share."""

    unit: Unit
    documents: Documents
    content: Written
    locked: Mapping[str, LockedRun]
    """Identity -> the locked run that has it."""
    renewals: Mapping[str, int]
    """Identity -> the highest renewal that a run with it had, pruned runs included."""


class _Origin(NamedTuple):
    """The inputs of a run, apart from its unit."""

    variant: Variant
    documents: Documents
    runtime: CatalogRuntime
    identity: Identity
    content: RunContent


class _Compilation:
    """One build from its first file to its last: what it has seen so far."""

    def __init__(self, plan: Plan, session: Session, recall: Recall) -> None:
        self._plan = plan
        self._session = session
        self._recall = recall
        self._named = {*plan.request.paths}
        self._clock = Clock(plan.sandbox.budgets.seconds)
        self._surroundings = {name: Surroundings(plan.project, name, plan.layers) for name in plan.environments}
        self._seen: dict[str, tuple[str, int]] = {}
        """Key of a unit -> file and place in it of its experiment; the document itself is not kept."""
        self._compared = Compared()
        self._compilers = Compilers()

    def results(self, watch: Watch | None, left: Left) -> Iterator[Result]:
        plan = self._plan
        policy = plan.project.spec.policy
        diagnostics = list(plan.diagnostics)
        for number, file in enumerate(plan.files):
            self._clock.check()
            if watch is not None:
                watch(number, len(plan.files), file)
            content = plan.content(file)
            if isinstance(content, Diagnostic):
                diagnostics.append(content)
                continue
            environments = [one for one in plan.environments if not self._is_recalled(file, one, content)]
            if not environments:
                continue
            experiments, problems = self._experiments(file, content)
            diagnostics += problems
            for document in experiments:
                for environment in environments:
                    built = self._built(document, environment, content)
                    yield built._replace(diagnostics=judged(built.diagnostics, policy))
        if watch is not None:
            watch(len(plan.files), len(plan.files), "")
        unmatched, matched = matches(self._surroundings.values(), plan.project.shared_overlays)
        diagnostics += unmatched if plan.whole else []
        diagnostics += self._compared.problems(left, plan.bound)
        yield ProjectFindings(judged(diagnostics, policy), shared_overlays=matched)

    def _experiments(self, file: str, content: bytes) -> tuple[list[Document], list[Diagnostic]]:
        plan = self._plan
        documents, problems = plan.documents(file, content)
        experiments = [document for document in documents if is_experiment(document)]
        is_named = file in self._named
        is_other = file in plan.platform_files or has_errors(problems) or (is_of_project(documents) and not is_named)
        if not experiments and not is_other:
            problems = [*problems, no_experiment(file, documents, named=is_named)]
        return experiments, problems

    def _is_recalled(self, file: str, environment: str | None, content: bytes) -> bool:
        recalled: Recalled | None = self._recall(file, environment, content)
        if recalled is None:
            return False
        self._surroundings[environment].note(recalled.overlays)
        for key, _ in recalled.units:
            self._seen.setdefault(key, (file, 0))
        self._compared.add(recalled)
        return True

    def _built(self, document: Document, environment: str | None, content: bytes) -> Built:
        plan = self._plan
        expansion = variants(document, self._surroundings[environment])
        if not expansion.runs:
            from tjgen.compiler.building.unbuilt import all_problems  # only for an experiment with a mistake

            problems = all_problems(expansion, document, environment, plan)
            return Built(Unit(document, environment, "", "", document.file), [], problems)
        unit = _unit(plan, document, environment, expansion.runs[0])
        twin = self._seen.setdefault(unit.key, (document.file, document.index))
        if twin != (document.file, document.index):
            return Built(unit, [], [*expansion.diagnostics, same_experiment(unit, self._documents_at(twin[0]), twin[1])])
        diagnostics = [*expansion.diagnostics, *namespace_left_out(unit, expansion.runs[0].experiment.metadata, plan.request)]
        lock = plan.locks.of(unit)
        content_of = written(spelled(document, EXPERIMENT_FORM))
        source = _Source(unit, expansion.documents, content_of, lock.by_identity(), lock.renewals())
        only_promoted = plan.request.promotions is None and plan.only_promoted(unit.environment)
        runs: list[Run] = []
        kept_names: list[str] = []
        waiting = 0
        for variant in expansion.runs:
            self._clock.check()
            origin, locked, problems, reads_files = _origin(plan, source, variant)
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
            elif only_promoted and locked is None:
                waiting += 1
                continue
            is_record = locked is not None and locked.archived
            # The name of a pruned run is never used again.
            renewal = locked.renewal if locked is not None else source.renewals.get(str(origin.identity), -1) + 1
            # A run that another experiment had before a rename keeps its name.
            name = locked.name if locked is not None and locked.folder else None
            compiler = self._compilers.next()
            run = _compiled(plan, self._session, unit, origin, renewal, compiler, is_record=is_record, name=name)
            diagnostics += [*problems, *run.compiled.diagnostics]
            runs.append(run._replace(reads_files=reads_files, promoted_from=promoted_from))
        if runs and runs[0].variant.task and not has_errors(diagnostics):
            diagnostics += self._overlaps(unit, runs, expansion.documents)
        if any(run.variant.experiment.spec.checkpoints is not None for run in runs):
            from tjgen.compiler.building.resuming import unknown_runs  # many experiments save no checkpoints

            diagnostics += unknown_runs(unit, runs, expansion.documents, plan.locks)
        # A promoted run stays until the next promotion, even if the experiments change.
        stays = tuple(lock.runs if only_promoted else kept_names)
        own = expansion.runs[0].experiment.spec.on_supersede
        stops = (own or plan.project.on_supersede(environment)) == "stop"
        built = Built(unit, runs, list(dict.fromkeys(diagnostics)), content, expansion.overlays, stays, waiting, stops)
        self._compared.add(built)
        return built

    def _documents_at(self, file: str) -> list[Document]:
        """The documents of a file that was compiled earlier, read again once: copies may be many."""

        def documents() -> list[Document]:
            content = self._plan.content(file)
            return [] if isinstance(content, Diagnostic) else self._plan.documents(file, content)[0]

        return self._session.once("documents", file, documents)

    def _overlaps(self, unit: Unit, runs: Sequence[Run], documents: Documents) -> list[Diagnostic]:
        """What keeps the tasks of an experiment from being apart."""
        from tjgen.compiler.passes.isolation import overlaps  # few experiments have tasks

        settings = [setting_of(self._plan, self._session, run) for run in runs]
        trees = {run.variant.task: run.variant.tree for run in reversed(runs)}
        overlapping = overlaps(zip([run.variant.experiment for run in runs], settings, strict=True))
        return [one for task, diagnostic in overlapping for one in placed([diagnostic], trees[task], documents)]


def _unit(plan: Plan, document: Document, environment: str | None, variant: Variant) -> Unit:
    metadata = variant.experiment.metadata
    source = os.path.relpath(document.file, plan.project.directory or ".").replace(os.sep, "/")
    name = metadata.name + plan.request.suffix
    return Unit(document, environment, metadata.namespace or plan.request.namespace or NAMESPACE, name, source)


def _origin(plan: Plan, source: _Source, variant: Variant) -> tuple[_Origin | None, LockedRun | None, list[Diagnostic], bool]:
    """The inputs of a run, its locked run, the problems of its runtime, and whether it reads files."""
    experiment, unit, documents = variant.experiment, source.unit, source.documents
    runtime_name = experiment.spec.runtime
    assert runtime_name is not None, "an experiment without a runtime has no variants"
    runtime, problems = plan.catalog.find(
        runtime_name.name, kind=runtime_name.kind, namespace=unit.namespace, version=runtime_name.version
    )
    problems = placed(problems, variant.tree, documents)
    if runtime is None:
        return None, None, problems, False
    files = {
        **data.local_files(experiment, unit.document.file, plan.project.slicers, plan.sandbox),
        **code.local_files(experiment, unit.document.file, plan.sandbox),
    }
    content = run_content(source.content, environment=unit.environment, point=variant.point, task=variant.task, files=files)
    identity, locked = known(source.locked, content)
    return _Origin(variant, documents, runtime, identity, content), locked, problems, bool(files)


def _compiled(
    plan: Plan,
    session: Session,
    unit: Unit,
    origin: _Origin,
    renewal: int,
    compiler: Compiler = compile_run,
    *,
    is_record: bool = False,
    name: str | None = None,
) -> Run:
    experiment, environment = origin.variant.experiment, plan.settings[unit.environment]
    identity, is_fixed = origin.identity.renewed(renewal), experiment.spec.naming == "fixed"
    name = name or identity.run_name(unit.name, origin.variant.label, fixed=is_fixed)
    images, digest_of = dict[str, None](), plan.digest_of
    if plan.request.digests.is_listed:
        digest_of = listing(plan.digest_of, images)
        runtime = rewritten(origin.runtime, environment.rewrite, digest_of)
    else:
        key = (unit.environment, origin.runtime)
        runtime = session.once("rewritten runtime", key, lambda: rewritten(origin.runtime, environment.rewrite, plan.digest_of))
    sources = Sources(origin.variant.tree, origin.documents, runtime.document, environment.platform, plan.project.document)
    setting = _setting(plan, session, unit, name, origin.variant, runtime, digest_of)
    gitops, nodes = plan.project.spec.gitops, environment.nodes
    compiled = compiler(Job(experiment, runtime, setting, sources, environment.release, gitops, is_record, nodes))
    return Run(
        unit,
        name,
        origin.variant,
        runtime,
        origin.identity,
        origin.content,
        renewal,
        reads_files=False,
        compiled=compiled,
        is_record=is_record,
        images=tuple(images),
    )


def _setting(
    plan: Plan, session: Session, unit: Unit, name: str, variant: Variant, runtime: CatalogRuntime, digest_of: DigestOf | None
) -> Setting:
    storage, setting = plan.locks.of(unit).storage, plan.settings[unit.environment].setting
    return setting(unit, name, variant.task, runtime.launcher, digest_of, session, storage=storage)
