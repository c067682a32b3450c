"""`gpu`: devices of a class that the Platform names."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field, StringConstraints

from tjgen.spec.models.shape import Alternatives, Count, Quantity, Shape, Text, expects

CLASS = r"^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$"
SHORT = r"^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?(:[1-9][0-9]{0,5})?$"


class Share(Shape):
    """What a pod gets of each device that it shares with others."""

    memory: Quantity | None = None
    """Memory of each device."""
    cores: Annotated[int, Field(ge=1, le=100)] | None = None
    """Computing power of each device, in percent."""


class Gpu(Shape):
    """Devices for each pod."""

    short: ClassVar[tuple[str, ...]] = ("class", "count")
    alternatives: ClassVar[Alternatives] = (("mig",), ("share",))

    device_class: Annotated[str, StringConstraints(pattern=CLASS)] = Field(alias="class")
    """Device class of the Platform, such as `h100`."""
    count: Count = 1
    """Devices for each pod, or parts of devices."""
    mig: Text | None = None
    """Part of a device that is divided (MIG), by its profile: `1g.10gb`."""
    share: Share | None = None
    """Part of each device, which other pods use too, where the class says how."""


GpuText: TypeAlias = Annotated[str, StringConstraints(pattern=SHORT), expects("write class:count, such as h100:8")]
