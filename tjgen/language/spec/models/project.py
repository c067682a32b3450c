"""Project (`tjgen.yaml`): where files are, and the environments to build for."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from tjgen.cluster.releases import DEFAULT_TRAINER
from tjgen.language.spec.models.gitops import GitOps, SyncAccess, Tool
from tjgen.language.spec.models.metadata import Named
from tjgen.language.spec.models.shape import ApiVersion, Count, Label, Quantity, Shape, System, Text, Whole
from tjgen.trees.budgets import DEFAULT

ReleaseName: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+(\.[0-9]+)?$")]
Allowance: TypeAlias = Literal["identity-patches"]
OnSupersede: TypeAlias = Literal["keep", "stop"]


class Environment(Shape):
    """One environment of the project."""

    namespace: Label | None = None
    """Default namespace of experiments."""
    cluster: Text | None = None
    """Name of the cluster: that in Argo CD, which overlays also match."""
    platform: Text | None = None
    """Name of the Platform document that describes the cluster."""
    overlays: list[Text] = []
    """Files or folders with overlays for this environment only."""
    labels: dict[str, str] = {}
    """Labels of all objects of the environment."""
    trainer: ReleaseName | None = None
    """Kubeflow Trainer release of the environment's cluster. The default is that of the project."""
    runs: Literal["all", "promoted"] = "all"
    """Runs of the environment: all, or only those that `tjgen promote` brings from another environment."""
    on_supersede: OnSupersede | None = None
    """Whether a superseded run continues or is stopped. The default is `history.onSupersede` of the project."""
    gitops: SyncAccess | None = None
    """Settings of the sync for this environment. The defaults are those of the project."""


class ProjectSchedule(Shape):
    """Default scheduling of experiments."""

    system: System = "none"
    """Gang scheduler."""


class Output(Shape):
    """Folder of the output."""

    directory: Text | None = None
    """Folder of the manifests to apply."""
    expanded: Text | None = None
    """Folder of the previews of objects that controllers will create."""


class History(Shape):
    """How many earlier runs to keep."""

    keep: Whole | None = None
    """Number of superseded runs of an experiment to keep in the output. The default is all."""
    on_supersede: OnSupersede = "keep"
    """Whether a superseded run continues (`keep`), or is suspended so that it frees its devices (`stop`). An environment or an
    experiment can set its own value."""


class Policy(Shape):
    """How strict a build is."""

    strict: bool = False
    """Whether warnings are errors. A build warns of runs in its output (TJ273), and gates refuse them; TJ746 stays a warning."""
    demand: list[Literal["commits", "digests"]] = []
    """What a build requires: `commits` for code by commit ID, `digests` for images by digest."""
    allow: list[Allowance] = []
    """What a build refuses without it: `identity-patches`, patches that change the kind, name, namespace, owners, finalizers or
    tjgen's own labels of an object. Only the root project, the one that the command names or runs in, can allow it."""
    harmless: dict[str, Text] = {}
    """Fingerprint of a value that looks like a private key or token, as diagnostics print it -> why it is none."""
    severity: dict[str, Literal["error", "warning", "info", "ignore"]] = {}
    """Code or name of a warning or note -> its severity in this project. Only errors of `tjgen lint` can change."""


class Lint(Shape):
    """Rules that `tjgen lint` ignores."""

    ignore: dict[str, Text] = {}
    """Code of a rule -> why it does not apply to this project."""


def _size(amount: int) -> str:
    return f"{amount >> 20}Mi"


class Budgets(Shape):
    """Limits of one command. Only the root project, which the command names or runs in, sets them."""

    points: Count = DEFAULT.points
    """Maximum points of one sweep."""
    tasks: Count = DEFAULT.tasks
    """Maximum tasks of one experiment."""
    runs: Count = DEFAULT.runs
    """Runs of one experiment: its tasks times the points of their sweeps."""
    documents: Count = DEFAULT.documents
    """Documents of one file."""
    values: Count = DEFAULT.values
    """Keys, scalars, lists and mappings of a document or item of a List, with those of aliases; four times as many of a file."""
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
    """Seconds of CPU time of a command, for each 1,000 of its runs or objects. A build that exceeds it writes nothing."""


class Codeowners(Shape):
    """The file CODEOWNERS of the repository, which `tjgen build` of the workspace writes."""

    format: Literal["github", "gitlab"] = "github"
    """Syntax and place of the file: `.github/CODEOWNERS` or `.gitlab/CODEOWNERS`."""
    owners: dict[str, list[Text]]
    """Folder or file, relative to the workspace -> its owners. The entry `.` is for everything without an entry."""


class ProjectSpec(Shape):
    """Paths of files, and the environments to build for."""

    projects: list[Text] = []
    """Folders or patterns of the projects of this workspace. They inherit its settings."""
    codeowners: Codeowners | None = None
    """Owners of the folders of a workspace."""
    labels: dict[str, str] = {}
    """Labels of all objects of the project."""
    experiments: list[Text] = []
    """Files, folders or patterns of experiments. A folder means its `.yaml` and `.yml` files; name a JSON file by its path."""
    overlays: list[Text] = []
    """Files, folders or patterns of overlays."""
    platforms: list[Text] = []
    """Files, folders or patterns of platforms."""
    catalogs: list[Text] = []
    """Files or folders of runtimes."""
    slicers: dict[str, Text] = {}
    """Name of a slicing strategy -> its Python file."""
    schemas: Text | None = None
    """Folder with the schemas of the clusters' own kinds, as `tjgen schemas import` writes it."""
    readable: list[Text] = []
    """Folders outside of the repository whose files may be read. Only the root project can list them."""
    environments: dict[str, Environment] = {}
    """Environments by name."""
    schedule: ProjectSchedule = ProjectSchedule()
    """Default scheduling of experiments."""
    trainer: ReleaseName = DEFAULT_TRAINER.name
    """Kubeflow Trainer release of the clusters."""
    output: Output = Output()
    """Folder of the output."""
    gitops: GitOps | Tool = GitOps()
    """The tool that applies the manifests."""
    history: History = History()
    """How many earlier runs to keep."""
    policy: Policy = Policy()
    """How strict a build is."""
    lint: Lint = Lint()
    """Rules that `tjgen lint` ignores."""
    budgets: Budgets = Budgets()
    """Limits of one command."""
    requires: Text | None = None
    """Releases of tjgen that can build the project, such as `~= 0.1`."""


class Project(Shape):
    """A project."""

    api_version: ApiVersion
    """Version of the language."""
    kind: Literal["Project"]
    """Kind of the document."""
    metadata: Named | None = None
    """Identifies the project."""
    spec: ProjectSpec
    """Paths of files, and the environments to build for."""
