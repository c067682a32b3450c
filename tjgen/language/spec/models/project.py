"""Project (`tjgen.yaml`): where things are, and what they are built for."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from tjgen.cluster.releases import DEFAULT_TRAINER
from tjgen.language.spec.models.metadata import Named
from tjgen.language.spec.models.shape import ApiVersion, Count, Label, Quantity, Shape, System, Text, Whole
from tjgen.trees.budgets import DEFAULT

ReleaseName: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+(\.[0-9]+)?$")]
Tool: TypeAlias = Literal["argocd", "flux", "none"]
Applications: TypeAlias = Literal["experiments", "environments"]


class Environment(Shape):
    """One of the places that the project is built for."""

    namespace: Label | None = None
    """Namespace, where the experiment does not say one."""
    cluster: Text | None = None
    """Name of the cluster, for overlays to match."""
    platform: Text | None = None
    """Name of the Platform document that describes the cluster."""
    overlays: list[Text] = []
    """Files or folders with overlays for this environment alone."""
    labels: dict[str, str] = {}
    """Labels of everything that is made for the environment."""
    trainer: ReleaseName | None = None
    """Release of Kubeflow Trainer in the environment's cluster, where it is not the project's."""
    runs: Literal["all", "promoted"] = "all"
    """Which runs it gets: all that experiments ask for, or only what `tjgen promote` brings from another environment."""


class ProjectSchedule(Shape):
    """Scheduling, where experiments do not say otherwise."""

    system: System = "none"
    """Gang scheduler."""


class Output(Shape):
    """Where built trees go."""

    directory: Text | None = None
    """Folder of the manifests to apply."""
    expanded: Text | None = None
    """Folder of the preview of what controllers will make."""


class ApplicationSet(Shape):
    """Applications that Argo CD makes by itself, from what it finds in the repository."""

    short: ClassVar[tuple[str, ...]] = ("of",)

    of: Applications
    """What there is one Application for: each experiment, by its folder, or each environment, by a file of it."""
    on_deletion: Literal["keep", "delete"] = "keep"
    """What becomes of runs and claims in the cluster when the folder or the ApplicationSet goes."""


class GitOps(Shape):
    """What applies the manifests."""

    short: ClassVar[tuple[str, ...]] = ("tool",)

    tool: Tool = "none"
    """The tool that syncs the output to the cluster."""
    repository: Text | None = None
    """URL of the repository that the tool reads; with it, the objects that make the tool sync are emitted too."""
    revision: Text = "main"
    """Branch that the tool reads."""
    path: Text | None = None
    """Folder of the output in the repository; `output.directory` where it is left out."""
    namespace: Label | None = None
    """Namespace of the objects that make the tool sync; `argocd` or `flux-system` where it is left out."""
    project: Text = "default"
    """Project of Argo CD."""
    application_set: ApplicationSet | Applications | None = None
    """An ApplicationSet of Argo CD in place of one Application for each environment."""
    bootstrap: bool = False
    """Whether the tool also syncs the objects that make it sync, once they have been applied by hand."""
    health: Literal["none", "failures", "completion"] = "none"
    """What the tool learns of the health of runs: whether one has failed, or whether all are complete as well."""


class History(Shape):
    """What stays of earlier runs."""

    keep: Whole | None = None
    """Superseded runs of an experiment that stay in the output; all where it is left out."""


class Policy(Shape):
    """How strict a build is."""

    strict: bool = False
    """Whether warnings are errors."""
    demand: list[Literal["commits", "digests"]] = []
    """What a build refuses to do without: `commits`, code of Git by the full name of a commit; `digests`, images by digest."""
    allow: list[Literal["identity-patches"]] = []
    """What a build refuses without it: `identity-patches`, patches that change the kind, name, namespace, owners, finalizers or
    tjgen's own labels of an object. Only the root project, the one that the command names or runs in, can allow it."""
    harmless: dict[str, Text] = {}
    """Fingerprint of a value that looks like a private key or token, as diagnostics print it -> why it is none."""
    severity: dict[str, Literal["error", "warning", "info", "ignore"]] = {}
    """Code or name of a warning or note -> its severity here; errors stay errors, but for those of `tjgen lint`."""


class Lint(Shape):
    """What `tjgen lint` passes over."""

    ignore: dict[str, Text] = {}
    """Code of a rule -> why it does no harm in this project."""


def _size(amount: int) -> str:
    return f"{amount >> 20}Mi"


class Budgets(Shape):
    """The most that one command accepts. Only the root project, the one that the command names or runs in, sets budgets."""

    points: Count = DEFAULT.points
    """Points of one sweep."""
    tasks: Count = DEFAULT.tasks
    """Tasks of one experiment."""
    runs: Count = DEFAULT.runs
    """Runs of one experiment: its tasks times the points of their sweeps."""
    documents: Count = DEFAULT.documents
    """Documents of one file."""
    values: Count = DEFAULT.values
    """Keys, scalars, lists and mappings of one file, including those that aliases stand for."""
    file_size: Quantity = _size(DEFAULT.file_size)
    """Bytes of one file."""
    total_size: Quantity = _size(DEFAULT.total_size)
    """Bytes of all files that one command reads."""
    list_size: Quantity = _size(DEFAULT.list_size)
    """Size of one list of data items."""
    files: Count = DEFAULT.files
    """Files that one command reads."""
    entries: Count = DEFAULT.entries
    """Files and folders in all folders that one command searches."""
    folder_depth: Count = DEFAULT.folder_depth
    """Levels of folders below a folder that one command reads."""
    seconds: Count = DEFAULT.seconds
    """Seconds of one build. A build that takes longer stops before it writes anything."""


class ProjectSpec(Shape):
    """Where things are, and what they are built for."""

    experiments: list[Text] = []
    """Files, folders or patterns of experiments."""
    overlays: list[Text] = []
    """Files, folders or patterns of overlays."""
    platforms: list[Text] = []
    """Files, folders or patterns of platforms."""
    catalogs: list[Text] = []
    """Files or folders of runtimes."""
    slicers: dict[str, Text] = {}
    """Name of a slicing strategy -> the file of Python that it is in."""
    schemas: Text | None = None
    """Folder with the schemas of the clusters' own kinds, as `tjgen schemas import` writes it."""
    readable: list[Text] = []
    """Folders outside of the repository whose files may be read. Only the root project can list them."""
    environments: dict[str, Environment] = {}
    """What the project is built for, by name."""
    schedule: ProjectSchedule = ProjectSchedule()
    """Scheduling, where experiments do not say otherwise."""
    trainer: ReleaseName = DEFAULT_TRAINER.name
    """Release of Kubeflow Trainer in the clusters."""
    output: Output = Output()
    """Where built trees go."""
    gitops: GitOps | Tool = GitOps()
    """What applies the manifests."""
    history: History = History()
    """What stays of earlier runs."""
    policy: Policy = Policy()
    """How strict a build is."""
    lint: Lint = Lint()
    """What `tjgen lint` passes over."""
    budgets: Budgets = Budgets()
    """The most that one command accepts."""
    requires: Text | None = None
    """Releases of tjgen that may build the project, such as `~= 0.1`."""


class Project(Shape):
    """A project."""

    api_version: ApiVersion
    """Version of the language."""
    kind: Literal["Project"]
    """Kind of the document."""
    metadata: Named | None = None
    """Who the project is."""
    spec: ProjectSpec
    """Where things are, and what they are built for."""
