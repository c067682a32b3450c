"""`deviceClasses` of a Platform: classes of devices, in terms of Kubernetes."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import StringConstraints

from tjgen.language.spec.models.env import EnvVar
from tjgen.language.spec.models.shape import Alternatives, Count, Quantity, Scalar, Shape, Subtree, Text, expects

CAPACITY = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z_][A-Za-z0-9_]*$"


class ClaimedDevices(Shape):
    """How to claim devices without a device plugin (dynamic resource allocation)."""

    device_class_name: Text
    """DeviceClass of the cluster, such as `gpu.nvidia.com`."""
    selectors: list[Text] = []
    """CEL expressions that each device must satisfy."""
    memory_capacity: (
        Annotated[str, StringConstraints(pattern=CAPACITY), expects("write it like gpu.nvidia.com/memory")] | None
    ) = None
    """Capacity that holds the memory of a device, such as `gpu.nvidia.com/memory`, for `minMemory`."""
    config: list[Subtree] = []
    """Configuration of the driver (resource.k8s.io/v1 DeviceClaimConfiguration)."""


class Partition(Shape):
    """One kind of partition of a device."""

    alternatives: ClassVar[Alternatives] = (("resource",), ("dra",))
    needed: ClassVar[bool] = True

    resource: Text | None = None
    """Extended resource of the part, such as `nvidia.com/mig-1g.10gb`."""
    dra: ClaimedDevices | None = None
    """How to claim the part, instead of `resource`."""
    memory: Quantity | None = None
    """Memory of the part."""
    node_selector: dict[str, str] = {}
    """Labels of the nodes that have such parts, over those of the class."""


class Sharing(Shape):
    """How several pods share the devices of a class."""

    resource: Text | None = None
    """Extended resource that counts the devices, instead of that of the class."""
    memory: Text | None = None
    """Extended resource for the MiB of each device."""
    cores: Text | None = None
    """Extended resource for the percentage of each device."""
    annotations: dict[str, str] = {}
    """Annotations of pods that share."""
    node_selector: dict[str, str] = {}
    """Labels of the nodes whose devices are shared, over those of the class."""
    scheduler_name: Text | None = None
    """Scheduler that supports these resources."""
    most: Count | None = None
    """Maximum number of shared devices of a pod. It is 1 for time slicing."""


class DeviceNetwork(Shape):
    """Network devices that go with the devices of a class, for experiments with `rdma`."""

    resource: Text
    """Extended resource of a network device, such as `rdma/hca` or `vpc.amazonaws.com/efa`."""
    per_pod: Count = 1
    """Network devices for each pod."""
    per_device: Count | None = None
    """Network devices for each device of the class, instead of `perPod`."""
    resources: dict[str, Quantity] = {}
    """Other resources for each pod, such as `hugepages-2Mi`."""
    env: dict[str, EnvVar | Scalar] = {}
    """Environment variables, such as those for NCCL."""
    annotations: dict[str, str] = {}
    """Annotations of the pods, such as the networks to join."""
    capabilities: list[Text] = []
    """Capabilities of the main container, such as `IPC_LOCK`."""
    host_network: bool = False
    """Whether the pods use the network of the node."""


class DeviceClass(Shape):
    """A class of devices, in terms of Kubernetes."""

    alternatives: ClassVar[Alternatives] = (("resource",), ("dra",))
    needed: ClassVar[bool] = True

    resource: Text | None = None
    """Extended resource, such as `nvidia.com/gpu`."""
    dra: ClaimedDevices | None = None
    """How to claim the devices, instead of `resource`."""
    node_selector: dict[str, str] = {}
    """Labels of the nodes with such devices."""
    tolerations: list[Subtree] = []
    """Tolerations for the taints of these nodes."""
    memory: Quantity | None = None
    """Memory of one device."""
    processes: Count = 1
    """Processes to start for each device."""
    cpu_per_device: Quantity | None = None
    """Default CPU request for each device."""
    memory_per_device: Quantity | None = None
    """Default memory request for each device."""
    exclusive_cpus: bool = False
    """Whether the nodes use the static CPU manager, which pins pods with whole CPUs near their devices."""
    most: Count | None = None
    """Devices of one node, which is the maximum for a pod."""
    counts: list[Count] = []
    """Numbers of devices that a pod can have. The default is any number."""
    topology_label: Text | None = None
    """Node label with the topology of devices of several nodes, such as `cloud.google.com/gke-tpu-topology`."""
    resources: dict[str, Quantity] = {}
    """Other resources that go with each device."""
    annotations: dict[str, str] = {}
    """Annotations of pods that use it."""
    runtime_class_name: Text | None = None
    """RuntimeClass of pods that use it."""
    env: dict[str, EnvVar | Scalar] = {}
    """Environment variables of pods that use it."""
    network: DeviceNetwork | None = None
    """Network devices of the nodes, for experiments with `rdma`."""
    partitions: dict[str, Partition] = {}
    """Partitions of the devices, by the profile that experiments name in `mig`."""
    sharing: Sharing | None = None
    """How pods share the devices, for experiments with `share`."""
