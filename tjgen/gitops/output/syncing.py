"""A project with a GitOps tool and a repository -> the objects that make the tool sync each environment."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.table import group_and_kind
from tjgen.cluster.policies.judgment import Judge, judge_of
from tjgen.cluster.synctools.protocol import SyncTool
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.cluster.validate import report
from tjgen.cluster.validate.judge import judge
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.policies import policies_of
from tjgen.gitops.bundle import bundle
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output import former
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import namespaces_in, stage_folder
from tjgen.gitops.sync import names, problems
from tjgen.gitops.sync.access import GITOPS, is_synced
from tjgen.gitops.sync.objects import SyncObject
from tjgen.gitops.sync.site import Site, site_of
from tjgen.gitops.sync.table import SYNCING, Syncing
from tjgen.language.resolve.project import PlatformDocument
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.manifests.manifest import PLATFORM, STAGES, SYNC, Manifest
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import Protocol

_IN_CLUSTER_OF_RUNS = ("ServiceAccount", "Role", "RoleBinding")
"""Kinds of sync objects that are applied to the cluster of the runs. The others are applied to the cluster of the tool."""
KEPT = "README"
_KEPT_BODY = "Flux syncs this folder. Git keeps no empty one, and without it the sync would stop.\n"


class Present(Protocol):
    """A tree when all that is built has been put."""

    def put(self, file: OutputFile) -> None: ...
    def claim(self, folder: str, *, owner: str = "") -> None: ...
    def present(self) -> list[str]: ...


def put(plan: Plan, tree: Present, on_disk: OnDisk) -> list[Diagnostic]:
    """Put the objects for each environment of the build, and those for all; what is wrong with that (TJ680 to TJ688)."""
    project = plan.project
    diagnostics = list(problems.options(project))
    tool = SYNCING.get(project.spec.gitops.tool) if is_synced(project) else None
    if tool is None or diagnostics:
        return diagnostics
    path = _path(plan)
    if path is None:
        return [_nowhere(plan)]
    present = tree.present()
    sites = _own_sites(plan, path, present, on_disk)
    diagnostics += [
        *problems.of_project(project, path),
        *problems.of_access(project, sites),
        *problems.of_sites(project, sites, present),
        *names.unusable(project, sites),
        *former.without_runs([*project.spec.environments] or [None], present, path),
    ]
    if has_errors(diagnostics):
        return diagnostics
    source = posixpath.basename(project.document.file) if project.document is not None else ""
    policies = _PoliciesOfClusters(plan, sites)
    for folder, one in _created(plan, tool, path, sites, present, on_disk):
        diagnostics += _wrong(plan, one.manifest, policies.of(one.manifest, folder))
        tree.put(OutputFile(f"{folder}/{one.file}", one.note + dump(one.manifest.tree), source))
    for site in sites:
        for stage in tool.kept_folders(site):
            tree.put(OutputFile(f"{stage_folder(site.environment, stage)}/{KEPT}", _KEPT_BODY, source, SYNC))
    return diagnostics


def create_objects(plan: Plan) -> list[Manifest]:
    """The objects alone, to find where their fields come from."""
    project = plan.project
    tool = SYNCING.get(project.spec.gitops.tool) if is_synced(project) else None
    path = _path(plan)
    if tool is None or path is None:
        return []
    return [one.manifest for _, one in _created(plan, tool, path, _own_sites(plan, path, ()), ())]


def texts(plan: Plan) -> dict[str, str]:
    """Path in the output tree -> text of each object that `put` writes."""
    project, path = plan.project, _path(plan)
    tool = SYNCING.get(project.spec.gitops.tool)
    if tool is None or path is None:
        return {}
    return {
        f"{folder}/{one.file}": one.note + dump(one.manifest.tree)
        for folder, one in _created(plan, tool, path, _own_sites(plan, path, ()), ())
    }


def _described(plan: Plan) -> SyncTool:
    return BY_NAME[plan.project.spec.gitops.tool]


def _created(
    plan: Plan, tool: Syncing, path: str, sites: Sequence[Site], present: Sequence[str], on_disk: OnDisk | None = None
) -> Iterator[tuple[str, SyncObject]]:
    """Every object with the folder that it goes to."""
    every: list[str | None] = [*plan.project.spec.environments] or [None]
    whole = site_of(plan.project, None, path, _described(plan).namespace)._replace(former=former.with_runs(every, present))
    if on_disk is not None and whole.access.app_project is not None:
        whole = whole._replace(former_permissions=former.permissions(every, present, on_disk))
    if not plan.project.spec.environments:
        whole = whole._replace(platform=sites[0].platform)
    known = sites if every == plan.environments else _sites(plan, path, present, every, on_disk)
    for one in tool.shared(whole._replace(waits=any(site.waits for site in known)), known):
        yield SYNC, one
    for site in sites:
        for one in tool.objects(site):
            yield stage_folder(site.former_name if one.is_entry and site.former_name else site.environment, SYNC), one


def _own_sites(plan: Plan, path: str, present: Sequence[str], on_disk: OnDisk | None = None) -> list[Site]:
    """The environments of the build: the others decide with them which one applies the objects of a platform."""
    every: list[str | None] = [*plan.project.spec.environments] or [None]
    return [site for site in _sites(plan, path, present, every, on_disk) if site.environment in plan.environments]


def _sites(
    plan: Plan, path: str, present: Sequence[str], environments: Sequence[str | None], on_disk: OnDisk | None
) -> list[Site]:
    """Each environment. Of those that share a cluster and its platform, the first applies the platform's objects.

    If the sync objects of its former name still apply them, it has no second owner for them.
    """
    project, described = plan.project, _described(plan)
    # A bootstrap in each cluster applies its own folder, and a common one only folders with runs.
    folders = (former.with_sync_objects if described.in_each_cluster else former.with_runs)(environments, present)
    former_folders = former.by_environment(folders, plan.locks, on_disk) if on_disk is not None else {}
    sites: list[Site] = []
    applied: set[tuple[str, str | None]] = set()
    for environment in environments:
        earlier = former_folders.get(environment)
        # The runs that stay in the folder of the former name need the same access.
        folders_of_runs = [environment] if earlier is None else [environment, earlier.name]
        namespaces = sorted({namespace for one in folders_of_runs for namespace in namespaces_in(one, present)})
        site = site_of(project, environment, path, described.namespace, _stages(environment, present), tuple(namespaces))
        site = site._replace(has_runs=bool(site.stages) or _has_runs(plan, environment))
        if earlier is not None and posixpath.normpath(f"{path}/{earlier.name}/{SYNC}") in earlier.applied:
            site = site._replace(former_name=earlier.name)
        platform = project.platform(environment)
        site = site._replace(waits=platform is not None and platform.is_generated)
        if platform is not None and project.builds(platform):
            name = platform.platform.metadata.name
            # Without the name of a cluster, each environment may have one of its own.
            is_own = site.cluster is None and described.in_each_cluster
            if is_own or (name, site.cluster) not in applied:
                folder = posixpath.normpath(f"{path}/{PLATFORM}/{name}")
                site = site._replace(platform_kinds=_platform_kinds(plan, platform))
                if earlier is None or folder not in earlier.applied:
                    site = site._replace(platform=folder)
            applied.add((name, site.cluster))
        sites.append(site)
    return sites


def _has_runs(plan: Plan, environment: str | None) -> bool:
    """Whether an environment can have runs to sync. Without experiments, only its locks show that it had runs to prune."""
    if not plan.project.is_workspace or plan.project.spec.experiments:
        return True
    return any(place.environment == environment for place, _ in plan.locks.all())


def _platform_kinds(plan: Plan, platform: PlatformDocument) -> tuple[tuple[str, str, str], ...]:
    """API group, kind and namespace of the platform's objects, if an AppProject lists them."""
    if plan.project.spec.gitops.app_project is None:
        return ()
    manifests = bundle.objects(plan.project, platform, plan.catalog).manifests
    return tuple([(*group_and_kind(one.tree), one.namespace) for one in manifests])


