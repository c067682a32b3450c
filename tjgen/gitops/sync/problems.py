"""A project with a GitOps tool, and the files of its tree -> what would go wrong when the tool syncs it (TJ681 to TJ688)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from tjgen.cluster.synctools.table import BY_NAME, NO_TOOL, TOOLS
from tjgen.gitops.sync.access import DEFAULT_PROJECT, GITOPS, is_synced, name_of
from tjgen.gitops.sync.access import options as configured
from tjgen.gitops.sync.site import UNNAMED, Site
from tjgen.language.resolve.project import LoadedProject
from tjgen.trees.diagnostics.model import Diagnostic, Note, Span
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files.regular import read_regular
from tjgen.trees.manifests.manifest import STAGES, SYNC

_OWNERS = {field: tool for tool in TOOLS for field in tool.settings}
"""Field -> the only tool that has it."""
_SECRET = re.compile(r"^\w+://[^/@:]*:[^/@]+@")
_REMOTE = re.compile(r"^\s*url\s*=\s*(\S+)\s*$", re.M)
_PLACE = re.compile(r"^(?:\w+://)?(?:[^/@]+@)?([^/:]+)(?::\d+(?=/))?[:/]+(.+?)(?:\.git)?/?$")


def options(project: LoadedProject) -> Iterator[Diagnostic]:
    """A setting that the tool does not support (TJ681)."""
    tool = project.spec.gitops.tool
    for field, path in configured(project):
        name = ".".join(str(step) for step in path[1:])
        if tool == NO_TOOL:
            message = f"{name} is set, but gitops.tool is not"
            yield _at(project, "TJ681", message, path, f"set gitops.tool to {' or '.join(one.name for one in TOOLS)}")
        elif not is_synced(project):
            message = f"{name} is set, but {tool} has no repository"
            yield _at(project, "TJ681", message, path, "set gitops.repository to its URL")
        elif field in _OWNERS and _OWNERS[field].name != tool:
            message = f"{name} applies to {_OWNERS[field].title}, but the tool is {tool}"
            yield _at(project, "TJ681", message, path, f"remove {field}")


def of_access(project: LoadedProject, sites: Sequence[Site]) -> Iterator[Diagnostic]:
    """Accounts, sources and projects that the tool cannot use together (TJ784 to TJ788)."""
    accounts: dict[tuple[str, str, str], str] = {}
    tool = BY_NAME[project.spec.gitops.tool]
    for site in sites:
        access = site.access
        yield from _of_source(project, site)
        for field, account in (("serviceAccountName", access.account), ("platformServiceAccountName", access.platform_account)):
            path = access.paths[field]
            if account is None:
                continue
            if not account.namespace:
                message = (
                    f"the namespace of ServiceAccount {account.name} is ambiguous: the runs are in {_listed(site.namespaces)}"
                )
                yield _at(project, "TJ785", message, path, f"write NAMESPACE/{account.name}")
            elif tool.accounts_in_own_namespace and account.namespace != site.namespace:
                owner = tool.syncing[0][1]
                message = (
                    f"{tool.title} impersonates accounts of the {owner}'s namespace, {site.namespace}, not of {account.namespace}"
                )
                yield _at(project, "TJ785", message, path, f"write {account.name}, or set gitops.namespace: {account.namespace}")
            elif access.app_project is not None:
                key = (access.project + field, "*" if site.cluster is not None else "", account.namespace)
                if accounts.setdefault(key, account.name) != account.name:
                    message = (
                        f"AppProject {access.project} would have two accounts for namespace {account.namespace}: "
                        f"{accounts[key]} and {account.name}"
                    )
                    yield _at(project, "TJ787", message, path, "use one name, or give the environment its own project")
        if site.bootstrap and (access.account is not None or access.app_project is not None):
            message = "bootstrap lets the repository change its own access: the sync would apply the AppProject and the roles"
            yield _error(project, "TJ784", message, "bootstrap", "remove bootstrap; the platform team applies these objects")
            return
        if access.app_project is not None and access.project == DEFAULT_PROJECT:
            message = f"appProject would replace the AppProject {DEFAULT_PROJECT} of Argo CD, which other Applications also use"
            yield _error(project, "TJ786", message, "appProject", "set gitops.project to another name")
            return


def _of_source(project: LoadedProject, site: Site) -> Iterator[Diagnostic]:
    """TJ788: settings of a repository next to a source that exists, or no source."""
    access = site.access
    if access.source_ref is None:
        if not site.repository and project.spec.gitops.tool != NO_TOOL:
            message = (
                f"environment {site.environment} has neither a repository nor a sourceRef" if site.environment else "no source"
            )
            yield _error(project, "TJ788", message, None, "set gitops.repository, or sourceRef of the environment")
        return
    for field, value in (("secretRef", access.secret_ref), ("provider", access.provider)):
        if value is not None:
            message = (
                f"{field} applies to a new GitRepository, but sourceRef names {access.source_ref.kind} {access.source_ref.name}"
            )
            yield _at(project, "TJ788", message, access.paths[field], f"remove {field}, or sourceRef")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "no namespace yet"


def of_project(project: LoadedProject, path: str) -> Iterator[Diagnostic]:
    """The project's settings for itself and for its repository."""
    gitops = project.spec.gitops
    url = gitops.repository or ""
    if name_of(project) is None:
        yield Diagnostic(
            "TJ684",
            f'the project has no name, so the objects that sync it are named "{UNNAMED}", as in every unnamed project',
            span=_span(project, GITOPS),
            hint="set metadata.name in the project file",
        )
    if gitops.repository is None:
        return
    if _SECRET.match(url):
        message = f"the URL of the repository contains a password: {_SECRET.sub('...@', url)}"
        hint = "remove the credentials, and provide them to the tool in a Secret"
        yield _error(project, "TJ688", message, "repository", hint)
    elif (known := BY_NAME[gitops.tool].repositories) and not re.fullmatch(known, url):
        hint = "write it like https://HOST/PATH.git, ssh://git@HOST/PATH.git or git@HOST:PATH.git"
        yield _error(project, "TJ685", f"{url} is not the URL of a Git repository", "repository", hint)
    folder = _folder_in_checkout(project)
    if folder is not None and folder != path:
        yield Diagnostic(
            "TJ686",
            f"the tool reads {path}, but the output is in {folder} of this checkout of the repository",
            span=_span(project, (*GITOPS, "path")),
            hint=f"set gitops.path: {folder}",
        )


