"""The part of a project about the GitOps tool: what it reads, what it syncs to, and what it can change."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from tjgen.language.spec.models.shape import Alternatives, Label, Shape, Text, expects

Tool: TypeAlias = Literal["argocd", "flux", "none"]
Applications: TypeAlias = Literal["experiments", "environments"]
ServiceAccountName: TypeAlias = Annotated[
    str,
    Field(pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"),
    expects("write NAME or NAMESPACE/NAME"),
]


class KubeConfigSecret(Shape):
    """A Secret with a kubeconfig."""

    short: ClassVar[tuple[str, ...]] = ("name",)

    name: Label
    """Name of the Secret."""
    key: Text | None = None
    """Key of the Secret. The default of Flux is `value`, then `value.yaml`."""


class KubeConfig(Shape):
    """The cluster that Flux syncs to, if it is not its own."""

    alternatives: ClassVar[Alternatives] = (("secretRef",), ("configMapRef",))
    needed: ClassVar[bool] = True

    secret_ref: KubeConfigSecret | Label | None = None
    """Secret with a kubeconfig."""
    config_map_ref: Label | None = None
    """ConfigMap with the provider, cluster and address, for workload identity."""


class SourceRef(Shape):
    """A source of Flux that exists already."""

    short: ClassVar[tuple[str, ...]] = ("name",)

    kind: Literal["GitRepository", "OCIRepository", "Bucket"] = "GitRepository"
    """Kind of the source."""
    name: Label
    """Name of the source."""
    namespace: Label | None = None
    """Namespace of the source. The default is that of the Kustomizations."""


class Dependency(Shape):
    """A Kustomization of another project."""

    short: ClassVar[tuple[str, ...]] = ("name",)

    name: Label
    """Name of the Kustomization."""
    namespace: Label | None = None
    """Namespace of the Kustomization. The default is that of the Kustomizations that wait for it."""


class SyncAccess(Shape):
    """Settings of the sync: the namespace of its objects, and what the tool can read and change."""

    namespace: Label | None = None
    """Namespace of the objects that configure the sync. The default is `argocd` or `flux-system`."""
    project: Text | None = None
    """Argo CD project. The default is `default`, or with `appProject` the name of the project."""
    service_account_name: ServiceAccountName | None = None
    """ServiceAccount that the tool impersonates. The build writes its Role. For Argo CD also NAMESPACE/NAME."""
    platform_service_account_name: ServiceAccountName | None = None
    """The same for the objects of the Platform. The build writes no role for it."""
    kube_config: KubeConfig | None = None
    """Cluster that Flux syncs to, if it is not its own."""
    source_ref: SourceRef | Label | None = None
    """Source of Flux that exists already, instead of a new GitRepository for `repository`."""
    secret_ref: Label | None = None
    """Secret with the credentials that Flux uses for the repository."""
    provider: Literal["generic", "aws", "azure", "github"] | None = None
    """How Flux authenticates to the repository without a password."""


class AppProjectRole(Shape):
    """A role of the Argo CD project."""

    groups: list[Text]
    """Groups of users, by their names in Argo CD's authentication."""
    actions: list[Literal["get", "sync", "update", "delete", "override", "action/*"]] = []
    """What they can do with the Applications of the project. The default is `get`."""


class AppProject(Shape):
    """The Argo CD project that the build writes: it permits only what the runs need."""

    namespace: Label | None = None
    """Namespace of Argo CD, if the Applications are in other namespaces."""
    roles: dict[Label, AppProjectRole] = {}
    """Roles of the project, by name."""


class ApplicationSet(Shape):
    """Applications that Argo CD generates from the contents of the repository."""

    short: ClassVar[tuple[str, ...]] = ("of",)

    of: Applications
    """Scope of an Application: each experiment, by its folder, or each environment, by its file."""
    on_deletion: Literal["keep", "delete"] = "keep"
    """What happens to runs and claims in the cluster when the folder or the ApplicationSet is removed."""


class GitOps(SyncAccess):
    """The tool that applies the manifests."""

    short: ClassVar[tuple[str, ...]] = ("tool",)

    tool: Tool = "none"
    """The tool that syncs the output to the cluster."""
    removal: Literal["confirm", "sync"] = "confirm"
    """Whether a person confirms in the cluster that a run which left the tree is deleted, or the sync deletes it."""
    repository: Text | None = None
    """URL of the repository. With it, the build also writes the objects that configure the sync."""
    revision: Text = "main"
    """Branch of the repository."""
    path: Text | None = None
    """Folder of the output in the repository. The default is `output.directory`."""
    app_project: AppProject | None = None
    """Argo CD project to write. Its name is that in `project`."""
    depends_on: list[Dependency | Label] = []
    """Kustomizations of Flux that must be ready before the first stage, such as that of the platform."""
    application_set: ApplicationSet | Applications | None = None
    """An Argo CD ApplicationSet instead of an Application for each environment."""
    bootstrap: bool = False
    """Whether the tool also syncs the objects that configure the sync, after you apply them once."""
    health: Literal["none", "failures", "completion"] = "none"
    """Health checks of runs: report failures only, or also wait for completion."""
