"""`initializer`: what is fetched before training starts."""

from __future__ import annotations

from typing import ClassVar

from tjgen.spec.models.env import EnvVar
from tjgen.spec.models.shape import Quantity, Scalar, Shape, Text


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
    image: Text | None = None
    """Image of the initializer; the runtime's where it is left out."""
    command: list[str] = []
    """Command of the initializer, for instance to prepare the data; the image's where it is left out."""
    args: list[str] = []
    """Arguments of the command."""
    cpu: Quantity | None = None
    """CPU of the initializer, requested and limited."""
    memory: Quantity | None = None
    """Memory of the initializer, requested and limited."""


class Initializer(Shape):
    """What is fetched before training starts."""

    dataset: Fetch | None = None
    """The data set."""
    model: Fetch | None = None
    """The pre-trained model."""
    volume: Text | None = None
    """Volume of the experiment that it is fetched to, mounted at /workspace; the runtime's where it is left out."""
