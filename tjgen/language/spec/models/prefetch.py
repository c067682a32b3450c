"""`prefetch`: data that is there before training starts, and caches of the nodes."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import StringConstraints

from tjgen.language.spec.models.env import EnvVar
from tjgen.language.spec.models.identity import Counts, Excluded, Present
from tjgen.language.spec.models.shape import Alternatives, Count, Deadline, Quantity, Scalar, Shape, Text, expects

DURATION = r"^[0-9]+[smhd]$"


class PrefetchSource(Shape):
    """Where data comes from."""

    short: ClassVar[tuple[str, ...]] = ("uri",)
    alternatives: ClassVar[Alternatives] = (("uri",), ("volume",))
    needed: ClassVar[bool] = True

    uri: Counts[Text | None] = None
    """`s3://bucket/folder`, `gs://bucket/folder`, `https://host/file` or `hf://organisation/dataset`."""
    volume: Counts[Text | None] = None
    """Volume of the experiment, by its name in `volumes`; it need not be mounted in the pods that train."""
    path: Counts[Text | None] = None
    """Folder of that volume."""


class MemoryCache(Shape):
    """Main memory of each pod, as a folder."""

    size: Counts[Quantity] = "10Gi"
    """What it may take, of the pod's memory."""
    ttl: Counts[Annotated[str, StringConstraints(pattern=DURATION), expects("write a number and s, m, h or d")]] = "1h"
    """How long what is in it counts as fresh, told to the training."""
    path: Counts[Text] = "/cache/memory"
    """Where it is mounted."""


class SsdCache(Shape):
    """Fast disk of the node, as a folder."""

    size: Counts[Quantity] = "100Gi"
    """What it may take."""
    path: Counts[Text] = "/cache/ssd"
    """Where it is mounted."""
    storage_class_name: Counts[Text | None] = None
    """StorageClass of local disks; each pod gets a volume of it. The node's own disk where it is left out."""
    host_path: Counts[Text | None] = None
    """Folder of the node that outlives pods, so that the next run finds it filled."""


class Cache(Shape):
    """Caches of the pods that train."""

    memory: Present[MemoryCache | None] = None
    """A folder in memory."""
    ssd: Present[SsdCache | None] = None
    """A folder on a fast disk."""


class Prefetch(Shape):
    """Data that is there before training starts."""

    volume: Counts[Text | None] = None
    """Volume that the data is brought to, by its name in `volumes`."""
    path: Counts[Text | None] = None
    """Folder of the volume."""
    source: Counts[PrefetchSource | Text | None] = None
    """Where it comes from; where it is left out, `command` knows."""
    image: Counts[Text | None] = None
    """Image that brings it, in place of the Platform's."""
    command: Counts[list[str]] = []
    """Command that brings it, in place of what the source asks for."""
    args: Counts[list[str]] = []
    """Arguments of the command."""
    env: Counts[dict[str, EnvVar | Scalar]] = {}
    """Environment variables of what brings it."""
    secret: Excluded[Text | None] = None
    """Secret whose keys become variables, such as credentials of the store."""
    workers: Excluded[Count] = 4
    """Pods that share the work."""
    deadline: Excluded[Deadline] = "1d"
    """Time after which the Job that brings the data fails, all its attempts together."""
    wait: Counts[bool] = True
    """Whether the pods that train wait until all is there."""
    wait_timeout: Excluded[Deadline] = "6h"
    """How long they wait, holding their devices, before they fail."""
    cache: Counts[Cache | None] = None
    """Caches of the pods that train."""
