"""The Platform documents in platforms/ -> `tjgen/language/platform/builtin.py`: the device classes of every Platform."""

from __future__ import annotations

from pathlib import Path

from tjgen.language.spec.generate.literal import literal
from tjgen.language.spec.models.platform import Platform
from tjgen.trees.source.reader import CORE, read

HEADER = '''"""The device classes that every Platform begins with, as fields of `DeviceClass`.

Generated from platforms/, a file a vendor, by `python -m tjgen.language.spec.generate`; not edited by hand. They are for clusters
whose Platform is empty; one without the labels that they use describes the class in its Platform.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.typing import Any

# fmt: off
CLASSES: Mapping[str, Mapping[str, Any]] = '''


def source(folder: Path) -> str:
    """The text of the module. Raises ValidationError where a file is not a Platform, ValueError where two name one class."""
    classes: dict[str, object] = {}
    for file in sorted(folder.glob("[!.]*.yaml")):
        documents, _ = read(file.read_bytes(), str(file), CORE)
        for document in documents:
            described = Platform.model_validate(document.value).spec.device_classes
            twice = sorted(set(described) & set(classes))
            if twice:
                raise ValueError(f"{file.name} describes {', '.join(twice)} again")
            classes |= {name: one.model_dump(exclude_unset=True) for name, one in described.items()}
    return f"{HEADER}{literal(classes)}\n"
