"""`prefetch`: data to fetch before training starts, and caches on the nodes."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import StringConstraints

from tjgen.language.spec.models.env import EnvVar
from tjgen.language.spec.models.identity import Counts, Excluded, Present
from tjgen.language.spec.models.shape import Alternatives, Count, Deadline, Quantity, Scalar, Shape, Text, Whole, expects

DURATION = r"^[0-9]+[smhd]$"


class PrefetchSource(Shape):
    """Source of the data."""

    short: ClassVar[tuple[str, ...]] = ("uri",)
    alternatives: ClassVar[Alternatives] = (("uri",), ("volume",))
    needed: ClassVar[bool] = True

    uri: Counts[Text | None] = None
    """`s3://bucket/folder`, `gs://bucket/folder`, `https://host/file` or `hf://organisation/dataset`."""
    volume: Counts[Text | None] = None
    """Volume of the experiment, by its name in `volumes`. The training pods do not need to mount it."""
    path: Counts[Text | None] = None
    """Folder of that volume."""
    paths: Counts[list[Text]] = []
    """Files and folders of the source to fetch, instead of all of it. Each keeps its path."""


class MemoryCache(Shape):
    """Main memory of each pod, as a folder."""

    size: Counts[Quantity] = "10Gi"
    """Limit of its size, which counts as memory of the pod."""
    ttl: Counts[Annotated[str, StringConstraints(pattern=DURATION), expects("write a number and s, m, h or d")]] = "1h"
    """Time to live of cached data, which the program gets as a variable."""
    path: Counts[Text] = "/cache/memory"
    """Mount path."""


class SsdCache(Shape):
    """Fast disk of the node, as a folder."""

    size: Counts[Quantity] = "100Gi"
    """Limit of its size."""
    path: Counts[Text] = "/cache/ssd"
    """Mount path."""
    storage_class_name: Counts[Text | None] = None
    """StorageClass of local disks, of which each pod gets a volume. The default is the disk of the node."""
    host_path: Counts[Text | None] = None
    """Folder of the node that outlives pods, so that the next run can use its data."""


class Cache(Shape):
    """Caches of the training pods."""

    memory: Present[MemoryCache | None] = None
    """A folder in memory."""
    ssd: Present[SsdCache | None] = None
    """A folder on a fast disk."""


class PrefetchSet(Shape):
    """Data to fetch to a volume before training starts."""

    volume: Counts[Text | None] = None
    """Volume for the data, by its name in `volumes`."""
    path: Counts[Text | None] = None
    """Folder of the volume."""
    source: Counts[PrefetchSource | Text | None] = None
    """Source of the data. Without it, `command` must fetch the data."""
    image: Counts[Text | None] = None
    """Image that fetches the data, instead of that of the Platform."""
    command: Counts[list[str]] = []
    """Command that fetches the data, instead of the default for the source."""
    args: Counts[list[str]] = []
    """Arguments of the command."""
    env: Counts[dict[str, EnvVar | Scalar]] = {}
    """Environment variables of the command."""
    secret: Excluded[Text | None] = None
    """Secret whose keys become variables, such as credentials of the store."""
    workers: Excluded[Count] = 4
    """Number of pods that share the work."""
    deadline: Excluded[Deadline] = "1d"
    """Time after which the Job that fetches the data fails, over all attempts."""
    nodes: Excluded[list[Text]] = []
    """Nodes whose disks are filled, for a `hostPath` volume: values of the label `kubernetes.io/hostname`."""
    wait: Counts[bool] = True
    """Whether the training pods wait for the data."""
    wait_timeout: Excluded[Deadline] = "6h"
    """Time after which waiting pods fail. They hold their devices while they wait."""
    priority: Excluded[Whole] = 0
    """Order among several prefetches: a Job starts to copy when all data with a higher priority is complete."""


class Prefetch(PrefetchSet):
    """One prefetch, or several prefetches that have names; and caches of the nodes."""

    alternatives: ClassVar[Alternatives] = (
        (
            "volume",
            "path",
            "source",
            "image",
            "command",
            "args",
            "secret",
            "workers",
            "nodes",
            "deadline",
            "wait",
            "wait_timeout",
            "priority",
        ),
        ("sets",),
    )

    sets: Counts[dict[str, PrefetchSet]] = {}
    """Prefetches by name, such as `train` and `validation`."""
    cache: Counts[Cache | None] = None
    """Caches of the training pods."""
