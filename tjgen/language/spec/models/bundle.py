"""What a Platform makes: classes of storage, queues, namespaces, priorities and runtimes of the cluster."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from tjgen.language.spec.models.prefetch import Cache
from tjgen.language.spec.models.shape import Alternatives, Label, Quantity, Scalar, Shape, Subtree, Text

Weight: TypeAlias = Annotated[int, Field(ge=1, le=65535)]
Priority: TypeAlias = Annotated[int, Field(ge=-(2**31), le=10**9)]


class NewStorageClass(Shape):
    """A StorageClass that the platform makes. What it says at first stays: only growth and mount options can change."""

    provisioner: Text
    """CSI driver that makes the volumes."""
    parameters: dict[str, Scalar] = {}
    """What the driver is told; true, 3 and the like become texts, which is all that a class can hold."""
    reclaim_policy: Literal["Delete", "Retain"] = "Delete"
    """What becomes of a volume whose claim is deleted."""
    mount_options: list[Text] = []
    """How volumes are mounted."""
    allow_volume_expansion: bool | None = None
    """Whether claims can grow."""
    volume_binding_mode: Literal["Immediate", "WaitForFirstConsumer"] = "Immediate"
    """Whether a volume is made with its claim, or for the first pod that mounts it."""
    allowed_topologies: list[Subtree] = []
    """Where volumes can be made (TopologySelectorTerm)."""
    default: bool = False
    """Whether claims that name no class get it."""


class StorageProfile(Shape):
    """What volumes of one use have in common, so that experiments say it in a word."""

    storage_class_name: Text | None = None
    """StorageClass of their claims."""
    read_pattern: Literal["sequential", "random", "mixed"] | None = None
    """How training reads them: which measurement of `tjgen diagnose` counts."""
    cache: Cache | None = None
    """Caches of the pods that mount them, where the experiment says none."""


class VolcanoQueue(Shape):
    """A Queue of Volcano. Its `capability` is that of the queue."""

    weight: Weight = 1
    """Its share of what is free, against other queues."""
    reclaimable: bool = True
    """Whether others may take back what it uses beyond its share."""
    deserved: dict[str, Quantity] = {}
    """What it gets before others that have more than they deserve."""
    guarantee: dict[str, Quantity] = {}
    """What is kept free for it."""
    parent: Text | None = None
    """Queue that it is a part of."""
    priority: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """Which queue is served first."""


class FlavorShare(Shape):
    """What a queue has of one flavor."""

    name: Text
    """The flavor, by its name in `flavors` of the Platform."""
    quota: dict[str, Quantity]
    """Resources that its runs may take of it."""


class KueueQueue(Shape):
    """A ClusterQueue of Kueue, and a LocalQueue of its name in each namespace that may use it."""

    namespaces: list[Label]
    """Namespaces whose runs may name it."""
    flavors: list[FlavorShare] = []
    """What it has of which flavor, the preferred one first; where it is empty, one of the queue's name, with its capability."""
    cohort: Text | None = None
    """Queues of one cohort lend each other what they do not use."""
    strategy: Literal["BestEffortFIFO", "StrictFIFO"] = "BestEffortFIFO"
    """Whether smaller runs may go before one that does not fit."""
    preemption: Subtree = {}
    """Which runs make room for others (ClusterQueuePreemption)."""


class NewQueue(Shape):
    """A queue that the platform makes."""

    alternatives: ClassVar[Alternatives] = (("volcano",), ("kueue",))
    needed: ClassVar[bool] = True

    volcano: VolcanoQueue | None = None
    """A Queue of Volcano."""
    kueue: KueueQueue | None = None
    """A ClusterQueue of Kueue with its LocalQueues."""


class Flavor(Shape):
    """A ResourceFlavor of Kueue: nodes of one kind."""

    node_labels: dict[str, str] = {}
    """Labels of the nodes."""
    node_taints: list[Subtree] = []
    """Taints of the nodes, which runs must tolerate."""
    tolerations: list[Subtree] = []
    """Tolerations that admitted runs get."""
    topology: Text | None = None
    """Topology of Kueue that the nodes lie in."""
    exists: bool = False
    """Whether it is there already, so that it is only named."""


class Bounds(Shape):
    """What one container, pod or claim may ask for."""

    default: dict[str, Quantity] = {}
    """Limits of a container that says none."""
    default_request: dict[str, Quantity] = {}
    """Requests of a container that says none."""
    min: dict[str, Quantity] = {}
    """Least that may be asked for."""
    max: dict[str, Quantity] = {}
    """Most that may be asked for."""


class Limits(Shape):
    """The LimitRange of a namespace."""

    container: Bounds | None = None
    """Of each container."""
    pod: Bounds | None = None
    """Of each pod."""
    claim: Bounds | None = None
    """Of each PersistentVolumeClaim."""


class Subject(Shape):
    """Who is given a role."""

    alternatives: ClassVar[Alternatives] = (("group",), ("user",), ("serviceAccount",))
    needed: ClassVar[bool] = True

    group: Text | None = None
    """Group of users, as the cluster's log-in names it."""
    user: Text | None = None
    """User, as the cluster's log-in names it."""
    service_account: Text | None = None
    """ServiceAccount, as NAME or NAMESPACE/NAME."""


class Namespace(Shape):
    """A namespace for runs, with its level of Pod Security, its quota, its limits and its roles."""

    exists: bool = False
    """Whether it is there already, so that only what is in it is made."""
    labels: dict[str, str] = {}
    """Labels of the namespace."""
    annotations: dict[str, str] = {}
    """Annotations of the namespace."""
    limits: Limits | None = None
    """What one container, pod or claim may ask for."""
    trainers: list[Subject] = []
    """Who may make, see and remove runs and their claims."""
    viewers: list[Subject] = []
    """Who may see them and read their logs."""


class NewPriority(Shape):
    """A PriorityClass. Its value stays what it was at first."""

    value: Priority
    """Pods with more go before those with less."""
    global_default: bool = False
    """Whether pods that name no class get it."""
    preemption_policy: Literal["PreemptLowerPriority", "Never"] = "PreemptLowerPriority"
    """Whether its pods drive out others."""
    description: Text | None = None
    """When to use it."""
