"""Platform: what an administrator knows about a cluster."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from tjgen.language.spec.models.bundle import Flavor, Namespace, NewPriority, NewQueue, NewStorageClass, StorageProfile
from tjgen.language.spec.models.env import EnvVar
from tjgen.language.spec.models.metadata import Named
from tjgen.language.spec.models.monitor import Monitoring
from tjgen.language.spec.models.overlay import PartialExperiment
from tjgen.language.spec.models.shape import (
    AccessMode,
    Alternatives,
    ApiVersion,
    Count,
    Quantity,
    Scalar,
    Shape,
    Subtree,
    Text,
    expects,
)

CAPACITY = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z_][A-Za-z0-9_]*$"
RUNTIME = "^[A-Z][A-Za-z]*Runtime$"
Cidr: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-f:.]+/[0-9]{1,3}$"), expects("write a range of addresses such as 10.0.0.0/8")
]


class ClaimedDevices(Shape):
    """How devices are claimed where no device plugin counts them (dynamic resource allocation)."""

    device_class_name: Text
    """DeviceClass of the cluster, such as `gpu.nvidia.com`."""
    selectors: list[Text] = []
    """CEL expressions that each device must satisfy."""
    memory_capacity: (
        Annotated[str, StringConstraints(pattern=CAPACITY), expects("write it like gpu.nvidia.com/memory")] | None
    ) = None
    """Capacity that says the memory of a device, such as `gpu.nvidia.com/memory`, for experiments that say `minMemory`."""
    config: list[Subtree] = []
    """What the driver is told of the devices (resource.k8s.io/v1 DeviceClaimConfiguration)."""


class Partition(Shape):
    """One kind of part that a device is divided into."""

    alternatives: ClassVar[Alternatives] = (("resource",), ("dra",))
    needed: ClassVar[bool] = True

    resource: Text | None = None
    """Extended resource of the part, such as `nvidia.com/mig-1g.10gb`."""
    dra: ClaimedDevices | None = None
    """How the part is claimed, in place of `resource`."""
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
    node_selector: dict[str, str] = {}
    """Labels of the nodes whose devices are shared, over those of the class."""
    scheduler_name: Text | None = None
    """Scheduler that knows these resources, where no other does."""
    most: Count | None = None
    """Most devices that a pod can share at a time; 1 where they are replicas of time slices."""


class DeviceNetwork(Shape):
    """Network devices beside the devices of a class, for experiments that say `rdma`."""

    resource: Text
    """Extended resource of a network device, such as `rdma/hca` or `vpc.amazonaws.com/efa`."""
    per_pod: Count = 1
    """Network devices for each pod."""
    per_device: Count | None = None
    """Network devices for each device of the class, in place of `perPod`."""
    resources: dict[str, Quantity] = {}
    """Other resources for each pod, such as `hugepages-2Mi`."""
    env: dict[str, EnvVar | Scalar] = {}
    """Environment variables, such as those by which NCCL finds the network."""
    annotations: dict[str, str] = {}
    """Annotations of the pods, such as the networks that they join."""
    capabilities: list[Text] = []
    """Capabilities of the main container, such as `IPC_LOCK`."""
    host_network: bool = False
    """Whether the pods use the network of the node."""


class DeviceClass(Shape):
    """What one device of the class is to Kubernetes."""

    alternatives: ClassVar[Alternatives] = (("resource",), ("dra",))
    needed: ClassVar[bool] = True

    resource: Text | None = None
    """Extended resource, such as `nvidia.com/gpu`."""
    dra: ClaimedDevices | None = None
    """How its devices are claimed, in place of `resource`."""
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
    exclusive_cpus: bool = False
    """Whether its nodes pin pods that ask for whole CPUs, near their devices (static CPU manager)."""
    most: Count | None = None
    """Devices of one node: no pod can have more."""
    counts: list[Count] = []
    """Numbers of devices that a pod can have; any where it is left out."""
    topology_label: Text | None = None
    """Node label that says how devices of several nodes are wired, such as `cloud.google.com/gke-tpu-topology`."""
    resources: dict[str, Quantity] = {}
    """Other resources that go with each device."""
    annotations: dict[str, str] = {}
    """Annotations of pods that use it."""
    runtime_class_name: Text | None = None
    """RuntimeClass of pods that use it."""
    env: dict[str, EnvVar | Scalar] = {}
    """Environment variables of pods that use it."""
    network: DeviceNetwork | None = None
    """Network devices of its nodes, for experiments that say `rdma`."""
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
    create: NewStorageClass | None = None
    """The class itself, where the platform makes it."""


class Queue(Shape):
    """A queue of the cluster."""

    capability: dict[str, Quantity] = {}
    """Resources that its runs may take together."""
    create: NewQueue | None = None
    """The queue itself, where the platform makes it."""


class Helpers(Shape):
    """Images of helper containers, where they are not those that tjgen knows."""

    buildkit: Text | None = None
    """What builds images without root: BuildKit's, rootless."""
    copy_: Text | None = Field(None, alias="copy")
    """What copies from stores: rclone and a shell."""
    dataset: Text | None = None
    """Trainer's initializer of data sets."""
    diagnose: Text | None = None
    """What measures volumes: fio, awk and a shell."""
    git: Text | None = None
    """What fetches code: Git, an SSH client and a shell."""
    kaniko: Text | None = None
    """What builds images as root: Kaniko's executor."""
    kubectl: Text | None = None
    """What makes snapshots: kubectl, awk and a shell."""
    model: Text | None = None
    """Trainer's initializer of models."""
    python: Text | None = None
    """What removes checkpoints and copies volumes: Python 3.9 or later."""
    shell: Text | None = None
    """What copies, waits and removes: a shell with awk, find, sort and stat, such as busybox."""


