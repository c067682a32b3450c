"""The name of a device that is not a class -> the class and the number of devices that are probably meant."""

from __future__ import annotations

import re
from collections.abc import Collection

from tjgen.language.spec.devicetext import parted
from tjgen.trees.k8s.nearest import nearest

_VENDORS = ("nvidia", "amd")
"""Classes of all devices of a vendor, which other names contain."""


def meant(name: str, count: int, classes: Collection[str]) -> tuple[str | None, int]:
    """The class for a name such as `8xA100` or `NVIDIA-A100-SXM4-80GB`, and the number of devices."""
    parts = parted(name)
    if count == 1 and parts is not None and name not in classes:
        near = _class(parts[0], classes)
        if near is not None:
            return near, parts[1]
    return _class(name, classes), count


def _class(name: str, classes: Collection[str]) -> str | None:
    by_letters = {one.lower(): one for one in sorted(classes)}
    if name.lower() in by_letters:
        return by_letters[name.lower()]
    words = set(re.split(r"[-_. ]+", name.lower()))
    within = [one for one in sorted(classes) if one not in _VENDORS and set(one.lower().split("-")) <= words]
    return max(within, key=lambda one: one.count("-")) if within else nearest(name, classes)
