"""`code`: where the program that is trained comes from, when it is not in the image."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from tjgen.language.spec.models.identity import Counts, Excluded
from tjgen.language.spec.models.shape import Alternatives, Count, Deadline, Quantity, Shape, Text

Way: TypeAlias = Literal["image", "workspace", "configMap", "git", "build"]


class Workspace(Shape):
    """A folder that is shared by whoever writes the code and the pods that run it."""

    short: ClassVar[tuple[str, ...]] = ("pvc",)
    alternatives: ClassVar[Alternatives] = (("pvc",), ("volume",))
    needed: ClassVar[bool] = True

    pvc: Counts[Text | None] = None
    """PersistentVolumeClaim that exists, by its name."""
    volume: Counts[Text | None] = None
    """Volume of the experiment, by its name in `volumes`."""
    path: Counts[Text | None] = None
    """Folder of the volume that the code is in."""
    directory: Counts[Text | None] = None
    """The same folder on this machine: a digest of it is recorded, and another content is another run."""


class PackedCode(Shape):
    """Local files that travel with the run, in a ConfigMap of at most 1 MiB."""

    short: ClassVar[tuple[str, ...]] = ("directory",)

    directory: Counts[Text]
    """Local folder, relative to the experiment."""
    include: Counts[list[Text]] = []
    """Patterns of the files to take, such as `**/*.py`; all where it is left out."""
    exclude: Counts[list[Text]] = []
    """Patterns of files to leave out, beside hidden and compiled ones."""


class GitCode(Shape):
    """A commit of a Git repository, which an init container fetches."""

    repository: Counts[Text]
    """URL of the repository: `https://...`, `ssh://...` or `git@host:path`."""
    commit: Counts[Text]
    """Full name of the commit (40 hexadecimal digits), or a branch, tag or HEAD of the clone that the experiment lies in."""
    path: Counts[Text | None] = None
    """Folder of the repository that the program starts in."""
    depth: Counts[Count] = 1
    """Commits of history that are fetched."""
    submodules: Counts[bool] = False
    """Whether submodules are fetched too."""
    lfs: Counts[bool] = False
    """Whether the files of Git LFS are fetched; without it, the pods see their pointers."""
    secret: Counts[Text | None] = None
    """Secret of type kubernetes.io/basic-auth (https), or kubernetes.io/ssh-auth with known_hosts (ssh)."""


class Build(Shape):
    """An image that is built in the cluster before the run; its tag follows its content."""

    image: Counts[Text]
    """Repository that the image is pushed to, without a tag."""
    base: Counts[Text | None] = None
    """Image that it is built on; the experiment's or the runtime's where it is left out."""
    directory: Counts[Text | None] = None
    """Local folder with the code, relative to the experiment; the experiment's own where it is left out."""
    include: Counts[list[Text]] = []
    """Patterns of the files to take; all where it is left out."""
    exclude: Counts[list[Text]] = []
    """Patterns of files to leave out, beside hidden and compiled ones."""
    requirements: Counts[Text | None] = None
    """File in the folder that lists packages; requirements.txt or else pyproject.toml, where there is one."""
    packages: Counts[list[Text]] = []
    """More packages of Python, such as `einops==0.8.0`."""
    provided: Excluded[list[Text]] = []
    """Modules or packages that the base image brings, so that nobody misses them."""
    system: Counts[list[Text]] = []
    """Packages of the base image's Debian or Ubuntu."""
    dockerfile: Counts[Text | None] = None
    """Dockerfile in the folder, in place of one that is written for you."""
    context: Counts[Literal["configMap", "git"]] = "configMap"
    """How the builder gets the code: packed as local files are, or fetched as `git` says."""
    builder: Excluded[Literal["buildkit", "kaniko"]] = "buildkit"
    """What builds it."""
    cache: Excluded[Text | None] = None
    """Repository that keeps layers for later builds; `<image>-cache` where it is left out, `none` for no cache."""
    secret: Excluded[Text | None] = None
    """Secret of type kubernetes.io/dockerconfigjson that may push the image."""
    deadline: Excluded[Deadline] = "2h"
    """Time after which the build fails, all its attempts together."""
    cpu: Excluded[Quantity | None] = None
    """CPU for the build."""
    memory: Excluded[Quantity | None] = None
    """Memory for the build."""


class Code(Shape):
    """Where the program comes from; with several ways in it, `use` says which."""

    use: Counts[Way | list[Way] | None] = None
    """Which of the ways below hold, such as `workspace` or `[build, configMap]`; all that are described where it is left out."""
    mount_path: Counts[Text | None] = None
    """Where the code is in the container; `workingDir`, or `/code`, where it is left out."""
    python_path: Counts[list[Text]] = []
    """Folders of the code that Python finds modules in, such as `src`; the code's own where it is left out."""
    workspace: Counts[Workspace | Text | None] = None
    """A folder on a shared volume, mounted read only."""
    config_map: Counts[PackedCode | Text | None] = None
    """Local files, packed."""
    git: Counts[GitCode | None] = None
    """A commit of a Git repository."""
    build: Counts[Build | None] = None
    """An image that is built in the cluster; beside another way it holds the packages alone."""