class Images(Shape):
    """Where images come from."""

    rewrite: dict[str, str] = {}
    """Prefix of an image reference -> prefix to use instead."""
    helpers: Helpers = Helpers()
    """Images of helper containers, by purpose."""


class ProgramNetwork(Shape):
    """NetworkPolicies of programs that run next to runs: no ingress, and only the egress that a program needs."""

    api_server: list[Cidr] = []
    """Addresses of the API server, for backups; any address at ports 443 and 6443 where it is left out."""
    stores: list[Cidr] = []
    """Addresses of stores, registries and Git servers, for prefetch and builds; any address where it is left out."""


class Programs(Shape):
    """Programs that tjgen runs next to runs: prefetch, build, cleaner and backup."""

    network_policies: ProgramNetwork | None = None
    """NetworkPolicies for their pods; none where it is left out."""


class Cluster(Shape):
    """The cluster itself."""

    name: Text | None = None
    """Name of the cluster."""
    kubernetes: Annotated[str, Field(pattern=r"^1\.[0-9]+$")] | None = None
    """Kubernetes release, such as "1.36"."""
    image_volumes: bool | None = None
    """Whether pods can mount images; by the release where it is left out."""
    jobset: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+(\.[0-9]+)?$")] | None = None
    """JobSet release, such as "0.11"."""
    kueue: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+(\.[0-9]+)?$")] | None = None
    """Kueue release, such as "0.17"."""


class Fluid(Shape):
    """Fluid, which caches data sets near the pods."""

    runtime: Annotated[str, StringConstraints(pattern=RUNTIME), expects("name a kind such as AlluxioRuntime")] = "AlluxioRuntime"
    """Kind of the cache engines that are made."""
    high: Text = "0.95"
    """Share of the quota from which a cache makes room."""
    low: Text = "0.7"
    """Share of the quota down to which it makes room."""


class PlatformSpec(Shape):
    """What an administrator knows about a cluster."""

    device_classes: dict[str, DeviceClass] = {}
    """Device classes by the name that experiments use."""
    storage_classes: dict[str, StorageClass] = {}
    """StorageClasses by name."""
    profiles: dict[str, StorageProfile] = {}
    """Uses of storage by the word that experiments say as `profile` of a new claim, over those that tjgen knows."""
    queues: dict[str, Queue] = {}
    """Queues by name."""
    flavors: dict[str, Flavor] = {}
    """Kinds of nodes that queues of Kueue share out, by name."""
    priority_classes: dict[str, NewPriority] = {}
    """PriorityClasses that the platform makes, by name."""
    namespaces: dict[str, Namespace] = {}
    """Namespaces that the platform makes or fills: what `podSecurity` and `quotas` say of them becomes objects."""
    runtimes: list[Text] = []
    """Runtimes of the catalog that every namespace of the cluster gets, as ClusterTrainingRuntimes."""
    images: Images = Images()
    """Where images come from."""
    programs: Programs = Programs()
    """Programs that tjgen runs next to runs."""
    cluster: Cluster = Cluster()
    """The cluster itself."""
    fluid: Fluid | None = None
    """Fluid, where the cluster has it."""
    monitoring: Monitoring = Monitoring()
    """What the cluster's Prometheus and Grafana look for."""
    pod_security: dict[str, Literal["privileged", "baseline", "restricted"]] = {}
    """Namespace -> level of Pod Security that it enforces; `*` is every other namespace."""
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
