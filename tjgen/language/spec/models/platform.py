"""Platform: the description of a cluster."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from tjgen.language.spec.models.bundle import (
    ClaimDefaults,
    Flavor,
    KueueTopology,
    Namespace,
    NewPriority,
    NewQueue,
    StorageClass,
    StorageProfile,
)
from tjgen.language.spec.models.devices import DeviceClass
from tjgen.language.spec.models.images import Images
from tjgen.language.spec.models.metadata import Named
from tjgen.language.spec.models.monitor import Monitoring
from tjgen.language.spec.models.nodes import NodePool
from tjgen.language.spec.models.overlay import PartialExperiment
from tjgen.language.spec.models.patches import Patch
from tjgen.language.spec.models.shape import (
    ApiVersion,
    Quantity,
    Shape,
    Text,
    expects,
)

RUNTIME = "^[A-Z][A-Za-z]*Runtime$"
Cidr: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-f:.]+/[0-9]{1,3}$"), expects("write a range of addresses such as 10.0.0.0/8")
]


class Queue(Shape):
    """A queue of the cluster."""

    capability: dict[str, Quantity] = {}
    """Resources that its runs can use together."""
    create: NewQueue | None = None
    """The queue itself, if the Platform creates it."""


class ProgramNetwork(Shape):
    """NetworkPolicies of programs that run next to runs: no ingress, and only the egress that a program needs."""

    api_server: list[Cidr] = []
    """Addresses of the API server, for backups. The default is any address at ports 443 and 6443."""
    stores: list[Cidr] = []
    """Addresses of stores, registries and Git servers, for prefetch and builds. The default is any address."""


class Programs(Shape):
    """Programs that tjgen runs next to runs: prefetch, build, cleaner and backup."""

    network_policies: ProgramNetwork | None = None
    """NetworkPolicies for their pods. The default is none."""


class Prices(Shape):
    """Prices of the devices and of the storage of the cluster."""

    currency: Annotated[str, StringConstraints(pattern="^[A-Z]{3}$"), expects("write the three letters of ISO 4217, such as EUR")]
    """Currency of the prices, such as `EUR`."""
    devices: dict[str, Quantity] = {}
    """Device class -> price of one device for one hour. `a100/1g.10gb` is a partition, and `a100/shared` a shared device."""
    storage: dict[str, Quantity] = {}
    """StorageClass -> price of one GiB of a claim for one month."""


class Cluster(Shape):
    """The cluster itself."""

    name: Text | None = None
    """Name of the cluster."""
    kubernetes: Annotated[str, Field(pattern=r"^1\.[0-9]+$")] | None = None
    """Kubernetes release, such as "1.36"."""
    image_volumes: bool | None = None
    """Whether pods can mount images. The default is by the release."""
    jobset: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+(\.[0-9]+)?$")] | None = None
    """JobSet release, such as "0.11"."""
    kueue: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+(\.[0-9]+)?$")] | None = None
    """Kueue release, such as "0.17"."""
    network_topology_aware: bool = False
    """Whether Volcano's scheduler has the plugin network-topology-aware, which schedule.networkTopology needs."""


class Fluid(Shape):
    """Settings of Fluid, which caches data sets near the pods."""

    runtime: Annotated[str, StringConstraints(pattern=RUNTIME), expects("name a kind such as AlluxioRuntime")] = "AlluxioRuntime"
    """Kind of the cache engines."""
    high: Text = "0.95"
    """Share of the quota above which a cache evicts data."""
    low: Text = "0.7"
    """Share of the quota down to which it evicts data."""


class PlatformSpec(Shape):
    """The description of a cluster."""

    device_classes: dict[str, DeviceClass] = {}
    """Device classes by the name that experiments use."""
    storage_classes: dict[str, StorageClass] = {}
    """StorageClasses by name."""
    profiles: dict[str, StorageProfile] = {}
    """Profiles of storage by name, merged over those of tjgen."""
    new_claims: ClaimDefaults = ClaimDefaults()
    """Defaults of the claims that experiments create."""
    claims: dict[str, dict[str, Quantity]] = {}
    """Sizes of claims that exist, by namespace and name, for `tjgen build --summary` and quotas."""
    queues: dict[str, Queue] = {}
    """Queues by name."""
    flavors: dict[str, Flavor] = {}
    """Kueue ResourceFlavors by name."""
    topologies: dict[str, KueueTopology] = {}
    """Kueue Topologies by name."""
    priority_classes: dict[str, NewPriority] = {}
    """PriorityClasses by name."""
    namespaces: dict[str, Namespace] = {}
    """Namespaces that the Platform creates or configures. Their `podSecurity` and `quotas` become objects."""
    runtimes: list[Text] = []
    """Runtimes of the catalog that every namespace of the cluster gets, as ClusterTrainingRuntimes."""
    images: Images = Images()
    """Sources of images."""
    programs: Programs = Programs()
    """Programs that tjgen runs next to runs."""
    cluster: Cluster = Cluster()
    """The cluster itself."""
    prices: Prices | None = None
    """Prices of devices and storage, for the cost of runs in `tjgen build --summary` and in reports."""
    fluid: Fluid | None = None
    """Fluid, if the cluster has it."""
    monitoring: Monitoring = Monitoring()
    """Settings of the cluster's Prometheus and Grafana."""
    pod_security: dict[str, Literal["privileged", "baseline", "restricted"]] = {}
    """Namespace -> Pod Security level that it enforces. `*` is every other namespace."""
    quotas: dict[str, dict[str, Quantity]] = {}
    """Namespace -> total resources that its objects can use."""
    node_pools: dict[str, NodePool] = {}
    """Nodes of the cluster by pool, for `tjgen fit`."""
    nodes: list[Text] = []
    """Files with Nodes and HyperNodes of the cluster, as `tjgen nodes import` writes them, relative to the Platform."""
    policies: list[Text] = []
    """Files and folders of ValidatingAdmissionPolicies, with their bindings and parameters, relative to the Platform."""
    manifests: list[Text] = []
    """Files and folders of objects that no field covers, such as ConfigMaps and claims, relative to the Platform."""
    patches: dict[str, Patch] = {}
    """Changes to the objects of the Platform, by a name of your choice. They apply last."""
    defaults: PartialExperiment = PartialExperiment()
    """Defaults of all experiments."""


class Platform(Shape):
    """The description of a cluster."""

    api_version: ApiVersion
    """Version of the language."""
    kind: Literal["Platform"]
    """Kind of the document."""
    metadata: Named
    """Identifies the platform."""
    spec: PlatformSpec
    """The description of the cluster."""
