"""The settings of a project and of one of its environments -> what the tool reads, and which account it impersonates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.language.resolve.project import LoadedProject
from tjgen.language.spec.objects import AppProject, Dependency, KubeConfig, SourceRef
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import Any, NamedTuple

GITOPS: FieldPath = ("spec", "gitops")
DEFAULT_PROJECT = "default"
"""The project that Argo CD creates itself. It permits everything."""
FIELDS = (
    "namespace",
    "project",
    "serviceAccountName",
    "platformServiceAccountName",
    "kubeConfig",
    "sourceRef",
    "secretRef",
    "provider",
)
"""The fields that an environment can set, in the words of the language."""


class Account(NamedTuple):
    """A ServiceAccount that the tool impersonates."""

    namespace: str
    """Empty if it is not known (TJ785)."""
    name: str


class Access(NamedTuple):
    """What holds for one environment, or for the project."""

    paths: dict[str, FieldPath]
    """Field -> its path in the project file."""
    names_namespace: bool
    """Whether Applications name a namespace: an AppProject permits it, and selects the account by it."""
    is_project_varied: bool
    """Whether an environment names a project of Argo CD of its own."""
    project: str
    """Project of Argo CD."""
    account: Account | None
    platform_account: Account | None
    kube_config: KubeConfig | None
    source_ref: SourceRef | None
    secret_ref: str | None
    provider: str | None
    depends_on: Sequence[Dependency]
    app_project: AppProject | None
    """The project of Argo CD to write; None if it exists."""


def setting(project: LoadedProject, environment: str | None, field: str) -> tuple[Any, FieldPath]:
    """The value of one of FIELDS for an environment, or None, and its path in the project file."""
    attribute = "".join(f"_{one.lower()}" if one.isupper() else one for one in field)
    own = project.environment(environment)
    if own is not None and own.gitops is not None:
        value = getattr(own.gitops, attribute)
        if value is not None:
            return value, ("spec", "environments", environment or "", "gitops", field)
    return getattr(project.spec.gitops, attribute), (*GITOPS, field)


def access_of(project: LoadedProject, environment: str | None, home: str | None) -> Access:
    """The settings of an environment, or with None of the project.

    `home` is the namespace of an account whose name is given without one: empty if it is not known, None
    if the environment has no runs, so that it needs no such account.
    """
    settings = {field: setting(project, environment, field) for field in FIELDS}
    values = {field: value for field, (value, _) in settings.items()}
    gitops = project.spec.gitops
    return Access(
        paths={field: path for field, (_, path) in settings.items()},
        names_namespace=gitops.app_project is not None
        or any(setting(project, one, "serviceAccountName")[0] for one in (None, *project.spec.environments)),
        is_project_varied=any(one.gitops is not None and one.gitops.project for one in project.spec.environments.values()),
        project=values["project"] or (name_of(project) if gitops.app_project is not None else None) or DEFAULT_PROJECT,
        account=_account(values["serviceAccountName"], home),
        platform_account=_account(values["platformServiceAccountName"], home),
        kube_config=values["kubeConfig"],
        source_ref=values["sourceRef"],
        secret_ref=values["secretRef"],
        provider=values["provider"],
        depends_on=gitops.depends_on,
        app_project=gitops.app_project,
    )


def name_of(project: LoadedProject) -> str | None:
    """The name of the project, if it has one."""
    named = project.document.value.get("metadata") if project.document is not None else None
    return named["name"] if named else None


def options(project: LoadedProject) -> Iterator[tuple[str, FieldPath]]:
    """The settings that only sync objects use: the name of the field and its path in the project file."""
    gitops = project.spec.gitops
    of_project = {
        "applicationSet": gitops.application_set is not None,
        "bootstrap": gitops.bootstrap,
        "health": gitops.health != "none",
        "appProject": gitops.app_project is not None,
        "dependsOn": bool(gitops.depends_on),
    }
    yield from [(field, (*GITOPS, field)) for field, is_set in of_project.items() if is_set]
    known: dict[FieldPath, str] = {}
    for environment in (None, *project.spec.environments):
        for field in FIELDS:
            value, path = setting(project, environment, field)
            # Without sync objects, these two of the project have no effect, and do no harm.
            if value is not None and path not in ((*GITOPS, "namespace"), (*GITOPS, "project")):
                known[path] = field
    yield from [(field, path) for path, field in known.items()]


def is_synced(project: LoadedProject) -> bool:
    """Whether the project names what the tool reads, so that the build writes sync objects."""
    gitops = project.spec.gitops
    return gitops.repository is not None or any(
        setting(project, environment, "sourceRef")[0] is not None for environment in (None, *project.spec.environments)
    )


def _account(name: str | None, home: str | None) -> Account | None:
    namespace, _, own = (name or "").rpartition("/")
    return Account(namespace or home or "", own) if own and (namespace or home is not None) else None