def of_sites(project: LoadedProject, sites: Sequence[Site], present: Sequence[str]) -> Iterator[Diagnostic]:
    """Names that the tool cannot use or that are taken, and objects that two environments write to one cluster."""
    gitops, tool = project.spec.gitops, BY_NAME[project.spec.gitops.tool]
    for site in sites:
        longest = max((f"{site.name}-{stage}" for stage in STAGES), key=len)
        if tool.longest_name and len(longest) > tool.longest_name:
            message = (
                f"{longest} is longer than {tool.longest_name} characters, but {tool.title} adds it as a label to every object"
            )
            hint = "give the project or the environment a shorter name"
            yield _error(project, "TJ687", message, None, hint)
    shares = tool.has_shared_objects and (gitops.bootstrap or gitops.health != "none" or gitops.application_set is not None)
    if shares and SYNC in project.spec.environments:
        yield Diagnostic(
            "TJ683",
            f'environment "{SYNC}" would use the folder of the objects that all environments share',
            span=_span(project, ("spec", "environments", SYNC)),
            hint="rename the environment",
        )
    yield from _written_twice(project, present)


def _written_twice(project: LoadedProject, present: Sequence[str]) -> Iterator[Diagnostic]:
    files: dict[str, set[str]] = {name: set() for name in project.spec.environments}
    for file in present:
        environment, _, rest = file.partition("/")
        if environment in files and rest.partition("/")[0] in STAGES and rest.endswith(".yaml"):
            files[environment].add(rest)
    names = list(files)
    for position, later in enumerate(names):
        for earlier in names[:position]:
            same = sorted(files[earlier] & files[later])
            if same and _one_cluster(project, earlier, later):
                yield _shared(project, earlier, later, same)


def _one_cluster(project: LoadedProject, one: str, other: str) -> bool:
    clusters = {project.spec.environments[name].cluster for name in (one, other)}
    # Where no cluster is named, the tool syncs to its own; each environment may have one of its own.
    return len(clusters) == 1 and (None not in clusters or not BY_NAME[project.spec.gitops.tool].in_each_cluster)


def _shared(project: LoadedProject, earlier: str, later: str, same: list[str]) -> Diagnostic:
    more = f" and {len(same) - 1} more" if len(same) > 1 else ""
    namespaces = [project.spec.environments[name].namespace for name in (earlier, later)]
    hint = f"in tjgen.yaml, set another namespace or cluster for {earlier} or {later}"
    if namespaces[0] != namespaces[1]:
        hint = "remove metadata.namespace from the experiments: it takes precedence over the namespace of the environment"
    return Diagnostic(
        "TJ682",
        f"environments {earlier} and {later} write to one cluster, and both contain {same[0]}{more}",
        span=_span(project, ("spec", "environments", later)),
        related=(Note("the other environment", _span(project, ("spec", "environments", earlier))),),
        hint=hint,
    )


def _folder_in_checkout(project: LoadedProject) -> str | None:
    """Return the path of the output in the repository, if the project is in a checkout of just that repository."""
    directory = project.spec.output.directory
    place = _PLACE.match(project.spec.gitops.repository or "")
    folder = os.path.abspath(project.directory or ".")
    output = os.path.join(folder, directory or "")
    while directory is not None and place is not None:
        try:
            text = read_regular(os.path.join(folder, ".git", "config")).decode(errors="replace")
            remotes = [_PLACE.match(url) for url in _REMOTE.findall(text)]
        except OSError:
            above = os.path.dirname(folder)
            if above == folder:
                return None
            folder = above
            continue
        known = any(match is not None and match.groups() == place.groups() for match in remotes)
        return os.path.relpath(output, folder).replace(os.sep, "/") if known else None
    return None


def _at(project: LoadedProject, code: str, message: str, path: FieldPath, hint: str) -> Diagnostic:
    return Diagnostic(code, message, span=_span(project, path), hint=hint)


def _error(project: LoadedProject, code: str, message: str, field: str | None, hint: str) -> Diagnostic:
    path = (*GITOPS, field) if field is not None else GITOPS
    return Diagnostic(code, message, span=_span(project, path), hint=hint)


def _span(project: LoadedProject, path: FieldPath) -> Span | None:
    return project.document.locate(path) if project.document is not None else None
