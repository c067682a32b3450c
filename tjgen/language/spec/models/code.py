"""`code`: where the program comes from, if it is not in the image."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from tjgen.language.spec.models.identity import Counts, Excluded
from tjgen.language.spec.models.shape import Alternatives, Count, Deadline, Quantity, Shape, Text

Way: TypeAlias = Literal["image", "workspace", "configMap", "git", "build"]


class Workspace(Shape):
    """A folder that is shared between its authors and the pods."""

    short: ClassVar[tuple[str, ...]] = ("pvc",)
    alternatives: ClassVar[Alternatives] = (("pvc",), ("volume",))
    needed: ClassVar[bool] = True

    pvc: Counts[Text | None] = None
    """Name of an existing PersistentVolumeClaim."""
    volume: Counts[Text | None] = None
    """Volume of the experiment, by its name in `volumes`."""
    path: Counts[Text | None] = None
    """Folder of the volume that contains the code."""
    directory: Counts[Text | None] = None
    """The same folder on this machine. Its digest is part of the identity of the run."""


class PackedCode(Shape):
    """Local files in a ConfigMap of at most 1 MiB."""

    short: ClassVar[tuple[str, ...]] = ("directory",)
    alternatives: ClassVar[Alternatives] = (("directory", "include", "exclude"), ("files",))
    needed: ClassVar[bool] = True

    directory: Counts[Text | None] = None
    """Local folder, relative to the experiment."""
    include: Counts[list[Text]] = []
    """Patterns of the files to include, such as `**/*.py`. The default is all."""
    exclude: Counts[list[Text]] = []
    """Patterns of the files to exclude, in addition to hidden and compiled ones."""
    files: Counts[dict[str, str]] = {}
    """The files themselves instead of a folder: path -> text."""


class GitCode(Shape):
    """A commit of a Git repository, which an init container fetches."""

    repository: Counts[Text]
    """URL of the repository: `https://...`, `ssh://...` or `git@host:path`."""
    commit: Counts[Text]
    """Commit ID (40 hexadecimal digits), or a branch, tag or HEAD of the clone that contains the experiment."""
    path: Counts[Text | None] = None
    """Folder of the repository in which the program starts."""
    depth: Counts[Count] = 1
    """Number of commits to fetch."""
    submodules: Counts[bool] = False
    """Whether to fetch submodules."""
    lfs: Counts[bool] = False
    """Whether to fetch Git LFS files. Otherwise, the pods get their pointers."""
    secret: Counts[Text | None] = None
    """Secret of type kubernetes.io/basic-auth (https), or kubernetes.io/ssh-auth with known_hosts (ssh)."""


class Build(Shape):
    """An image that is built in the cluster before the run. Its tag is a hash of its content."""

    image: Counts[Text]
    """Repository of the built image, without a tag."""
    base: Counts[Text | None] = None
    """Base image. The default is that of the experiment or the runtime."""
    directory: Counts[Text | None] = None
    """Local folder with the code, relative to the experiment. The default is the folder of the experiment."""
    include: Counts[list[Text]] = []
    """Patterns of the files to include. The default is all."""
    exclude: Counts[list[Text]] = []
    """Patterns of the files to exclude, in addition to hidden and compiled ones."""
    requirements: Counts[Text | None] = None
    """File in the folder that lists packages. The default is requirements.txt, or pyproject.toml."""
    packages: Counts[list[Text]] = []
    """More Python packages, such as `einops==0.8.0`."""
    provided: Excluded[list[Text]] = []
    """Modules or packages that the base image provides."""
    system: Counts[list[Text]] = []
    """Debian or Ubuntu packages to install."""
    dockerfile: Counts[Text | None] = None
    """Dockerfile in the folder, instead of a generated one."""
    context: Counts[Literal["configMap", "git"]] = "configMap"
    """How the builder gets the code: packed, or fetched as `git` describes."""
    builder: Excluded[Literal["buildkit", "kaniko"]] = "buildkit"
    """Tool that builds the image."""
    cache: Excluded[Text | None] = None
    """Repository for cached layers, or `none`. The default is `<image>-cache`."""
    secret: Excluded[Text | None] = None
    """Secret of type kubernetes.io/dockerconfigjson that can push the image."""
    deadline: Excluded[Deadline] = "2h"
    """Time after which the build fails, over all attempts."""
    cpu: Excluded[Quantity | None] = None
    """CPU for the build."""
    memory: Excluded[Quantity | None] = None
    """Memory for the build."""


class Code(Shape):
    """Source of the program. If several sources are described, `use` selects some."""

    use: Counts[Way | list[Way] | None] = None
    """Sources to use, such as `workspace` or `[build, configMap]`. The default is all that are described."""
    mount_path: Counts[Text | None] = None
    """Folder of the code in the container. The default is `workingDir`, or `/code`."""
    python_path: Counts[list[Text]] = []
    """Folders of the code for PYTHONPATH, such as `src`. The default is the folder of the code."""
    workspace: Counts[Workspace | Text | None] = None
    """A folder on a shared volume, mounted read only."""
    config_map: Counts[PackedCode | Text | None] = None
    """Local files, packed."""
    git: Counts[GitCode | None] = None
    """A commit of a Git repository."""
    build: Counts[Build | None] = None
    """An image that is built in the cluster. With another source, it contains only the packages."""
