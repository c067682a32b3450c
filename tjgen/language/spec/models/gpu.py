"""`gpu`: devices of a class that the Platform names."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field, StringConstraints

from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Alternatives, Count, Quantity, Shape, Text, expects

_NAME = r"[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?"
CLASS = rf"^([a-z][-.a-z0-9]*/)?{_NAME}$"
"""A class, or a resource with its domain."""
TOPOLOGY = r"^[1-9][0-9]{0,3}(x[1-9][0-9]{0,3}){1,2}$"
SHORT = CLASS.replace("$", "(:[1-9][0-9]{0,5})?$")


class Share(Shape):
    """Share of each device for a pod."""

    memory: Counts[Quantity | None] = None
    """Memory of each device."""
    cores: Counts[Annotated[int, Field(ge=1, le=100)] | None] = None
    """Computing power of each device, in percent."""


class DeviceRequest(Shape):
    """Devices that a claim requests (dynamic resource allocation)."""

    device_class: Counts[Text | None] = None
    """DeviceClass of the cluster, such as `gpu.nvidia.com`. The default is that of the Platform's class."""
    selectors: Counts[list[Text]] = []
    """CEL expressions that each device must satisfy, in addition to those of the class."""


class Gpu(Shape):
    """Devices for each pod: of a class, of any class with `minMemory`, or claimed (`dra`)."""

    short: ClassVar[tuple[str, ...]] = ("class", "count")
    alternatives: ClassVar[Alternatives] = (("mig", "dra"), ("share",))

    device_class: Counts[Annotated[str, StringConstraints(pattern=CLASS)] | None] = Field(
        None, validation_alias="class", serialization_alias="class"
    )
    """Device class of the Platform, such as `h100`, or a resource, such as `nvidia.com/gpu`: only its limit is set."""
    count: Counts[Count] = 1
    """Devices for each pod, or parts of devices."""
    requests: Counts[bool] = False
    """Sets the request of a resource, too. Kubernetes derives it from the limit otherwise."""
    min_memory: Counts[Quantity | None] = None
    """Memory that each device needs. Without `class`, it selects the smallest sufficient class of the Platform."""
    mig: Counts[Text | None] = None
    """Part of a device that is divided (MIG), by its profile: `1g.10gb`; `smallest` is the smallest that has `minMemory`."""
    share: Counts[Share | None] = None
    """Share of each device that other pods use, too, if the class describes sharing."""
    dra: Counts[DeviceRequest | None] = None
    """Claims devices by expressions instead of counting them."""
    topology: Counts[Annotated[str, StringConstraints(pattern=TOPOLOGY), expects("write it like 2x4 or 4x4x8")] | None] = None
    """Topology of the devices of all nodes, such as `2x4`. It determines the number of nodes."""


GpuText: TypeAlias = Annotated[
    Annotated[str, StringConstraints(pattern=SHORT)] | Count, expects("write class:count, such as h100:8")
]
"""A class or a resource with a count, or a count of devices of the only class that the Platform describes."""
