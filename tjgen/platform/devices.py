"""Name of a device class -> what one device of it is to Kubernetes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.k8s import quantity
from tjgen.platform.builtin import CLASSES, PART, TOLERATED
from tjgen.typing import Any, NamedTuple, Protocol


class Described(Protocol):
    """A device class as a Platform document describes it."""

    resource: str
    node_selector: Mapping[str, str]
    tolerations: Sequence[Mapping[str, Any]]
    memory: str | int | float | None
    processes: int
    cpu_per_device: str | int | float | None
    memory_per_device: str | int | float | None
    env: Mapping[str, Any]
    partitions: Mapping[str, Any]
    sharing: Any


class Part(NamedTuple):
    """What a part of a device is to Kubernetes."""

    resource: str
    memory: str | int | float | None = None
    node_selector: Mapping[str, str] = {}


class Sharing(NamedTuple):
    """Resources by which pods ask for less than a device."""

    resource: str | None = None
    """Counts the devices, in place of the class's own resource."""
    memory: str | None = None
    """MiB of each device."""
    cores: str | None = None
    """Percent of each device."""
    annotations: Mapping[str, str] = {}
    """Annotations of pods that share."""


class DeviceClass(NamedTuple):
    """One kind of accelerator: its extended resource, where its nodes are, what comes with it."""

    name: str
    resource: str
    node_selector: Mapping[str, str] = {}
    tolerations: Sequence[Mapping[str, Any]] = ()
    memory: str | int | float | None = None
    """Memory of one device."""
    processes: int = 1
    """Processes to start for each device."""
    cpu_per_device: str | int | float | None = None
    memory_per_device: str | int | float | None = None
    env: Mapping[str, Any] = {}
    """Environment variables of pods that use it."""
    partitions: Mapping[str, Part] = {}
    """Parts that it is divided into, by profile."""
    sharing: Sharing | None = None

    def part(self, profile: str) -> DeviceClass:
        """What such a part is, as a class of its own. Raises KeyError for a profile that the class does not have."""
        part = self.partitions[profile]
        # A process of CUDA sees one part; what comes with a whole device is too much for it.
        return DeviceClass(
            self.name, part.resource, {**self.node_selector, **part.node_selector}, self.tolerations, part.memory, env=self.env
        )

    @staticmethod
    def times(each: str | int | float, count: int) -> str:
        """What `count` devices need when one needs `each`; raises ValueError where `each` is no quantity."""
        return str(quantity.multiply(quantity.parse(each), count))


def classes(described: Mapping[str, Described] | None = None) -> dict[str, DeviceClass]:
    """The device classes of a Platform, over the built-in ones: a class that it describes replaces a built-in one whole."""
    known = {name: _builtin(name) for name in CLASSES}
    for name, one in (described or {}).items():
        known[name] = DeviceClass(
            name,
            one.resource,
            one.node_selector,
            one.tolerations,
            one.memory,
            one.processes,
            one.cpu_per_device,
            one.memory_per_device,
            one.env,
            {profile: Part(part.resource, part.memory, part.node_selector) for profile, part in one.partitions.items()},
            Sharing(*(getattr(one.sharing, field) for field in Sharing._fields)) if one.sharing is not None else None,
        )
    return known


def _builtin(name: str) -> DeviceClass:
    row = CLASSES[name]
    tolerations = [{"key": row.resource, "operator": "Exists", "effect": "NoSchedule"}] if row.resource in TOLERATED else []
    parts = {profile: Part(PART.format(profile), memory) for profile, memory in row.parts.items()}
    return DeviceClass(name, row.resource, row.node_selector, tolerations, row.memory, row.processes, partitions=parts)
