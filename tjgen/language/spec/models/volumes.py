"""`volumes`: storage by name, and where to mount it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from tjgen.language.spec.models.backup import Backup
from tjgen.language.spec.models.datasets import Dataset
from tjgen.language.spec.models.identity import Counts, Excluded, Present
from tjgen.language.spec.models.shape import AccessMode, Alternatives, ObjectName, Quantity, Shape, Text, expects

MEDIUM = "^(Memory|HugePages(-.+)?)?$"
DIGEST = "^sha256:[0-9a-f]{64}$"


class Populator(Shape):
    """An object from which a volume populator of the cluster fills new claims."""

    api_group: Counts[Text]
    """API group of the object."""
    kind: Counts[Text]
    """Kind of the object."""
    name: Counts[Text]
    """Name of the object."""


class ClaimContent(Shape):
    """Initial content of a new claim. Its source must be in the same namespace."""

    alternatives: ClassVar[Alternatives] = (("snapshot",), ("claim",), ("populator",))
    needed: ClassVar[bool] = True

    snapshot: Counts[Text | None] = None
    """VolumeSnapshot to restore."""
    claim: Counts[Text | None] = None
    """PersistentVolumeClaim to clone."""
    populator: Counts[Populator | None] = None
    """Object from which a volume populator fills the claim."""


class NewClaim(Shape):
    """A PersistentVolumeClaim that tjgen creates."""

    size: Excluded[Quantity | None] = None
    """Requested storage. You can increase it later, but not decrease it. The profile or the Platform can set a default."""
    storage_class_name: Excluded[str | None] = None
    """StorageClass. The default is that of the profile, of the Platform, or of the cluster."""
    profile: Counts[Text | None] = None
    """Use of the claim: `vision`, `text`, `recsys`, `checkpoint`, or another profile of the Platform."""
    access_modes: Excluded[list[AccessMode]] = []
    """Access modes. The default follows from the number of pods and the storage class."""
    volume_mode: Excluded[Literal["Filesystem", "Block"] | None] = None
    """Whether the volume is a file system or a raw device."""
    scope: Counts[Literal["family", "run", "project"]] = "family"
    """Who shares the claim: all runs of the experiment, one run, or all experiments of the project."""
    name: Counts[Text | None] = None
    """Name of the claim. The default follows from the scope; a claim of one run has no other name."""
    content: Counts[ClaimContent | None] = Field(None, validation_alias="from", serialization_alias="from")
    """Initial content: a snapshot, a clone, or data from a populator."""
    keep: Excluded[bool] = False
    """Whether the claim stays in the cluster when it is removed from Git (Argo CD and Flux)."""
    labels: Excluded[dict[str, str]] = {}
    """Labels of the claim."""
    annotations: Excluded[dict[str, str]] = {}
    """Annotations of the claim."""


class Claim(Shape):
    """A PersistentVolumeClaim: one that exists, or one to create."""

    short: ClassVar[tuple[str, ...]] = ("claimName",)
    alternatives: ClassVar[Alternatives] = (("claimName",), ("create",))
    needed: ClassVar[bool] = True

    claim_name: Counts[ObjectName | None] = None
    """Name of a claim that exists."""
    create: Counts[NewClaim | None] = None
    """Claim to create."""
    backup: Excluded[Backup | None] = None
    """Snapshots of the claim."""


class HostPath(Shape):
    """A directory or file of the node."""

    short: ClassVar[tuple[str, ...]] = ("path",)

    path: Counts[Text]
    """Path on the node."""
    type: Counts[
        Literal["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"] | None
    ] = None
    """What the path must be before the kubelet mounts it."""
    node_selector: Counts[dict[str, str]] = {}
    """Labels of the nodes that have the data."""


class ImageVolume(Shape):
    """The content of an OCI image, read only."""

    short: ClassVar[tuple[str, ...]] = ("reference",)

    reference: Counts[Text]
    """Image reference."""
    digest: Counts[
        Annotated[str, StringConstraints(pattern=DIGEST), expects("write sha256: and 64 hexadecimal digits")] | None
    ] = None
    """Digest of the image, so that every pod reads the same data even if the tag moves."""
    pull_policy: Counts[Literal["Always", "Never", "IfNotPresent"] | None] = None
    """When the image is pulled."""


class Ephemeral(Shape):
    """A volume that is created and deleted with each pod."""

    size: Counts[Quantity]
    """Requested storage."""
    storage_class_name: Counts[str | None] = None
    """StorageClass. The default is the cluster's default."""
    access_modes: Counts[list[AccessMode]] = []
    """Access modes."""


