"""`env` and `envFrom`: environment variables, keyed by name."""

from __future__ import annotations

from typing import ClassVar

from tjgen.spec.models.shape import Alternatives, Quantity, Scalar, Shape, Text


class EnvVar(Shape):
    """A variable: a value, or where the value comes from."""

    short: ClassVar[tuple[str, ...]] = ("value",)
    alternatives: ClassVar[Alternatives] = (
        ("value",),
        ("secret", "key", "optional"),
        ("configMap", "key", "optional"),
        ("field",),
        ("resource", "container", "divisor"),
    )
    needed: ClassVar[bool] = True

    value: Scalar | None = None
    """The value; a number becomes the text that is written, a boolean `true` or `false`."""
    secret: Text | None = None
    """Name of the Secret that holds the value under `key`."""
    config_map: Text | None = None
    """Name of the ConfigMap that holds the value under `key`."""
    key: Text | None = None
    """Key in the Secret or ConfigMap."""
    optional: bool | None = None
    """Whether the Secret or ConfigMap, or its key, may be missing."""
    field: Text | None = None
    """Field of the pod, such as `metadata.name` or `status.podIP`."""
    resource: Text | None = None
    """Resource of the container, such as `limits.memory`."""
    container: Text | None = None
    """Container whose resource is meant."""
    divisor: Quantity | None = None
    """Unit in which the resource is counted."""


class EnvSource(Shape):
    """All keys of a Secret or ConfigMap as variables."""

    alternatives: ClassVar[Alternatives] = (("secret",), ("configMap",))
    needed: ClassVar[bool] = True

    secret: Text | None = None
    """Name of the Secret."""
    config_map: Text | None = None
    """Name of the ConfigMap."""
    prefix: str | None = None
    """Text put before each key."""
    optional: bool | None = None
    """Whether the Secret or ConfigMap may be missing."""
