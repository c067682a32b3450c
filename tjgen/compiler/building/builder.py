"""Paths -> every run that they ask for, compiled: all experiments, environments and points of sweeps."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tjgen.cluster.trainer.release import Release
from tjgen.compiler.building.environment import Environment, is_watched, release
from tjgen.compiler.building.inputs import (
    chosen_environments,
    confinement,
    files_at,
    is_experiment,
    is_of_project,
    is_platform,
    is_root,
    no_experiment,
    nothing_to_build,
    project_at,
    same_experiment,
    taken_names,
    unreadable_slicers,
)
from tjgen.compiler.building.run import Built, Choose, DigestOf, Recall, Recalled, Run, Unit
from tjgen.compiler.passes import code, data
from tjgen.compiler.pipeline import compile_run
from tjgen.language.catalog.find import Catalog
from tjgen.language.catalog.runtime import CatalogRuntime
from tjgen.language.resolve.members import experiments as experiments_of
from tjgen.language.resolve.members import with_overlays
from tjgen.language.resolve.overlays import Surroundings
from tjgen.language.resolve.places import Documents, placed
from tjgen.language.resolve.policy import judged
from tjgen.language.resolve.settings import settings
from tjgen.language.resolve.spelling import spelled
from tjgen.language.resolve.variants import Variant, variants
from tjgen.language.runs import archive
from tjgen.language.runs.identity import Identity, RunContent, Written, run_content, written
from tjgen.language.runs.lock import LockedRun, known
from tjgen.language.runs.store import IMAGES, Locks
from tjgen.language.setting import Cluster, Setting
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.trees.budgets import Clock
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, has_errors
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import Any, NamedTuple

NAMESPACE = "default"
"""Where an experiment goes that says no namespace, as with kubectl."""


class _Source(NamedTuple):
    """What all runs of one unit share."""

    unit: Unit
    documents: Documents
    content: Written
    locked: Mapping[str, LockedRun]
    """Identity -> the locked run that has it."""


class Builder:
    """A project, ready to build its experiments. Raises CompileError where the project itself is wrong."""

    def __init__(
        self,
        paths: Sequence[str],
        *,
        environments: Sequence[str] = (),
        set_values: Sequence[str] = (),
        overlays: Sequence[str] = (),
        project: str | None = None,
        trainer: str | None = None,
        given: Mapping[str, bytes] | None = None,
        catalogs: Sequence[str] = (),
        namespace: str = NAMESPACE,
        is_confined: bool = False,
    ) -> None:
        """`overlays`: files of overlays and platforms beside those of the project; `project`: where to look for it, if not at
        `paths`.

        `trainer`: the release of Trainer to build for, whatever the project says. `given`: texts of experiments that stand in
        no file, by the names that they would have. `catalogs`: files of runtimes that go before those of the project.
        `namespace`: where an experiment goes that says none. `is_confined`: whether `paths` may not be outside of the repository
        either, since they come from the input of another program.
        """
        self.diagnostics: list[Diagnostic] = []
        """What was found before and beside the experiments."""
        if project is None and is_root(paths):
            # The folder of a project means the project, as it does from inside.
            project, paths = paths[0], ()
        self.project, found = project_at(paths, project, confined=confinement() if is_confined else None)
        self._add(found)
        if overlays:
            self.project, found = with_overlays(self.project, overlays)
            self._add(found)
        self._given = given or {}
        self._namespace = namespace
        self.whole = not paths and not self._given
        """Whether the build is of the whole project, so that it knows every experiment."""
        self.locks = Locks(self.project.directory)
        self.digest_of: DigestOf | None = self._pins()
        """What images are pinned to. May be replaced before `build`, to see or say other digests."""
        self.choose: Choose | None = None
        """May be set before `build`, to build some runs alone; all others stay as they are."""
        self.watch: Callable[[int, int, str], None] | None = None
        """May be set before `build`, to be told how far it is: files done, of how many, and the one that begins."""
        self.waiting = 0
        """How many runs were left out by `build`, since they are not promoted to their environment."""
        self._left_out: list[str] = []
        self._trainer = trainer
        self.takes_platforms = False
        """May be set before `build`, where a Platform may be named in place of experiments."""
        self.named_platforms: list[str] = []
        """Files that were named and hold a Platform, where one may be, known after `build`."""
        # Files beside the project are named from here, or from the root.
        places = [*(os.path.relpath(one, self.project.directory or ".") for one in catalogs), *self.project.spec.catalogs]
        for place in catalogs:
            self.sandbox.name(place)
        versions = release(self.project, None, trainer).versions
        self.catalog = Catalog(places, self.project.directory, versions=versions, sandbox=self.sandbox)
        layers, found = settings(list(set_values))
        self._add(found)
        self.environments, found = chosen_environments(self.project, environments)
        self._add(found)
        self._add(taken_names(self.project))
        self._add(unreadable_slicers(self.project))
        self._surroundings = {name: Surroundings(self.project, name, layers) for name in self.environments}
        self._settings = {name: Environment(self.project, name, trainer) for name in self.environments}
        self._add([one for here in self._settings.values() for one in here.misfits()])
        self._named = {path for path in paths if not os.path.isdir(path)}
        if self.whole and not has_errors(self.diagnostics):
            self._add(nothing_to_build(self.project))
        files, found = experiments_of(self.project) if self.whole else files_at(paths, self.sandbox)
        self._add(found)
        self.files = [*self._given, *files]
        self._seen: dict[str, tuple[str, int]] = {}
        """Key of a unit -> file and place in it of its experiment; the document itself is not kept."""
        self._read_again: dict[str, list[Document]] = {}
        """File -> its documents, where an experiment of it exists twice."""
        self._footprints: list[Any] = []
        self._judged: set[str] = set()
        self._clock = Clock(self.sandbox.budgets.seconds)
        if has_errors(self.diagnostics):
            raise CompileError(self.diagnostics)

    @property
    def sandbox(self) -> Sandbox:
        """What reads the files of the input."""
        return self.project.sandbox

    @property
    def output(self) -> str | None:
        """The folder that the project says its trees go to."""
        return self.project.output

    def surroundings(self) -> Iterator[bytes]:
        """The text of everything beside a source that its runs depend on: project, overlays, platforms, catalogs."""
        project = self.project
        overlays = [*project.overlays, *(one for group in project.overlays_of.values() for one in group)]
        documents = [project.document, *(one.document for one in overlays), *(one.document for one in project.platforms)]
        yield f"{self._trainer}".encode()
        for document in documents:
            if document is not None:
                yield f"{document.file}\n{document.index}\n{document.text}".encode()
        yield from self._texts(project.files(project.spec.catalogs))
        if os.path.isdir(os.path.join(self.locks.folder, IMAGES)):
            from tjgen.language.runs.pins import Pins

            yield from self._texts(Pins(self.locks.folder).files())

    def _texts(self, files: Iterable[str]) -> Iterator[bytes]:
        for file, content in self.sandbox.contents(list(files)):
            yield file.encode(errors="surrogateescape")
            yield content if isinstance(content, bytes) else content.message.encode(errors="surrogateescape")

    def rewrites(self, environment: str | None) -> Mapping[str, str]:
        """The image prefixes that the platform of an environment rewrites."""
        return self._settings[environment].rewrite

    def build(self, recall: Recall = lambda *_: None) -> Iterator[Built]:
        """Every unit in order; what only the end shows (overlays that match nothing) is added to `diagnostics` then.

        Sources of which `recall` has something are not built.
        """
        policy = self.project.spec.policy
        self._clock = Clock(self.sandbox.budgets.seconds)
        for number, file in enumerate(self.files):
            self._clock.check()
            if self.watch is not None:
                self.watch(number, len(self.files), file)
            content = self._given[file] if file in self._given else self.sandbox.content(file)
            if isinstance(content, Diagnostic):
                self.diagnostics.append(content)
                continue
            environments = [one for one in self.environments if not self._recalled(recall(file, one, content), file, one)]
            if not environments:
                continue
            documents, found = read(content, file, CORE, self.sandbox.budgets)
            self.diagnostics += found
            experiments = [document for document in documents if is_experiment(document)]
            if self.takes_platforms and file in self._named and any(map(is_platform, documents)):
                self.named_platforms.append(file)
                if not experiments:
                    continue
            if not experiments and not has_errors(found) and (file in self._named or not is_of_project(documents)):
                self.diagnostics.append(no_experiment(file, documents, named=file in self._named))
            for document in experiments:
                for environment in environments:
                    built = self._build(document, environment, content)
                    yield built._replace(diagnostics=judged(built.diagnostics, policy))
        if self.watch is not None:
            self.watch(len(self.files), len(self.files), "")
        for surroundings in self._surroundings.values():
            self.diagnostics += [one for one in surroundings.unmatched() if self.whole]
        if self._footprints:
            from tjgen.compiler.totals import shared  # most runs write to nothing that others have

            self.diagnostics += shared.problems(self._footprints, self._quota)
        self.diagnostics = judged(self.diagnostics, policy)

    def setting_of(self, run: Run) -> Setting:
        """What passes know of a run beside its experiment."""
        here = self._settings[run.unit.environment]
        return here.setting(run.unit, run.name, run.variant.task, run.runtime.launcher, self.digest_of)

    def release_of(self, environment: str | None) -> Release:
        """The release of Trainer that an environment's cluster runs."""
        return self._settings[environment].release

    def cluster(self, environment: str | None) -> Cluster:
        """What the Platform of an environment says of its cluster."""
        return self._settings[environment].cluster

    def _quota(self, environment: str, namespace: str) -> tuple[Any, Document] | None:
        here = self._settings[environment or None]
        quota = here.cluster.quotas.get(namespace)
        return (quota, here.platform) if quota is not None and here.platform is not None else None

    def _recalled(self, found: Recalled | None, file: str, environment: str | None) -> bool:
        if found is None:
            return False
        self._surroundings[environment].note(found.overlays)
        for key, _ in found.units:
            self._seen.setdefault(key, (file, 0))
        self._footprints += found.footprint
        return True

    def _build(self, document: Document, environment: str | None, content: bytes) -> Built:
        found = variants(document, self._surroundings[environment])
        if not found.runs:
            problems = [one if one.span or one.related else one._replace(span=document.locate(())) for one in found.diagnostics]
            return Built(Unit(document, environment, "", "", document.file), [], problems)
        unit = self._unit(document, environment, found.runs[0])
        twin = self._seen.setdefault(unit.key, (document.file, document.index))
        if twin != (document.file, document.index):
            return Built(unit, [], [*found.diagnostics, same_experiment(unit, self._documents_at(twin[0]), twin[1])])
        diagnostics = list(found.diagnostics)
        runs = []
        self._left_out.clear()
        content_of = written(spelled(unit.document, EXPERIMENT_FORM))
        source = _Source(unit, found.documents, content_of, self.locks.of(unit).by_identity())
        for variant in found.runs:
            self._clock.check()
            run, problems = self._run(source, variant)
            diagnostics += problems
            if run is not None:
                runs.append(run)
        if runs and runs[0].variant.task and not has_errors(diagnostics):
            diagnostics += self._overlaps(unit, runs, found.documents)
        # What is promoted stays until something else is promoted, whatever experiments ask for meanwhile.
        stays = self._left_out if self.choose is not None else self.locks.of(unit).runs if self._only_promoted(unit) else ()
        built = Built(unit, runs, list(dict.fromkeys(diagnostics)), content, found.overlays, tuple(stays))
        self._footprints += built.footprint
        return built

    def _documents_at(self, file: str) -> list[Document]:
        """The documents of a file that was built earlier, read again once: copies may be many."""
        documents = self._read_again.get(file)
        if documents is None:
            content = self._given[file] if file in self._given else self.sandbox.content(file)
            documents = [] if isinstance(content, Diagnostic) else read(content, file, CORE, self.sandbox.budgets)[0]
            self._read_again[file] = documents
        return documents

    def _overlaps(self, unit: Unit, runs: Sequence[Run], documents: Documents) -> list[Diagnostic]:
        """What keeps the tasks of an experiment from being apart."""
        from tjgen.compiler.passes.isolation import overlaps  # few experiments have tasks

        here = self._settings[unit.environment]
        settings = [here.setting(unit, run.name, run.variant.task, run.runtime.launcher, self.digest_of) for run in runs]
        trees = {run.variant.task: run.variant.tree for run in reversed(runs)}
        found = overlaps(zip([run.variant.experiment for run in runs], settings, strict=True))
        return [one for task, diagnostic in found for one in placed([diagnostic], trees[task], documents)]

    def _run(self, source: _Source, variant: Variant) -> tuple[Run | None, list[Diagnostic]]:
        experiment, unit, documents = variant.experiment, source.unit, source.documents
        asked = experiment.spec.runtime
        assert asked is not None, "an experiment without a runtime has no variants"
        runtime, found = self.catalog.find(asked.name, kind=asked.kind, namespace=unit.namespace, version=asked.version)
        found = placed(found, variant.tree, documents)
        if runtime is None:
            return None, found
        files = {
            **data.local_files(experiment, unit.document.file, self.project.slicers, self.sandbox),
            **code.local_files(experiment, unit.document.file, self.sandbox),
        }
        content = run_content(source.content, environment=unit.environment, point=variant.point, task=variant.task, files=files)
        identity, locked = known(source.locked, content)
        promoted_from = self._promotion(unit, variant, locked)
        if promoted_from is None:
            return None, []
        renewal = locked.renewal if locked is not None else 0
        run = self._compiled(unit, variant, documents, runtime, identity, content, renewal)
        run = run._replace(reads_files=bool(files), promoted_from=promoted_from)
        return run.archived() if locked is not None and locked.archived else run, [*found, *run.compiled.diagnostics]

    def renewed(self, run: Run) -> Run:
        """The same run under its next name."""
        documents = run.compiled.sources.documents
        renewed = self._compiled(run.unit, run.variant, documents, run.runtime, run.identity, run.content, run.renewal + 1)
        return renewed._replace(promoted_from=run.promoted_from)

    def _promotion(self, unit: Unit, variant: Variant, locked: LockedRun | None) -> str | None:
        """What the run is promoted from, "" where it is not; None where it is not to be built."""
        chosen: str | None = locked.promoted_from if locked is not None else ""
        if self.choose is not None:
            chosen = self.choose(unit, variant)
            if chosen is None and locked is not None:
                self._left_out.append(locked.name)
        elif locked is None and self._only_promoted(unit):
            self.waiting += 1
            chosen = None
        return chosen

    def _only_promoted(self, unit: Unit) -> bool:
        own = self.project.environment(unit.environment)
        return own is not None and own.runs == "promoted"

    def _compiled(
        self,
        unit: Unit,
        variant: Variant,
        documents: Documents,
        runtime: CatalogRuntime,
        identity: Identity,
        content: RunContent,
        renewal: int,
    ) -> Run:
        experiment = variant.experiment
        fixed = experiment.spec.naming == "fixed"
        name = identity.renewed(renewal).run_name(unit.name, variant.label, fixed=fixed)
        here = self._settings[unit.environment]
        runtime = here.runtime(runtime, self.digest_of)
        sources = Sources(variant.tree, documents, runtime.document, here.platform, self.project.document)
        setting = here.setting(unit, name, variant.task, runtime.launcher, self.digest_of)
        compiled = compile_run(experiment, runtime, setting, sources, here.release, self._judged)
        footprint: list[Any] = []
        if is_watched(experiment.spec, setting):
            from tjgen.compiler.totals import shared  # most runs take nothing that others have too

            asked = shared.Asked(experiment.spec, setting, variant.tree, documents, here.platform)
            found, footprint = shared.watched(asked, compiled.manifests, compiled.previews)
            compiled = compiled._replace(diagnostics=[*compiled.diagnostics, *found])
        gitops = self.project.spec.gitops
        if gitops.tool != "none":
            from tjgen.compiler.annotations import annotated  # many projects name no tool

            compiled = compiled._replace(manifests=annotated(compiled.manifests, gitops))
        if experiment.spec.state == "archived":
            compiled = compiled._replace(manifests=archive.archived(compiled.manifests, archive.BY_EXPERIMENT))
        return Run(unit, name, variant, runtime, identity, content, renewal, False, compiled, footprint=tuple(footprint))

    def _unit(self, document: Document, environment: str | None, variant: Variant) -> Unit:
        metadata = variant.experiment.metadata
        source = os.path.relpath(document.file, self.project.directory or ".").replace(os.sep, "/")
        return Unit(document, environment, metadata.namespace or self._namespace, metadata.name, source)

    def _pins(self) -> DigestOf | None:
        if not os.path.isdir(os.path.join(self.locks.folder, IMAGES)):
            return None
        from tjgen.language.runs.pins import Pins  # many projects pin nothing

        return Pins(self.locks.folder).digest

    def _add(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics.extend(diagnostics)
