"""`initializer`: what is fetched before training starts."""

from __future__ import annotations

from typing import ClassVar

from tjgen.spec.models.env import EnvVar
from tjgen.spec.models.shape import Scalar, Shape, Text


class SecretRef(Shape):
    """A Secret of the namespace."""

    short: ClassVar[tuple[str, ...]] = ("name",)

    name: Text
    """Name of the Secret."""


class Fetch(Shape):
    """Something to fetch."""

    storage_uri: Text | None = None
    """Where it is, such as `hf://org/name` or `s3://bucket/path`."""
    secret_ref: SecretRef | Text | None = None
    """Secret with the credentials."""
    env: dict[str, EnvVar | Scalar] = {}
    """Environment variables of the initializer."""


class Initializer(Shape):
    """What is fetched before training starts."""

    dataset: Fetch | None = None
    """The data set."""
    model: Fetch | None = None
    """The pre-trained model."""
