"""Paths -> every run that they ask for, compiled: all experiments, environments and points of sweeps."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.catalog.find import Catalog
from tjgen.catalog.runtime import CatalogRuntime
from tjgen.compiler import Compiled, compile_run
from tjgen.diagnostics.model import ERROR, WARNING, CompileError, Diagnostic, Note, has_errors
from tjgen.explain.provenance import Sources
from tjgen.fields.path import FieldPath
from tjgen.k8s.nearest import nearest
from tjgen.k8s.quantity import parse
from tjgen.passes import code, data
from tjgen.passes.claims import is_open
from tjgen.passes.images import rewritten
from tjgen.platform.devices import classes
from tjgen.platform.tools import DEFAULTS
from tjgen.resolve.files import matching
from tjgen.resolve.overlays import Surroundings
from tjgen.resolve.places import Documents, placed
from tjgen.resolve.policy import judged
from tjgen.resolve.project import ALONE, Project, find, load, with_overlays, without_experiments
from tjgen.resolve.reading import read_content
from tjgen.resolve.settings import settings
from tjgen.resolve.spelling import spelled
from tjgen.resolve.variants import Variant, variants
from tjgen.runs import archive
from tjgen.runs.identity import Identity, identify
from tjgen.runs.lock import LockedRun, path_of
from tjgen.runs.store import IMAGES, Locks
from tjgen.schema.store import OWN
from tjgen.setting import Cluster, Setting
from tjgen.source.document import Document
from tjgen.source.reader import CORE, read
from tjgen.spec.compact import EXPERIMENT_FORM
from tjgen.spec.objects import ExperimentSpec, PlatformSpec
from tjgen.trainer.release import Release, chosen
from tjgen.typing import Any, NamedTuple, Protocol

_BESIDE = ("Project", "Overlay", "Platform")
NAMESPACE = "default"
"""Where an experiment goes that says no namespace, as with kubectl."""


class Unit(NamedTuple):
    """One experiment in one environment: what is built, locked and removed together."""

    document: Document
    environment: str | None
    namespace: str
    name: str
    source: str
    """The file of the experiment, relative to the project."""

    @property
    def key(self) -> str:
        """`environment/namespace/name`, or `namespace/name` in a project without environments."""
        return "/".join(part for part in (self.environment, self.namespace, self.name) if part)


class Run(NamedTuple):
    """One run: what is trained once."""

    unit: Unit
    name: str
    variant: Variant
    runtime: CatalogRuntime
    identity: Identity
    renewal: int
    """How often it was made anew on purpose: part of its name, not of its identity."""
    reads_files: bool
    compiled: Compiled
    is_record: bool = False
    """Whether it was archived by itself, whatever its experiment says."""
    promoted_from: str = ""
    """Key of the experiment and name of the run that it was promoted from."""
    footprint: tuple[Any, ...] = ()
    """What it takes of what others have too (see totals/shared.py)."""

    @property
    def fixed(self) -> bool:
        """Whether its name stays whatever its content is."""
        return self.variant.experiment.spec.naming == "fixed"

    @property
    def state(self) -> str:
        """What the experiment says of it: active, suspended or archived."""
        return self.variant.experiment.spec.state

    def archived(self) -> Run:
        """The same run as a record, which nothing runs."""
        manifests = archive.archived(self.compiled.manifests, archive.by_lock(self.name))
        return self._replace(compiled=self.compiled._replace(manifests=manifests), is_record=True)


class Built(NamedTuple):
    """What came of a unit. With errors among the diagnostics there may be fewer runs than were asked for."""

    unit: Unit
    runs: list[Run]
    diagnostics: list[Diagnostic]
    content: bytes = b""
    """The text of the unit's file."""
    overlays: tuple[str, ...] = ()
    """Names of the overlays that were for it."""
    beside: tuple[str, ...] = ()
    """Locked runs that stay as they are, though they were not built."""

    @property
    def footprint(self) -> tuple[Any, ...]:
        """What its runs take of what others have too; records take nothing."""
        return tuple([one for run in self.runs if not run.is_record for one in run.footprint])

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)

    @property
    def lock(self) -> str:
        """The path of its lock, in the folder of locks."""
        return path_of(self.unit.environment, self.unit.namespace, self.unit.name)

    @property
    def reads_files(self) -> bool:
        """Whether it depends on files beside those of the project, such as lists of data."""
        return any(run.reads_files for run in self.runs)