class EmptyDir(Shape):
    """An empty directory that lives as long as the pod."""

    medium: Counts[Annotated[str, StringConstraints(pattern=MEDIUM), expects("write Memory")] | None] = None
    """`Memory`, or `HugePages` with an optional size such as `HugePages-2Mi`. The default is the disk of the node."""
    size_limit: Counts[Quantity | None] = None
    """Limit of its size."""


class Files(Shape):
    """The keys of a ConfigMap or Secret, as files."""

    short: ClassVar[tuple[str, ...]] = ("name",)

    name: Counts[ObjectName]
    """Name of the ConfigMap or Secret."""
    items: Counts[dict[str, Text]] = {}
    """Keys to use, each with its path under the mount. The default is all keys."""
    default_mode: Counts[Annotated[int, Field(ge=0, le=0o777)] | None] = None
    """Permission bits of the files, such as 0o440."""
    optional: Counts[bool | None] = None
    """Whether the ConfigMap or Secret can be absent."""


class Nfs(Shape):
    """A folder that an NFS server exports."""

    server: Counts[Text]
    """Host name or address of the server."""
    path: Counts[Text]
    """Path that it exports."""


class Csi(Shape):
    """A volume that a CSI driver creates for each pod."""

    driver: Counts[Text]
    """Name of the driver."""
    fs_type: Counts[Text | None] = None
    """File system, if the driver needs it."""
    attributes: Counts[dict[str, str]] = {}
    """Parameters of the driver (volumeAttributes)."""
    secret: Counts[Text | None] = None
    """Secret for the driver (nodePublishSecretRef)."""


class Mount(Shape):
    """One more place where a volume is mounted."""

    short: ClassVar[tuple[str, ...]] = ("subPath",)

    read_only: Counts[bool] = False
    """Whether it is only read there."""
    sub_path: Counts[Text | None] = None
    """Folder of the volume that is mounted."""
    sub_path_expr: Counts[Text | None] = None
    """Folder of the volume that is mounted, with `$(VARIABLE)` references."""
    roles: Counts[list[Text]] = []
    """Roles that mount it there. The default is those of the volume."""


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
        ("nfs",),
        ("csi",),
        ("dataset",),
    )
    needed: ClassVar[bool] = True

    pvc: Counts[Claim | ObjectName | None] = None
    """A PersistentVolumeClaim: the name of one that exists, or `create`."""
    host_path: Counts[HostPath | Text | None] = None
    """A path of the node."""
    image: Counts[ImageVolume | Text | None] = None
    """An OCI image, mounted read only."""
    ephemeral: Counts[Ephemeral | None] = None
    """A volume for each pod, created and removed with it."""
    empty_dir: Counts[EmptyDir | None] = None
    """An empty directory for each pod."""
    config_map: Counts[Files | ObjectName | None] = None
    """A ConfigMap as files."""
    secret: Counts[Files | ObjectName | None] = None
    """A Secret as files."""
    nfs: Counts[Nfs | None] = None
    """A folder of an NFS server."""
    csi: Counts[Csi | None] = None
    """A volume of a CSI driver, created for each pod."""
    dataset: Counts[Dataset | Text | None] = None
    """A data set of Fluid, mounted read only."""
    mount_path: Counts[Text | None] = None
    """Mount path."""
    mounts: Counts[dict[str, Present[Mount | Text]]] = {}
    """More places where it is mounted: each path with the folder of the volume that it shows."""
    read_only: Counts[bool] = False
    """Whether the pods only read it."""
    sub_path: Counts[Text | None] = None
    """Folder of the volume that is mounted."""
    sub_path_expr: Counts[Text | None] = None
    """Folder of the volume that is mounted, with `$(VARIABLE)` references."""
    shared: Counts[bool] = False
    """Whether runs write to the same folder of a claim that they share, rather than to one each."""
    roles: Counts[list[Text]] = []
    """Roles that mount it. The default is the training nodes."""