def _path(plan: Plan) -> str | None:
    """The folder of the output in the repository."""
    configured = _configured_path(plan)
    path = posixpath.normpath(configured) if configured is not None else None
    return None if path is None or path.startswith(("/", "..")) else path


def _configured_path(plan: Plan) -> str | None:
    spec = plan.project.spec
    return spec.gitops.path if spec.gitops.path is not None else spec.output.directory


def _stages(environment: str | None, present: Sequence[str]) -> tuple[str, ...]:
    """The stages that hold manifests."""
    folders = {stage: f"{stage_folder(environment, stage)}/" for stage in STAGES}
    return tuple(
        stage for stage, folder in folders.items() if any(file.startswith(folder) and file.endswith(".yaml") for file in present)
    )


class _PoliciesOfClusters:
    """The policies of the clusters that sync objects are applied to."""

    def __init__(self, plan: Plan, sites: Sequence[Site]) -> None:
        self._plan = plan
        self._sites = {stage_folder(site.environment, SYNC): site for site in sites}
        self._tool_site = next((site for site in sites if site.cluster is None and site.access.kube_config is None), None)

    def of(self, manifest: Manifest, folder: str) -> Judge | None:
        """A function that evaluates the policies of the cluster of an object; None without policies."""
        site = self._sites.get(folder)
        described = _described(self._plan)
        is_local = manifest.kind in _IN_CLUSTER_OF_RUNS or (
            described.in_each_cluster and site is not None and not site.access.kube_config
        )
        settings = (
            self._plan.settings.get(place.environment) if (place := site if is_local else self._tool_site) is not None else None
        )
        if settings is None:
            policies, _ = policies_of(self._plan.project, None, {})
            return judge_of(policies, {}) if policies is not None else None
        return judge_of(settings.policies, settings.release.versions) if settings.policies is not None else None


def _wrong(plan: Plan, manifest: Manifest, policies: Judge | None) -> Iterator[Diagnostic]:
    """Yield the errors of the API server and what policies report, at the place of the tool in the project file."""
    verdict = judge(manifest.tree)
    document = plan.project.document
    problems = list(report.diagnostics(manifest.tree, verdict)) if verdict.checked else []
    problems += policies(manifest.tree) if policies is not None and not has_errors(problems) else ()
    for one in problems:
        yield one._replace(span=document.locate(GITOPS) if document is not None else None, path=None)


def _nowhere(plan: Plan) -> Diagnostic:
    document = plan.project.document
    configured = _configured_path(plan)
    where = (
        f"gitops.path {configured} is outside the repository"
        if configured is not None
        else "the project does not set the folder of its output"
    )
    return Diagnostic(
        "TJ680",
        f"{where}, so no tool can sync it",
        span=document.locate(GITOPS) if document is not None else None,
        hint="set spec.gitops.path to the folder of the output in the repository",
    )
