"""Platform: what an administrator knows about a cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tjgen.spec.models.env import EnvVar
from tjgen.spec.models.metadata import Named
from tjgen.spec.models.overlay import PartialExperiment
from tjgen.spec.models.shape import AccessMode, ApiVersion, Count, Quantity, Scalar, Shape, Subtree, Text


class Partition(Shape):
    """One kind of part that a device is divided into."""

    resource: Text
    """Extended resource of the part, such as `nvidia.com/mig-1g.10gb`."""
    memory: Quantity | None = None
    """Memory of the part."""
    node_selector: dict[str, str] = {}
    """Labels of the nodes that have such parts, over those of the class."""


class Sharing(Shape):
    """How several pods share the devices of a class."""

    resource: Text | None = None
    """Extended resource that counts the devices, in place of the class's."""
    memory: Text | None = None
    """Extended resource that takes the MiB of each device."""
    cores: Text | None = None
    """Extended resource that takes the percent of each device."""
    annotations: dict[str, str] = {}
    """Annotations of pods that share."""


class DeviceClass(Shape):
    """What one device of the class is to Kubernetes."""

    resource: Text
    """Extended resource, such as `nvidia.com/gpu`."""
    node_selector: dict[str, str] = {}
    """Labels of the nodes that have it."""
    tolerations: list[Subtree] = []
    """Tolerations that its nodes ask for."""
    memory: Quantity | None = None
    """Memory of one device."""
    processes: Count = 1
    """Processes to start for each device."""
    cpu_per_device: Quantity | None = None
    """CPU to ask for with each device, where the experiment does not say."""
    memory_per_device: Quantity | None = None
    """Main memory to ask for with each device, where the experiment does not say."""
    env: dict[str, EnvVar | Scalar] = {}
    """Environment variables of pods that use it."""
    partitions: dict[str, Partition] = {}
    """Parts that its devices are divided into, by the profile that experiments say as `mig`."""
    sharing: Sharing | None = None
    """How pods share its devices, for experiments that say `share`."""


class StorageClass(Shape):
    """What a StorageClass of the cluster can do."""

    access_modes: list[AccessMode] = []
    """Access modes that it offers."""
    bandwidth: Quantity | None = None
    """Bytes that a volume delivers in a second."""


class Queue(Shape):
    """A queue of the cluster."""

    capability: dict[str, Quantity] = {}
    """Resources that its runs may take together."""


class Images(Shape):
    """Where images come from."""

    rewrite: dict[str, str] = {}
    """Prefix of an image reference -> prefix to use instead."""
    helpers: dict[str, Text] = {}
    """Images of helper containers, by purpose."""


class Cluster(Shape):
    """The cluster itself."""

    name: Text | None = None
    """Name of the cluster."""
    kubernetes: Annotated[str, Field(pattern=r"^1\.[0-9]+$")] | None = None
    """Kubernetes release, such as "1.36"."""
    image_volumes: bool | None = None
    """Whether pods can mount images; by the release where it is left out."""


class PlatformSpec(Shape):
    """What an administrator knows about a cluster."""

    device_classes: dict[str, DeviceClass] = {}
    """Device classes by the name that experiments use."""
    storage_classes: dict[str, StorageClass] = {}
    """StorageClasses by name."""
    queues: dict[str, Queue] = {}
    """Queues by name."""
    images: Images = Images()
    """Where images come from."""
    cluster: Cluster = Cluster()
    """The cluster itself."""
    quotas: dict[str, dict[str, Quantity]] = {}
    """Namespace -> resources that everything in it may take together."""
    defaults: PartialExperiment = PartialExperiment()
    """What holds for every experiment that does not say otherwise."""


class Platform(Shape):
    """A cluster as its administrator describes it."""

    api_version: ApiVersion
    """Version of the language."""
    kind: Literal["Platform"]
    """Kind of the document."""
    metadata: Named
    """Who the platform is."""
    spec: PlatformSpec
    """What is known about the cluster."""
