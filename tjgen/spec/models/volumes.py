"""`volumes`: storage by name, and where it is mounted."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tjgen.spec.models.shape import AccessMode, Alternatives, Quantity, Shape, Text


class NewClaim(Shape):
    """A PersistentVolumeClaim that tjgen makes."""

    size: Quantity
    """Storage that is asked for; it can grow later, never shrink."""
    storage_class_name: str | None = None
    """StorageClass; the cluster's default where it is left out."""
    access_modes: list[AccessMode] = []
    """Who may mount it; inferred from the number of pods and the storage class where it is left out."""
    volume_mode: Literal["Filesystem", "Block"] | None = None
    """Whether it is a file system or a raw device."""
    scope: Literal["family", "run", "project"] = "family"
    """Who shares it: all runs of the experiment, one run, or all experiments of the project."""
    labels: dict[str, str] = {}
    """Labels of the claim."""
    annotations: dict[str, str] = {}
    """Annotations of the claim."""


class Claim(Shape):
    """A PersistentVolumeClaim: one that exists, or one to create."""

    short: ClassVar[tuple[str, ...]] = ("claimName",)
    alternatives: ClassVar[Alternatives] = (("claimName",), ("create",))
    needed: ClassVar[bool] = True

    claim_name: Text | None = None
    """Name of a claim that exists."""
    create: NewClaim | None = None
    """Claim to create."""


class HostPath(Shape):
    """A directory or file of the node."""

    short: ClassVar[tuple[str, ...]] = ("path",)

    path: Text
    """Path on the node."""
    type: Literal["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"] | None = (
        None
    )
    """What the path must be before it is mounted."""


class ImageVolume(Shape):
    """The content of an OCI image, read only."""

    short: ClassVar[tuple[str, ...]] = ("reference",)

    reference: Text
    """Image reference."""
    pull_policy: Literal["Always", "Never", "IfNotPresent"] | None = None
    """When the image is pulled."""


class Ephemeral(Shape):
    """A volume that is made with each pod and goes with it."""

    size: Quantity
    """Storage that is asked for."""
    storage_class_name: str | None = None
    """StorageClass; the cluster's default where it is left out."""
    access_modes: list[AccessMode] = []
    """Who may mount it."""


class EmptyDir(Shape):
    """An empty directory that lives as long as the pod."""

    medium: str | None = None
    """`Memory`, or the node's disk where it is left out."""
    size_limit: Quantity | None = None
    """Storage that it may take."""


class Files(Shape):
    """The keys of a ConfigMap or Secret, as files."""

    short: ClassVar[tuple[str, ...]] = ("name",)

    name: Text
    """Name of the ConfigMap or Secret."""
    items: dict[str, Text] = {}
    """Keys to take, each with its path under the mount; all keys where it is left out."""
    default_mode: Annotated[int, Field(ge=0, le=0o777)] | None = None
    """Permission bits of the files, such as 0o440."""
    optional: bool | None = None
    """Whether it may be missing."""


class Volume(Shape):
    """One source, and where it is mounted."""

    alternatives: ClassVar[Alternatives] = (
        ("pvc",),
        ("hostPath",),
        ("image",),
        ("ephemeral",),
        ("emptyDir",),
        ("configMap",),
        ("secret",),
    )
    needed: ClassVar[bool] = True

    pvc: Claim | Text | None = None
    """A PersistentVolumeClaim: the name of one that exists, or `create`."""
    host_path: HostPath | Text | None = None
    """A path of the node."""
    image: ImageVolume | Text | None = None
    """An OCI image, mounted read only."""
    ephemeral: Ephemeral | None = None
    """A volume for each pod, made and removed with it."""
    empty_dir: EmptyDir | None = None
    """An empty directory for each pod."""
    config_map: Files | Text | None = None
    """A ConfigMap as files."""
    secret: Files | Text | None = None
    """A Secret as files."""
    mount_path: Text | None = None
    """Where it is mounted."""
    read_only: bool = False
    """Whether the pods only read it."""
    sub_path: Text | None = None
    """Folder of the volume that is mounted."""
    sub_path_expr: Text | None = None
    """Folder of the volume that is mounted, with `$(VARIABLE)` references."""
    shared: bool = False
    """Whether runs write to the same folder of a claim that they share, rather than to one each."""
    roles: list[Text] = []
    """Roles that mount it; the training nodes where it is left out."""