class Recalled(Protocol):
    """What an earlier build left of a source (see output/memory.py)."""

    @property
    def units(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def overlays(self) -> tuple[str, ...]: ...
    @property
    def footprint(self) -> tuple[Any, ...]: ...


Recall = Callable[[str, "str | None", bytes], "Recalled | None"]
"""File, environment and content of a source -> what is left of an earlier build, or None to build it."""


Choose = Callable[[Unit, Variant], "str | None"]
"""Whether a run is to be built, and what it is promoted from; None leaves it out."""
DigestOf = Callable[[str], "str | None"]
"""An image as it is written -> the digest that it gets, or None."""


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
    ) -> None:
        """`overlays`: files of overlays beside those of the project; `project`: where to look for it, if not at `paths`.

        `trainer`: the release of Trainer to build for, whatever the project says.
        """
        self.diagnostics: list[Diagnostic] = []
        """What was found before and beside the experiments."""
        self.project = self._load(paths if project is None else (project,))
        if overlays:
            self.project, found = with_overlays(self.project, overlays)
            self._add(found)
        self.whole = not paths
        """Whether the build is of the whole project, so that it knows every experiment."""
        self.locks = Locks(self.project.directory)
        self.digest_of: DigestOf | None = self._pins()
        """What images are pinned to. May be replaced before `build`, to see or say other digests."""
        self.choose: Choose | None = None
        """May be set before `build`, to build some runs alone; all others stay as they are."""
        self.waiting = 0
        """How many runs were left out by `build`, since they are not promoted to their environment."""
        self._left_out: list[str] = []
        self._trainer = trainer
        self._catalog = Catalog(
            self.project.spec.catalogs, self.project.directory, versions=_release(self.project, None, trainer).versions
        )
        layers, found = settings(list(set_values))
        self._add(found)
        self.environments = self._environments(environments)
        self._add(_taken_names(self.project))
        self._surroundings = {name: Surroundings(self.project, name, layers) for name in self.environments}
        self._settings = {name: _Environment(self.project, name, trainer) for name in self.environments}
        self._add([one for here in self._settings.values() for one in here.misfits()])
        self._named = {path for path in paths if not os.path.isdir(path)}
        self.files = self._files(paths)
        self._seen: dict[str, tuple[str, int]] = {}
        """Key of a unit -> file and place in it of its experiment; the document itself is not kept."""
        self._footprints: list[Any] = []
        self._judged: set[str] = set()
        if has_errors(self.diagnostics):
            raise CompileError(self.diagnostics)

    @property
    def output(self) -> str | None:
        """The folder that the project says its trees go to."""
        said = self.project.spec.output.directory
        return os.path.normpath(os.path.join(self.project.directory, said)) if said is not None else None

    def surroundings(self) -> Iterator[bytes]:
        """The text of everything beside a source that its runs depend on: project, overlays, platforms, catalogs."""
        project = self.project
        overlays = [*project.overlays, *(one for group in project.overlays_of.values() for one in group)]
        documents = [project.document, *(one.document for one in overlays), *(one.document for one in project.platforms)]
        yield f"{self._trainer}".encode()
        for document in documents:
            if document is not None:
                yield f"{document.file}\n{document.index}\n{document.text}".encode()
        for file in project.files(project.spec.catalogs):
            content, _ = read_content(file)
            yield file.encode()
            yield content
        if os.path.isdir(os.path.join(self.locks.folder, IMAGES)):
            from tjgen.runs.pins import Pins

            for file in Pins(self.locks.folder).files():
                content, _ = read_content(file)
                yield file.encode()
                yield content

    def rewrites(self, environment: str | None) -> Mapping[str, str]:
        """The image prefixes that the platform of an environment rewrites."""
        return self._settings[environment].rewrite

    def build(self, recall: Recall = lambda *_: None) -> Iterator[Built]:
        """Every unit in order; what only the end shows (overlays that match nothing) is added to `diagnostics` then.

        Sources of which `recall` has something are not built.
        """
        policy = self.project.spec.policy
        for file in self.files:
            content, found = read_content(file)
            self.diagnostics += found
            if has_errors(found):
                continue
            environments = [one for one in self.environments if not self._recalled(recall(file, one, content), file, one)]
            if not environments:
                continue
            documents, found = read(content, file, CORE)
            self.diagnostics += found
            experiments = [document for document in documents if _is_experiment(document)]
            if not experiments and not has_errors(found) and (file in self._named or not _is_of_project(documents)):
                self.diagnostics.append(_no_experiment(file, documents, named=file in self._named))
            for document in experiments:
                for environment in environments:
                    built = self._build(document, environment, content)
                    yield built._replace(diagnostics=judged(built.diagnostics, policy))
        for surroundings in self._surroundings.values():
            self.diagnostics += [one for one in surroundings.unmatched() if self.whole]
        if self._footprints:
            from tjgen.totals import shared  # most runs write to nothing that others have

            self.diagnostics += shared.problems(self._footprints, self._quota)
        self.diagnostics = judged(self.diagnostics, policy)

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
            return Built(unit, [], [*found.diagnostics, _same_experiment(unit, twin)])
        diagnostics = list(found.diagnostics)
        runs = []
        self._left_out.clear()
        for variant in found.runs:
            run, problems = self._run(unit, variant, found.documents)
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

    def _overlaps(self, unit: Unit, runs: Sequence[Run], documents: Documents) -> list[Diagnostic]:
        """What keeps the tasks of an experiment from being apart."""
        from tjgen.passes.isolation import overlaps  # few experiments have tasks

        here = self._settings[unit.environment]
        settings = [here.setting(unit, run.name, run.variant.task, run.runtime.launcher, self.digest_of) for run in runs]
        trees = {run.variant.task: run.variant.tree for run in reversed(runs)}
        found = overlaps(zip([run.variant.experiment for run in runs], settings, strict=True))
        return [one for task, diagnostic in found for one in placed([diagnostic], trees[task], documents)]

    def _run(self, unit: Unit, variant: Variant, documents: Documents) -> tuple[Run | None, list[Diagnostic]]:
        experiment = variant.experiment
        asked = experiment.spec.runtime
        assert asked is not None, "an experiment without a runtime has no variants"
        runtime, found = self._catalog.find(asked.name, kind=asked.kind, namespace=unit.namespace, version=asked.version)
        found = placed(found, variant.tree, documents)
        if runtime is None:
            return None, found
        files = {
            **data.local_files(experiment, unit.document.file, self.project.slicers),
            **code.local_files(experiment, unit.document.file),
        }
        said = spelled(unit.document, EXPERIMENT_FORM)
        identity = identify(said, environment=unit.environment, point=variant.point, task=variant.task, files=files)
        locked = self.locks.of(unit).current(identity)
        promoted_from = self._promotion(unit, variant, locked)
        if promoted_from is None:
            return None, []
        renewal = locked.renewal if locked is not None else 0
        run = self._compiled(unit, variant, documents, runtime, identity, renewal)
        run = run._replace(reads_files=bool(files), promoted_from=promoted_from)
        return run.archived() if locked is not None and locked.archived else run, [*found, *run.compiled.diagnostics]

    def renewed(self, run: Run) -> Run:
        """The same run under its next name."""
        documents = run.compiled.sources.documents
        renewed = self._compiled(run.unit, run.variant, documents, run.runtime, run.identity, run.renewal + 1)
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
        self, unit: Unit, variant: Variant, documents: Documents, runtime: CatalogRuntime, identity: Identity, renewal: int
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
        if _is_watched(experiment.spec, setting):
            from tjgen.totals import shared  # most runs take nothing that others have too

            asked = shared.Asked(experiment.spec, setting, variant.tree, documents, here.platform)
            found, footprint = shared.watched(asked, compiled.manifests, compiled.previews)
            compiled = compiled._replace(diagnostics=[*compiled.diagnostics, *found])
        gitops = self.project.spec.gitops
        if gitops.tool != "none":
            from tjgen.gitops.annotations import annotated  # many projects name no tool

            compiled = compiled._replace(manifests=annotated(compiled.manifests, gitops))
        if experiment.spec.state == "archived":
            compiled = compiled._replace(manifests=archive.archived(compiled.manifests, archive.BY_EXPERIMENT))
        return Run(unit, name, variant, runtime, identity, renewal, False, compiled, footprint=tuple(footprint))

    def _unit(self, document: Document, environment: str | None, variant: Variant) -> Unit:
        metadata = variant.experiment.metadata
        source = os.path.relpath(document.file, self.project.directory or ".").replace(os.sep, "/")
        return Unit(document, environment, metadata.namespace or NAMESPACE, metadata.name, source)

    def _pins(self) -> DigestOf | None:
        if not os.path.isdir(os.path.join(self.locks.folder, IMAGES)):
            return None
        from tjgen.runs.pins import Pins  # many projects pin nothing

        return Pins(self.locks.folder).digest

    def _load(self, paths: Sequence[str]) -> Project:
        found = {file for path in paths or (".",) if (file := find(path)) is not None}
        if len(found) > 1:
            message = f"the paths belong to {len(found)} projects: {', '.join(sorted(found))}"
            hint = "build one project at a time"
            raise CompileError([Diagnostic("TJ260", ERROR, message, hint=hint, name="several-projects")])
        if not found:
            return ALONE
        project, diagnostics = load(found.pop())
        self._add(diagnostics)
        return project

    def _files(self, paths: Sequence[str]) -> list[str]:
        if not paths:
            if self.project.document is None and not has_errors(self.diagnostics):
                message = "there is nothing to build: no path is given and no tjgen.yaml lies here or above"
                hint = "name an experiment, or write a project file"
                self._add([Diagnostic("TJ261", ERROR, message, hint=hint, name="nothing-to-build")])
            self._add(without_experiments(self.project))
            return self.project.files(self.project.spec.experiments)
        files = []
        for path in paths:
            files += matching("", path) if os.path.isdir(path) else [path]
        return list(dict.fromkeys(files))

    def _environments(self, wanted: Sequence[str]) -> list[str | None]:
        known = list(self.project.spec.environments)
        for name in wanted:
            if name not in known:
                near = nearest(name, known)
                hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(known)}" if known else "leave --env out"
                message = f'the project has no environment "{name}"'
                self._add([Diagnostic("TJ262", ERROR, message, hint=hint, name="unknown-environment")])
        return [name for name in known if name in wanted] if wanted else list(known) or [None]

    def _add(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics.extend(diagnostics)


def _release(project: Project, environment: str | None, asked: str | None) -> Release:
    """The release of Trainer: that of the command line, of the environment or of the project. Raises CompileError."""
    if asked is not None:
        return chosen(asked)
    own = project.environment(environment)
    path: FieldPath = ("spec", "trainer")
    said = project.spec.trainer
    if own is not None and own.trainer is not None:
        assert environment is not None, "what is said of an environment has a name"
        path, said = ("spec", "environments", environment, "trainer"), own.trainer
    return chosen(said, project.document.locate(path) if project.document is not None else None)


class _Environment:
    """What passes know of an environment, worked out once."""

    def __init__(self, project: Project, name: str | None, trainer: str | None) -> None:
        platform = project.platform(name)
        spec = platform.platform.spec if platform is not None else None
        own = project.environment(name)
        self.release = _release(project, name, trainer)
        self._spec = spec
        self.project = project
        self.platform = platform.document if platform is not None else None
        self.classes = classes(spec.device_classes if spec is not None else None)
        self.rewrite = dict(spec.images.rewrite) if spec is not None else {}
        self.helpers = _helpers(spec) if spec is not None else {}
        self.cluster = _cluster(spec) if spec is not None else Cluster({}, None, None)
        self.labels = dict(own.labels) if own is not None else {}
        self.versions = {OWN: project.schemas} if project.schemas is not None else {}
        self._runtimes: dict[int, tuple[CatalogRuntime, CatalogRuntime]] = {}

    def misfits(self) -> Iterator[Diagnostic]:
        """What the Platform says the cluster has and the release of Trainer does not go with (TJ410)."""
        cluster = self._spec.cluster if self._spec is not None else None
        if cluster is None or self.platform is None or (cluster.jobset is None and cluster.kueue is None):
            return
        from tjgen.trainer.companions import misfits  # few platforms say so much

        for one in misfits(self.release, jobset=cluster.jobset, kueue=cluster.kueue):
            span = self.platform.locate(("spec", "cluster", one.project))
            yield Diagnostic("TJ410", WARNING, one.message, span=span, hint=one.hint, name="misfit-in-cluster")

    def runtime(self, runtime: CatalogRuntime, digest_of: DigestOf | None) -> CatalogRuntime:
        """The runtime with the images that pins and the platform give it."""
        known = self._runtimes.get(id(runtime))
        if known is None:
            # The key stays valid as long as the runtime lives, so it is kept too.
            known = self._runtimes[id(runtime)] = (runtime, rewritten(runtime, self.rewrite, digest_of))
        return known[1]

    def setting(self, unit: Unit, run: str, task: str, launcher: list[str], digest_of: DigestOf | None) -> Setting:
        return Setting(
            run=run,
            task=task,
            family=unit.name,
            namespace=unit.namespace,
            directory=os.path.dirname(unit.document.file),
            slicers=self.project.slicers,
            classes=self.classes,
            rewrite=self.rewrite,
            digest=digest_of,
            cluster=self.cluster,
            system=self.project.spec.schedule.system,
            launcher=launcher,
            labels=self.labels,
            versions=self.versions,
            environment=unit.environment,
            helpers=self.helpers,
            demands=self.project.spec.policy.demand,
        )


def _is_watched(spec: ExperimentSpec, setting: Setting) -> bool:
    """Whether a run takes something that others have too: of a quota, a queue, or storage that they may name."""
    cluster = setting.cluster
    if setting.namespace in cluster.quotas or (spec.schedule.queue or "") in cluster.queues:
        return True
    return any(is_open(volume) and not volume.read_only for volume in spec.volumes.values())


def _helpers(platform: PlatformSpec) -> dict[str, str]:
    """Purpose -> image of helper containers, of those that the Platform names."""
    said = platform.images.helpers
    named = {purpose: said.copy_ if purpose == "copy" else getattr(said, purpose) for purpose in DEFAULTS}
    return {purpose: image for purpose, image in named.items() if image is not None}


def _cluster(platform: PlatformSpec) -> Cluster:
    modes = {name: list(one.access_modes) for name, one in platform.storage_classes.items() if one.access_modes}
    release = platform.cluster.kubernetes
    minor = int(release.partition(".")[2]) if release is not None else None
    bandwidth = {name: parse(one.bandwidth).value for name, one in platform.storage_classes.items() if one.bandwidth is not None}
    capability = {name: one.capability for name, one in platform.queues.items() if one.capability}
    return Cluster(
        modes,
        minor,
        platform.cluster.image_volumes,
        bandwidth,
        platform.fluid,
        platform.pod_security,
        platform.quotas,
        capability,
    )


def _taken_names(project: Project) -> list[Diagnostic]:
    """Strategies of the project that are called as those of tjgen."""
    if not project.slicers:
        return []
    from tjgen.slicing.strategies import STRATEGIES  # few projects have strategies of their own

    assert project.document is not None, "nothing else names strategies"
    paths: list[FieldPath] = [("spec", "slicers", name) for name in project.slicers if name in STRATEGIES]
    return [
        Diagnostic(
            "TJ365",
            ERROR,
            f'the strategy "{path[-1]}" is built in',
            path=path,
            span=project.document.locate(path, key=True),
            hint="give that of the project another name",
            name="strategy-name-taken",
        )
        for path in paths
    ]


def _is_experiment(document: Document) -> bool:
    return document.value.__class__ is dict and document.value.get("kind") == "Experiment"


def _is_of_project(documents: list[Document]) -> bool:
    """Whether a file that a folder or pattern brought along is one that a project has beside its experiments."""
    return all(one.value.__class__ is dict and one.value.get("kind") in _BESIDE for one in documents)


def _no_experiment(file: str, documents: list[Document], *, named: bool) -> Diagnostic:
    kinds = [str(one.value.get("kind")) for one in documents if one.value.__class__ is dict and one.value.get("kind")]
    return Diagnostic(
        "TJ263",
        ERROR if named else WARNING,
        f"{file} holds no experiment" + (f", but {', '.join(sorted(set(kinds)))}" if kinds else ""),
        span=documents[0].locate(()) if documents else None,
        hint="begin it with apiVersion: tjgen.dev/v1alpha1 and kind: Experiment",
        name="no-experiment",
    )


def _same_experiment(unit: Unit, twin: tuple[str, int]) -> Diagnostic:
    file, index = twin
    documents, _ = read(read_content(file)[0], file, CORE)
    first = next((one for one in documents if one.index == index), None)
    return Diagnostic(
        "TJ264",
        ERROR,
        f'experiment "{unit.name}" exists twice in namespace {unit.namespace}',
        span=unit.document.locate(("metadata", "name")),
        related=(Note("first defined here", first.locate(("metadata", "name"))),) if first is not None else (),
        hint="give one of them another name or namespace",
        name="same-experiment",
    )
