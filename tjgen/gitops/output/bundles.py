"""The platforms of a project that make something, or those that are named -> their files and locks in the output tree.

platform/<name>/<kind>-<name>.yaml                  what is of the whole cluster
platform/<name>/<namespace>/<kind>-<name>.yaml      what is in a namespace
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence

from tjgen.cluster.policies.judgment import judged
from tjgen.cluster.schema.store import OWN
from tjgen.cluster.validate import report
from tjgen.cluster.validate.judge import judge
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.policies import policies_of
from tjgen.gitops.bundle import bundle, included, lock
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.attributions import Attributions
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import file_name
from tjgen.gitops.output.neighbors import cluster_of, object_at
from tjgen.gitops.output.options import TreeOptions
from tjgen.gitops.output.platform_uses import ObjectKey, warnings
from tjgen.language.resolve.project import PlatformDocument
from tjgen.language.resolve.reading import of_kind
from tjgen.language.runs.store import PLATFORMS
from tjgen.language.spec.objects import Platform
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.explain.provenance import Sources, place_in
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import PLATFORM, Manifest
from tjgen.trees.manifests.objects import Objects
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_ENDING = ".yaml"
_SEGMENT = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


class PlatformObjects(NamedTuple):
    """What a platform makes."""

    platform: PlatformDocument
    manifests: list[Manifest]
    diagnostics: list[Diagnostic]
    """With their places."""
    sources: Sources
    """What the origins of its objects point into."""

    @property
    def name(self) -> str:
        """Name of the platform."""
        return str(self.platform.platform.metadata.name)


def build_platforms(plan: Plan) -> tuple[list[PlatformObjects], list[Diagnostic]]:
    """Every platform that is to be built, with its objects, and what is wrong with the platforms and with the objects."""
    chosen, problems = _chosen(plan)
    platforms = [_build_platform(plan, one) for one in chosen]
    return platforms, [*problems, *(diagnostic for one in platforms for diagnostic in one.diagnostics)]


def put(
    plan: Plan, tree: TreeOptions, on_disk: OnDisk, *, force: bool, attributions: Attributions | None = None
) -> list[Diagnostic]:
    """Write the objects and the locks; with `force` also changes that the lock does not allow."""
    platforms, diagnostics = build_platforms(plan)
    created = {_key(manifest) for one in platforms for manifest in one.manifests}
    known: set[str] = set()
    for one in platforms:
        known.add(one.name)
        before, problems = _locked(plan, one.name)
        diagnostics += problems
        for change in lock.changes(one.manifests, before) if not force else ():
            place = place_in(change.manifest, change.path, one.sources)
            diagnostics.append(lock.refused(change, one.platform.document, place))
        removed = [key for key in before if key not in created]
        diagnostics += warnings(plan, one.name, removed, on_disk, one.platform.document.locate(("metadata", "name")))
        if attributions is not None:
            attributions.add_created(one.manifests, one.sources)
        source = plan.source(one.platform.document.file)
        for manifest in one.manifests:
            tree.put(OutputFile(path_of(one.name, manifest), dump(manifest.tree), source))
        tree.claim(f"{PLATFORM}/{one.name}")
        tree.record(lock.path_of(one.name), lock.write(one.name, one.manifests))
    for one in platforms:
        if one.platform.platform.spec.manifests:
            diagnostics += _created_by_runs(plan, one, tree.present())
    if known and PLATFORM in plan.project.spec.environments:
        diagnostics.append(_name_taken(plan))
    elif plan.whole and not has_errors(diagnostics) and _is_every_environment(plan):
        diagnostics += _forget(plan, tree, known, created, on_disk)
    return diagnostics


def path_of(platform: str, manifest: Manifest) -> str:
    """The path of an object of a platform in the output tree."""
    return "/".join(part for part in (PLATFORM, platform, manifest.namespace, file_name(manifest)) if part)


def _chosen(plan: Plan) -> tuple[list[PlatformDocument], list[Diagnostic]]:
    """The platforms of the environments that are built, or those of files that were named."""
    project = plan.project
    if plan.whole:
        platforms_of_environments = [project.platform(name) for name in plan.environments]
        wanted = {one.platform.metadata.name for one in platforms_of_environments if one is not None}
        known = [one for one in project.platforms if _is_every_environment(plan) or one.platform.metadata.name in wanted]
        return [one for one in known if project.builds(one)], []
    of_files = of_kind("Platform", plan.platform_files, plan.sandbox)
    diagnostics = of_files.diagnostics
    named = [PlatformDocument(document, Platform(tree)) for document, tree in of_files.good]
    diagnostics += [_makes_nothing(one) for one in named if not one.is_generated]
    return [one for one in named if one.is_generated], diagnostics


def _is_every_environment(plan: Plan) -> bool:
    return len(plan.environments) == max(1, len(plan.project.spec.environments))


def _build_platform(plan: Plan, platform: PlatformDocument) -> PlatformObjects:
    document = platform.document
    manifests, sources, problems = bundle.objects(plan.project, platform, plan.catalog, plan.digest_of)
    if not _SEGMENT.fullmatch(platform.platform.metadata.name):
        problems.append(_no_folder(platform))
    diagnostics = [
        one if one.span is not None else one._replace(span=document.locate(one.path or ()), path=None) for one in problems
    ]
    schemas = plan.project.schemas
    versions = {**plan.release_of(plan.environments[0]).versions, **({OWN: schemas} if schemas is not None else {})}
    trees = Objects([one.tree for one in manifests])
    policies, _ = policies_of(plan.project, platform, versions)
    for manifest in manifests if not has_errors(problems) else ():
        wrong = list(_judged(manifest.tree, trees, versions))
        if policies is not None and not has_errors(wrong):
            wrong += judged(manifest.tree, policies, versions=versions)
        for one in wrong:
            span = place_in(manifest, one.path or (), sources, key=report.is_about_key(one))
            diagnostics.append(one._replace(span=span or document.locate(()), subject=manifest.ref))
    return PlatformObjects(platform, manifests, list(dict.fromkeys(diagnostics)), sources)


def _judged(tree: Tree, context: Sequence[Tree], versions: dict[str, str]) -> Iterator[Diagnostic]:
    """Return the errors of the API server and, for an accepted object, of its webhooks."""
    yield from report.diagnostics(tree, judge(tree, versions=versions, webhooks=True, context=context))


def _locked(plan: Plan, platform: str) -> tuple[dict[tuple[str, str, str], Tree], list[Diagnostic]]:
    text = plan.locks.text(lock.path_of(platform))
    return lock.read_lock(text, os.path.join(plan.locks.folder, lock.path_of(platform))) if text is not None else ({}, [])


def _forget(
    plan: Plan, tree: TreeOptions, known: set[str], created: Collection[ObjectKey], on_disk: OnDisk
) -> Iterator[Diagnostic]:
    """Remove the files and locks of platforms that make nothing any more. What the cluster has of them stays there."""
    for name in sorted(plan.locks.names(PLATFORMS)):
        platform = name.removesuffix(_ENDING)
        if name.endswith(_ENDING) and platform not in known:
            tree.claim(f"{PLATFORM}/{platform}")
            tree.record(lock.path_of(platform), None)
            before, _ = _locked(plan, platform)
            yield from warnings(plan, platform, [key for key in before if key not in created], on_disk, None)


def _key(manifest: Manifest) -> ObjectKey:
    return manifest.kind, manifest.namespace, manifest.name


def _created_by_runs(plan: Plan, platform: PlatformObjects, present: Sequence[str]) -> Iterator[Diagnostic]:
    """TJ796 for each object of a Platform that runs of its clusters create too; `present`: paths in the output tree."""
    project = plan.project
    clusters = {
        cluster_of(project.spec, environment)
        for environment in (project.spec.environments or (None,))
        if (used := project.platform(environment)) is not None and used.platform.metadata.name == platform.name
    }
    created = {
        (one.namespace, one.file): path
        for path in present
        if not path.startswith(f"{PLATFORM}/") and (one := object_at(path, project.spec)) is not None and one.cluster in clusters
    }
    for manifest in platform.manifests:
        path = created.get((manifest.namespace, file_name(manifest)))
        if path is not None:
            place = place_in(manifest, included.NAME, platform.sources)
            hint = "remove it from the file, or refer to it in the experiment by its name"
            yield included.twice(manifest, f"by the Platform and in {path}", place, hint)


def _makes_nothing(platform: PlatformDocument) -> Diagnostic:
    message = f'platform "{platform.platform.metadata.name}" only describes its cluster, so there is nothing to build'
    hint = "set create of a storage class or queue, namespaces, priorityClasses, flavors, runtimes or manifests"
    return Diagnostic("TJ911", message, span=platform.document.locate(()), hint=hint)


def _no_folder(platform: PlatformDocument) -> Diagnostic:
    name = platform.platform.metadata.name
    message = f'platform "{name}" cannot be used as the name of a folder'
    span = platform.document.locate(("metadata", "name"))
    hint = "use lower-case letters, digits and '-', at most 63 characters"
    return Diagnostic("TJ924", message, span=span, hint=hint)


def _name_taken(plan: Plan) -> Diagnostic:
    document = plan.project.document
    assert document is not None, "who has environments has a project file"
    message = f'environment "{PLATFORM}" would use the folder of the objects of platforms'
    span = document.locate(("spec", "environments", PLATFORM))
    return Diagnostic("TJ913", message, span=span, hint="rename the environment")
