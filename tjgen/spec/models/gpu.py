"""`gpu`: devices of a class that the Platform names."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field, StringConstraints

from tjgen.spec.models.shape import Count, Shape, expects

CLASS = r"^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$"
SHORT = r"^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?(:[1-9][0-9]{0,5})?$"


class Gpu(Shape):
    """Devices for each pod."""

    short: ClassVar[tuple[str, ...]] = ("class", "count")

    device_class: Annotated[str, StringConstraints(pattern=CLASS)] = Field(alias="class")
    """Device class of the Platform, such as `h100`."""
    count: Count = 1
    """Devices for each pod."""


GpuText: TypeAlias = Annotated[str, StringConstraints(pattern=SHORT), expects("write class:count, such as h100:8")]
