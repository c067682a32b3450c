"""Objects that a Platform creates: storage classes, queues, namespaces, priorities and runtimes."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from tjgen.language.spec.models.monitor import Bound
from tjgen.language.spec.models.prefetch import Cache
from tjgen.language.spec.models.shape import AccessMode, Alternatives, Label, Quantity, Scalar, Shape, Subtree, Text

Weight: TypeAlias = Annotated[int, Field(ge=1, le=65535)]
Priority: TypeAlias = Annotated[int, Field(ge=-(2**31), le=10**9)]


class NewStorageClass(Shape):
    """A StorageClass that the Platform creates. Only expansion and mount options can change later."""

    provisioner: Text
    """CSI driver of the volumes."""
    parameters: dict[str, Scalar] = {}
    """Parameters of the driver. Numbers and booleans become strings."""
    reclaim_policy: Literal["Delete", "Retain"] = "Delete"
    """What happens to a volume when its claim is deleted."""
    mount_options: list[Text] = []
    """Mount options of the volumes."""
    allow_volume_expansion: bool | None = None
    """Whether claims can grow."""
    volume_binding_mode: Literal["Immediate", "WaitForFirstConsumer"] = "Immediate"
    """Whether a volume is created with its claim, or for the first pod that mounts it."""
    allowed_topologies: list[Subtree] = []
    """Topologies in which volumes can be created (TopologySelectorTerm)."""
    default: bool = False
    """Whether it is the default class of claims."""


class StorageClass(Shape):
    """Capabilities of a StorageClass of the cluster."""

    alternatives: ClassVar[Alternatives] = (("allowVolumeExpansion",), ("create",))

    access_modes: list[AccessMode] = []
    """Access modes that it supports."""
    bandwidth: Quantity | None = None
    """Throughput of a volume, in bytes per second."""
    allow_volume_expansion: bool | None = None
    """Whether claims of the class can grow, if the cluster has the class already."""
    create: NewStorageClass | None = None
    """The class itself, if the Platform creates it."""


class ClaimDefaults(Shape):
    """Defaults of the claims that experiments create. Profiles take precedence."""

    size: Quantity | None = None
    """Size of a claim."""
    storage_class_name: Text | None = None
    """StorageClass of a claim."""
    labels: dict[str, str] = {}
    """Labels of a claim. `{experiment}` and `{volume}` in a value are the names of both."""


class StorageProfile(Shape):
    """Settings of volumes for one use, which experiments name as a profile."""

    size: Quantity | None = None
    """Default size of the claims."""
    storage_class_name: Text | None = None
    """StorageClass of the claims."""
    labels: dict[str, str] = {}
    """Labels of the claims, as in `newClaims`."""
    read_pattern: Literal["sequential", "random", "mixed"] | None = None
    """Access pattern: an annotation of the claims, and the measurements that count for `throughput` and `latency`."""
    throughput: Quantity | None = None
    """Bytes per second that a volume must deliver. It sets the alert thresholds of `readThroughput`."""
    latency: Bound | None = None
    """Longest mean duration of a read in milliseconds. It sets the alert thresholds of `readLatency`."""
    cache: Cache | None = None
    """Default caches of the pods that mount such volumes."""


class ExtendCluster(Shape):
    """A cluster of a queue that spans several clusters."""

    weight: Weight | None = None
    """Weight of the queue in the cluster."""
    capacity: dict[str, Quantity] = {}
    """Resources of the queue in the cluster."""


class VolcanoQueue(Shape):
    """A Volcano Queue. Its `capability` is that of the queue."""

    weight: Weight = 1
    """Weight of the queue against other queues."""
    reclaimable: bool = True
    """Whether other queues can reclaim what it uses beyond its share."""
    deserved: dict[str, Quantity] = {}
    """Resources that the queue deserves."""
    guarantee: dict[str, Quantity] = {}
    """Resources that are reserved for the queue."""
    parent: Text | None = None
    """Parent queue."""
    priority: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """Priority of the queue."""
    extend_clusters: dict[str, ExtendCluster] = {}
    """Clusters of the queue, by name."""


class FlavorShare(Shape):
    """Quota of a queue for one flavor."""

    name: Text
    """The flavor, by its name in `flavors` of the Platform."""
    quota: dict[str, Quantity]
    """Resources that runs of the queue can use of this flavor."""


class KueueQueue(Shape):
    """A Kueue ClusterQueue, and a LocalQueue of the same name in each namespace that can use it."""

    namespaces: list[Label]
    """Namespaces whose runs can use the queue."""
    flavors: list[FlavorShare] = []
    """Quota by flavor, in order of preference. The default is one flavor with the name and capability of the queue."""
    cohort: Text | None = None
    """Cohort, whose queues share unused quota."""
    strategy: Literal["BestEffortFIFO", "StrictFIFO"] = "BestEffortFIFO"
    """Whether smaller runs can start before one that does not fit."""
    preemption: Subtree = {}
    """Preemption rules (ClusterQueuePreemption)."""


class NewQueue(Shape):
    """A queue that the Platform creates."""

    alternatives: ClassVar[Alternatives] = (("volcano",), ("kueue",))
    needed: ClassVar[bool] = True

    volcano: VolcanoQueue | None = None
    """A Queue of Volcano."""
    kueue: KueueQueue | None = None
    """A ClusterQueue of Kueue with its LocalQueues."""


class Flavor(Shape):
    """A Kueue ResourceFlavor: nodes of one kind."""

    node_labels: dict[str, str] = {}
    """Labels of the nodes."""
    node_taints: list[Subtree] = []
    """Taints of the nodes, which runs must tolerate."""
    tolerations: list[Subtree] = []
    """Tolerations that admitted runs get."""
    topology: Text | None = None
    """Kueue Topology of the nodes, by its name in `topologies` of the Platform. Kueue then places each pod."""
    exists: bool = False
    """Whether it exists already, so that tjgen only refers to it."""


class KueueTopology(Shape):
    """A Kueue Topology: how close to each other nodes are."""

    levels: Annotated[list[Text], Field(min_length=1, max_length=16)]
    """Node labels from the widest to the narrowest level, such as a block, a rack, and `kubernetes.io/hostname`."""
    exists: bool = False
    """Whether it exists already, so that tjgen only refers to it."""


class Bounds(Shape):
    """Limits of one container, pod or claim."""

    default: dict[str, Quantity] = {}
    """Default limits of a container."""
    default_request: dict[str, Quantity] = {}
    """Default requests of a container."""
    min: dict[str, Quantity] = {}
    """Minimum requests."""
    max: dict[str, Quantity] = {}
    """Maximum limits."""


class Limits(Shape):
    """The LimitRange of a namespace."""

    container: Bounds | None = None
    """Of each container."""
    pod: Bounds | None = None
    """Of each pod."""
    claim: Bounds | None = None
    """Of each PersistentVolumeClaim."""


class Subject(Shape):
    """Subject of a role."""

    alternatives: ClassVar[Alternatives] = (("group",), ("user",), ("serviceAccount",))
    needed: ClassVar[bool] = True

    group: Text | None = None
    """Group of users, by its name in the cluster's authentication."""
    user: Text | None = None
    """User, by its name in the cluster's authentication."""
    service_account: Text | None = None
    """ServiceAccount, as NAME or NAMESPACE/NAME."""


class Namespace(Shape):
    """A namespace for runs, with its Pod Security level, quota, limits and roles."""

    exists: bool = False
    """Whether the namespace exists already, so that tjgen creates only its contents."""
    labels: dict[str, str] = {}
    """Labels of the namespace."""
    annotations: dict[str, str] = {}
    """Annotations of the namespace."""
    limits: Limits | None = None
    """Limits of one container, pod or claim."""
    trainers: list[Subject] = []
    """Who can create, view and delete runs and their claims."""
    viewers: list[Subject] = []
    """Who can view runs and read their logs."""


class NewPriority(Shape):
    """A PriorityClass. Its value cannot change later."""

    value: Priority
    """Value of the priority. Pods with higher values go first."""
    global_default: bool = False
    """Whether it is the default class of pods."""
    preemption_policy: Literal["PreemptLowerPriority", "Never"] = "PreemptLowerPriority"
    """Whether its pods preempt other pods."""
    description: Text | None = None
    """When to use it."""
    exists: bool = False
    """Whether it exists already, so that tjgen only refers to it."""
