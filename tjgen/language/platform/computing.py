"""The name of a resource -> whether it counts devices that compute."""

from __future__ import annotations

from functools import cache

from tjgen.cluster.trainer.resources import gpu_names
from tjgen.language.platform.builtin import CLASSES

_PARTS_OF_DEVICES = ("mem", "core")
"""What the names of resources hold that are megabytes or percents of a device, not devices."""


def is_device(resource: str) -> bool:
    """Whether a resource counts devices that compute: network devices, memory and shares of devices do not."""
    if any(word in resource.lower() for word in _PARTS_OF_DEVICES):
        return False
    return resource in _known() or bool(gpu_names({resource: 1}))


@cache
def _known() -> frozenset[str]:
    parts = [part for row in CLASSES.values() for part in row.get("partitions", {}).values()]
    return frozenset(row["resource"] for row in (*CLASSES.values(), *parts) if row.get("resource"))
