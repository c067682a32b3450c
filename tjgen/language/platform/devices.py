"""Name of a device class -> what one device of it is to Kubernetes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.language.platform.builtin import CLASSES
from tjgen.trees.k8s import quantity
from tjgen.trees.typing import Any, NamedTuple, Protocol

Amount = str | int | float
"""A quantity as it is written."""


class Claimed(NamedTuple):
    """How devices are claimed (dynamic resource allocation)."""

    device_class_name: str
    selectors: Sequence[str] = ()
    """CEL expressions about a device."""
    memory_capacity: str | None = None
    """`domain/name` of the capacity that is a device's memory."""
    config: Sequence[Mapping[str, Any]] = ()
    """The settings for the driver."""


class DevicePart(NamedTuple):
    """What a part of a device is to Kubernetes."""

    resource: str | None = None
    memory: Amount | None = None
    node_selector: Mapping[str, str] = {}
    dra: Claimed | None = None


class DeviceSharing(NamedTuple):
    """Resources by which pods request a part of a device."""

    resource: str | None = None
    """Counts the devices, instead of the class's own resource."""
    memory: str | None = None
    """MiB of each device."""
    cores: str | None = None
    """Percent of each device."""
    annotations: Mapping[str, str] = {}
    """Annotations of pods that share."""
    node_selector: Mapping[str, str] = {}
    scheduler_name: str | None = None
    """The only scheduler that supports these resources."""
    most: int | None = None
    """Most devices that a pod can share at a time."""


class NodeNetwork(NamedTuple):
    """Network devices that go with a class."""

    resource: str
    per_pod: int = 1
    per_device: int | None = None
    resources: Mapping[str, Amount] = {}
    env: Mapping[str, Any] = {}
    annotations: Mapping[str, str] = {}
    capabilities: Sequence[str] = ()
    host_network: bool = False


class Accelerator(NamedTuple):
    """One kind of accelerator: its extended resource or its claims, where its nodes are, what comes with it."""

    name: str
    resource: str | None = None
    node_selector: Mapping[str, str] = {}
    tolerations: Sequence[Mapping[str, Any]] = ()
    memory: Amount | None = None
    """Memory of one device."""
    processes: int = 1
    """Processes to start for each device."""
    cpu_per_device: Amount | None = None
    memory_per_device: Amount | None = None
    env: Mapping[str, Any] = {}
    """Environment variables of pods that use it."""
    partitions: Mapping[str, DevicePart] = {}
    """Parts that it is divided into, by profile."""
    sharing: DeviceSharing | None = None
    dra: Claimed | None = None
    exclusive_cpus: bool = False
    """Whether the kubelet pins pods that request whole CPUs."""
    most: int | None = None
    """Devices of one node."""
    counts: Sequence[int] = ()
    """Numbers of devices that a pod can have; any where it is empty."""
    topology_label: str | None = None
    """Node label for the wiring of devices of several nodes."""
    resources: Mapping[str, Amount] = {}
    """Other resources that go with each device."""
    annotations: Mapping[str, str] = {}
    runtime_class_name: str | None = None
    network: NodeNetwork | None = None
    is_builtin: bool = False
    """Whether no Platform describes it, so it is unknown whether the cluster has it."""

    @property
    def is_resource(self) -> bool:
        """Whether the experiment names the resource itself, instead of a class."""
        return self.name == self.resource

    def part(self, profile: str) -> Accelerator:
        """What such a part is, as a class of its own. Raises KeyError for a profile that the class does not have."""
        part = self.partitions[profile]
        # A process of CUDA sees one part; what comes with a whole device is too much for it.
        return Accelerator(
            self.name,
            part.resource,
            {**self.node_selector, **part.node_selector},
            self.tolerations,
            part.memory,
            env=self.env,
            dra=part.dra,
            exclusive_cpus=self.exclusive_cpus,
            annotations=self.annotations,
            runtime_class_name=self.runtime_class_name,
            network=self.network,
            is_builtin=self.is_builtin,
        )

    @staticmethod
    def times(each: Amount, count: int) -> str:
        """What `count` devices need when one needs `each`; raises ValueError where `each` is not a quantity."""
        return str(quantity.multiply(quantity.parse(each), count))


class DescribedDeviceClass(Protocol):
    """A device class as a Platform document describes it: the fields of DeviceClass except the name."""

    resource: str | None
    dra: Any
    partitions: Mapping[str, Any]
    sharing: Any
    network: Any


def classes(described: Mapping[str, DescribedDeviceClass] | None = None) -> dict[str, Accelerator]:
    """The device classes of a Platform, over the built-in ones: a class that it describes replaces a built-in one whole."""
    known = {name: _builtin(name) for name in CLASSES}
    for name, one in (described or {}).items():
        parts = {
            profile: DevicePart(part.resource, part.memory, part.node_selector, _claimed(part.dra))
            for profile, part in one.partitions.items()
        }
        fields = dict(zip(_PLAIN, _values(one, _PLAIN), strict=True))
        sharing = DeviceSharing(*_values(one.sharing, DeviceSharing._fields)) if one.sharing is not None else None
        network = NodeNetwork(*_values(one.network, NodeNetwork._fields)) if one.network is not None else None
        known[name] = Accelerator(name, **fields, partitions=parts, sharing=sharing, dra=_claimed(one.dra), network=network)
    return known


_NESTED = ("name", "partitions", "sharing", "dra", "network", "is_builtin")
_PLAIN = tuple([field for field in Accelerator._fields if field not in _NESTED])


def _values(one: Any, fields: Sequence[str]) -> list[Any]:
    return [getattr(one, field) for field in fields]


def _claimed(one: Any) -> Claimed | None:
    return Claimed(*_values(one, Claimed._fields)) if one is not None else None


def _builtin(name: str) -> Accelerator:
    row = CLASSES[name]
    parts = {profile: DevicePart(**part) for profile, part in row.get("partitions", {}).items()}
    return Accelerator(name, **{**row, "partitions": parts}, is_builtin=True)
