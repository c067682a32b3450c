"""The Platform documents in platforms/ -> `tjgen/platform/builtin.py`: the device classes that every Platform begins with."""

from __future__ import annotations

from pathlib import Path

from tjgen.source.reader import CORE, read
from tjgen.spec.generate.literal import literal
from tjgen.spec.models.platform import Platform

HEADER = '''"""The device classes that every Platform begins with, as fields of `DeviceClass`.

Generated from platforms/, a file a vendor, by `python -m tjgen.spec.generate`; not edited by hand. They are for clusters
whose Platform says nothing yet; one without the labels that they name describes the class in its Platform.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.typing import Any

# fmt: off
CLASSES: Mapping[str, Mapping[str, Any]] = '''


def source(folder: Path) -> str:
    """The text of the module. Raises ValidationError where a file is no Platform, ValueError where two name one class."""
    classes: dict[str, object] = {}
    for file in sorted(folder.glob("*.yaml")):
        documents, _ = read(file.read_bytes(), str(file), CORE)
        for document in documents:
            described = Platform.model_validate(document.value).spec.device_classes
            twice = sorted(set(described) & set(classes))
            if twice:
                raise ValueError(f"{file.name} describes {', '.join(twice)} again")
            classes |= {name: one.model_dump(exclude_unset=True) for name, one in described.items()}
    return f"{HEADER}{literal(classes)}\n"
