"""A point of an experiment -> the inputs of its run, and the run, compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.request import NAMESPACE
from tjgen.compiler.building.run import BLOCKED, DigestOf, Run, Unit
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.passes import code, data
from tjgen.compiler.passes.images import rewritten
from tjgen.compiler.pipeline import Compiler, compile_run
from tjgen.language.catalog.runtime import CatalogRuntime
from tjgen.language.resolve.places import Documents, in_overlays, placed
from tjgen.language.resolve.variants import Variant
from tjgen.language.runs.identity import Identity, RunContent, Written, run_content
from tjgen.language.runs.lock import LockedRun, known
from tjgen.language.setting import Setting
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple


def documents_of(plan: Plan, session: Session, file: str) -> list[Document]:
    """The documents of a file that was compiled earlier, read again once: copies may be many."""

    def documents() -> list[Document]:
        content = plan.content(file)
        return [] if isinstance(content, Diagnostic) else plan.documents(file, content)[0]

    return session.once("documents", file, documents)


def listing(digest_of: DigestOf | None, images: dict[str, None]) -> DigestOf:
    """The same digests; every image is added to `images`."""

    def listing(image: str) -> str | None:
        images[image] = None
        return digest_of(image) if digest_of is not None else None

    return listing


def renewed(plan: Plan, session: Session, run: Run) -> Run:
    """The same run under its next name."""
    origin = RunOrigin(run.variant, run.compiled.sources.documents, run.runtime, run.identity, run.content)
    renewal = plan.locks.of(run.unit).renewals().get(str(run.identity), run.renewal) + 1
    return compiled_run(plan, session, run.unit, origin, renewal)._replace(promoted_from=run.promoted_from)


def newest(plan: Plan, session: Session, run: Run) -> Run:
    """The same run by its newest identity, as if the lock did not have it by an earlier one."""
    origin = RunOrigin(run.variant, run.compiled.sources.documents, run.runtime, run.content.identity(), run.content)
    renewal = plan.locks.of(run.unit).renewals().get(str(origin.identity), -1) + 1
    return compiled_run(plan, session, run.unit, origin, renewal)._replace(promoted_from=run.promoted_from)


def setting_of(plan: Plan, session: Session, run: Run) -> Setting:
    """What passes know of a run in addition to its experiment."""
    return _setting(plan, session, run.unit, run.name, run.variant, run.runtime, plan.digest_of)


def overlaps_of(plan: Plan, session: Session, runs: Sequence[Run], documents: Documents) -> list[Diagnostic]:
    """What keeps the tasks of an experiment, which `runs` are, from being apart."""
    from tjgen.compiler.passes.isolation import overlaps  # few experiments have tasks

    settings = [setting_of(plan, session, run) for run in runs]
    trees = {run.variant.task: run.variant.tree for run in reversed(runs)}
    overlapping = overlaps(zip([run.variant.experiment for run in runs], settings, strict=True))
    return [one for task, diagnostic in overlapping for one in placed([diagnostic], trees[task], documents)]


def problems_of(run: Run, *, exists: bool) -> list[Diagnostic]:
    """The diagnostics of a run. A run that `exists` in the lock never blocks a build because nodes, queues or quotas changed."""
    diagnostics = run.compiled.diagnostics
    if diagnostics:
        diagnostics = in_overlays(diagnostics, run.compiled.sources.documents, run.unit.document, run.unit.environment)
    if run.is_record:
        return [one for one in diagnostics if one.code not in BLOCKED]
    if not exists or all(one.code not in BLOCKED for one in diagnostics):
        return diagnostics
    archive = (
        f"if the tree has it with these pods, archive it with tjgen runs archive {run.name}; "
        "if it is pending in the cluster, delete it there with kubectl"
    )
    return [
        one if one.code not in BLOCKED else one._replace(severity=WARNING, hint=f"{one.hint}; {archive}") for one in diagnostics
    ]


def unit_of(plan: Plan, document: Document, environment: str | None, variant: Variant) -> Unit:
    """The unit of an experiment, which has this variant, in an environment."""
    metadata = variant.experiment.metadata
    name = metadata.name + plan.request.suffix
    return Unit(
        document, environment, metadata.namespace or plan.request.namespace or NAMESPACE, name, plan.source(document.file)
    )


class UnitSource(NamedTuple):
    """What all runs of one unit share."""

    unit: Unit
    documents: Documents
    content: Written
    locked: Mapping[str, LockedRun]
    """Identity -> the locked run that has it."""
    renewals: Mapping[str, int]
    """Identity -> the highest renewal that a run with it had, pruned runs included."""


class RunOrigin(NamedTuple):
    """The inputs of a run, apart from its unit."""

    variant: Variant
    documents: Documents
    runtime: CatalogRuntime
    identity: Identity
    content: RunContent


def origin_of(
    plan: Plan, source: UnitSource, variant: Variant
) -> tuple[RunOrigin | None, LockedRun | None, list[Diagnostic], bool]:
    """The inputs of a run, its locked run, the problems of its runtime, and whether it reads files."""
    experiment, unit, documents = variant.experiment, source.unit, source.documents
    runtime_name = experiment.spec.runtime
    assert runtime_name is not None, "an experiment without a runtime has no variants"
    runtime, problems = plan.catalog.find(
        runtime_name.name, kind=runtime_name.kind, namespace=unit.namespace, version=runtime_name.version
    )
    problems = placed(problems, variant.tree, documents)
    if runtime is None:
        from tjgen.compiler.building.unlisted import with_unlisted  # most runtimes are found

        problems = with_unlisted(problems, runtime_name.name, unit, plan.project)
        return None, None, problems, False
    files = {
        **data.local_files(experiment, unit.document.file, plan.project.slicers, plan.sandbox),
        **code.local_files(experiment, unit.document.file, plan.sandbox),
    }
    written = source.content.with_values(plan.values) if plan.request.suffix else source.content
    content = run_content(written, environment=unit.environment, point=variant.point, task=variant.task, files=files)
    identity, locked = known(source.locked, content)
    return RunOrigin(variant, documents, runtime, identity, content), locked, problems, bool(files)


def compiled_run(
    plan: Plan,
    session: Session,
    unit: Unit,
    origin: RunOrigin,
    renewal: int,
    compiler: Compiler = compile_run,
    *,
    is_record: bool = False,
    is_resumed: bool = False,
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
    compiled = compiler(Job(experiment, runtime, setting, sources, environment.release, gitops, is_record, is_resumed, nodes))
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
        is_resumed=is_resumed,
        images=tuple(images),
    )


def _setting(
    plan: Plan, session: Session, unit: Unit, name: str, variant: Variant, runtime: CatalogRuntime, digest_of: DigestOf | None
) -> Setting:
    storage, setting = plan.locks.of(unit).storage, plan.settings[unit.environment].setting
    result = setting(unit, name, variant.task, runtime.launcher, digest_of, session, storage=storage)
    if not plan.request.suffix:
        return result
    family = variant.experiment.metadata.name
    return result._replace(committed=(family, plan.locks.of(unit._replace(name=family)).storage or family))
