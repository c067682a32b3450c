"""The project's settings for its GitOps tool -> the values of the tool's objects: for an environment, and for all."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from tjgen.cluster.synctools.table import BY_NAME
from tjgen.gitops.sync.access import Access, access_of, name_of, setting
from tjgen.language.resolve.project import LoadedProject
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import NamedTuple

UNNAMED = "training"
"""What the objects of a project without a name are called."""


class Permissions(NamedTuple):
    """Entries of an AppProject, as they are in the tree."""

    destinations: tuple[Tree, ...]
    accounts: tuple[Tree, ...]


class Site(NamedTuple):
    """One environment of a project, or the project as a whole, as the tool sees it."""

    name: str
    """What its objects are called, or begin with."""
    namespace: str
    """Where they are."""
    repository: str
    revision: str
    path: str
    """Folder of its tree in the repository."""
    path_origin: FieldPath
    """The field of the project file that sets the output folder."""
    access: Access
    """The repository, cluster and account of the tool."""
    namespaces: tuple[str, ...]
    """The namespaces of its runs, as far as they are known."""
    cluster: str | None
    """The cluster, by its name in Argo CD; None is the one that the tool runs in."""
    environment: str | None
    environments: tuple[str, ...]
    """All environments of the project."""
    stages: tuple[str, ...]
    """The stages that hold files, in order."""
    application_set: str | None
    """What an ApplicationSet makes Applications for: "experiments" or "environments"; None if there is none."""
    deletes: bool
    """Whether what an Application of a set synced goes with it."""
    bootstrap: bool
    health: str
    platform: str | None = None
    """Folder of its platform's objects in the repository, where it is this site that applies them."""
    waits: bool = False
    """Whether its runs need objects of a platform, which another sync object applies, perhaps one of another project."""
    platform_kinds: tuple[tuple[str, str, str], ...] = ()
    """API group, kind and namespace of its platform's objects, also if sync objects of its former name apply them."""
    former: tuple[str, ...] = ()
    """Folders of environments that the project no longer has, whose runs and sync objects are still in the tree."""
    former_permissions: Mapping[str, Permissions] = {}
    """Name of an AppProject -> what Applications in folders of former environments need of it."""
    former_name: str | None = None
    """Folder of the environment under its former name, if sync objects in it apply this folder of sync objects themselves."""
    has_runs: bool = True
    """Whether the environment can have runs. That of a workspace without experiments of its own has none."""


def site_of(
    project: LoadedProject,
    environment: str | None,
    path: str,
    namespace: str,
    stages: tuple[str, ...] = (),
    namespaces: tuple[str, ...] = (),
) -> Site:
    """What holds for an environment, or with None for the project; `path` is the folder of the whole output in the repository.

    `namespace` is the default of the tool, and `namespaces` are those of the environment's runs.
    """
    gitops, own = project.spec.gitops, project.environment(environment)
    default = own.namespace if own is not None else None
    namespaces = tuple(sorted({*namespaces, *([default] if default else [])}))
    place = setting(project, environment, "namespace")[0] or namespace
    only = namespaces[0] if len(namespaces) == 1 else ("" if namespaces else None)
    home = place if BY_NAME[gitops.tool].accounts_in_own_namespace else default or only
    name = name_of(project) or UNNAMED
    applications = gitops.application_set
    return Site(
        name=f"{name}-{environment}" if environment else name,
        namespace=place,
        repository=gitops.repository or "",
        revision=gitops.revision,
        path=posixpath.normpath(f"{path}/{environment}" if environment else path),
        path_origin=("spec", "gitops", "path") if gitops.path is not None else ("spec", "output", "directory"),
        access=access_of(project, environment, home),
        namespaces=namespaces,
        cluster=own.cluster if own is not None else None,
        environment=environment,
        environments=tuple(project.spec.environments),
        stages=stages,
        application_set=applications.of if applications is not None else None,
        deletes=applications is not None and applications.on_deletion == "delete",
        bootstrap=gitops.bootstrap,
        health=gitops.health,
    )
