"""`env` and `envFrom`: environment variables, keyed by name."""

from __future__ import annotations

from typing import ClassVar

from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Alternatives, ObjectName, Quantity, Scalar, Shape, Text


class EnvVar(Shape):
    """A variable: a value, or its source."""

    short: ClassVar[tuple[str, ...]] = ("value",)
    alternatives: ClassVar[Alternatives] = (
        ("value",),
        ("secret", "key", "optional"),
        ("configMap", "key", "optional"),
        ("field",),
        ("resource", "container", "divisor"),
    )
    needed: ClassVar[bool] = True

    value: Counts[Scalar | None] = None
    """The value. A number or boolean becomes its text."""
    secret: Counts[Text | None] = None
    """Name of the Secret that holds the value under `key`."""
    config_map: Counts[Text | None] = None
    """Name of the ConfigMap that holds the value under `key`."""
    key: Counts[Text | None] = None
    """Key in the Secret or ConfigMap."""
    optional: Counts[bool | None] = None
    """Whether the Secret or ConfigMap, or its key, can be absent."""
    field: Counts[Text | None] = None
    """Field of the pod, such as `metadata.name` or `status.podIP`."""
    resource: Counts[Text | None] = None
    """Resource of the container, such as `limits.memory`."""
    container: Counts[Text | None] = None
    """Container whose resource is meant."""
    divisor: Counts[Quantity | None] = None
    """Unit in which the resource is counted."""


class EnvSource(Shape):
    """All keys of a Secret or ConfigMap as variables."""

    alternatives: ClassVar[Alternatives] = (("secret",), ("configMap",))
    needed: ClassVar[bool] = True

    secret: Counts[ObjectName | None] = None
    """Name of the Secret."""
    config_map: Counts[ObjectName | None] = None
    """Name of the ConfigMap."""
    prefix: Counts[str | None] = None
    """Prefix of each key."""
    optional: Counts[bool | None] = None
    """Whether the Secret or ConfigMap can be absent."""
