"""`initializer`: models and data sets to fetch before training starts."""

from __future__ import annotations

from typing import ClassVar

from tjgen.language.spec.models.env import EnvVar
from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Quantity, Scalar, Shape, Text


class SecretRef(Shape):
    """A Secret of the namespace."""

    short: ClassVar[tuple[str, ...]] = ("name",)

    name: Counts[Text]
    """Name of the Secret."""


class Fetch(Shape):
    """Something to fetch."""

    storage_uri: Counts[Text | None] = None
    """Its URI, such as `hf://org/name` or `s3://bucket/path`."""
    secret_ref: Counts[SecretRef | Text | None] = None
    """Secret with the credentials."""
    env: Counts[dict[str, EnvVar | Scalar]] = {}
    """Environment variables of the initializer."""
    image: Counts[Text | None] = None
    """Image of the initializer. The default is the runtime's."""
    command: Counts[list[str]] = []
    """Command of the initializer, for example to prepare the data. The default is the image's."""
    args: Counts[list[str]] = []
    """Arguments of the command."""
    cpu: Counts[Quantity | None] = None
    """CPU of the initializer, requested and limited."""
    memory: Counts[Quantity | None] = None
    """Memory of the initializer, requested and limited."""


class Initializer(Shape):
    """Models and data sets to fetch before training starts."""

    dataset: Counts[Fetch | None] = None
    """The data set."""
    model: Counts[Fetch | None] = None
    """The pre-trained model."""
    volume: Counts[Text | None] = None
    """Volume of the experiment for the fetched files, mounted at /workspace. The default is that of the runtime."""
