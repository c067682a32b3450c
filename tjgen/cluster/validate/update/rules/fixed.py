"""What may not change of kinds of which a single field is fixed.

Mirrors kubernetes 1.36: ValidateRuntimeClassUpdate of `pkg/apis/node/validation`, ValidateVolumeAttributesClassUpdate and
ValidateCSIDriverUpdate of `pkg/apis/storage/validation`, ValidateIngressClassUpdate of `pkg/apis/networking/validation`, and
ValidateEndpointSliceUpdate of `pkg/apis/discovery/validation`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place, at
from tjgen.cluster.validate.update.metadata import IMMUTABLE
from tjgen.cluster.validate.wording import field
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import Any

_IMMUTABLE: dict[str, tuple[tuple[FieldPath, Tree], ...]] = {
    "CSIDriver": ((("spec", "attachRequired"), True), (("spec", "volumeLifecycleModes"), ["Persistent"])),
    "EndpointSlice": ((("addressType",), None),),
    "IngressClass": ((("spec", "controller"), None),),
    "RuntimeClass": ((("handler",), None),),
}
"""Kind -> its fixed fields, each with its default."""
_FORBIDDEN = {"VolumeAttributesClass": ("driverName", "parameters")}


def faults(new: dict[str, Any], old: dict[str, Any], kind: str) -> Iterator[Fault]:
    """What differs and may not."""
    for path, default in _IMMUTABLE.get(kind, ()):
        value = _value(new, path, default)
        if value != _value(old, path, default):
            # Upstream misspells the one field.
            place = field(path).replace("attachRequired", "attachedRequired")
            yield Place(place, path).invalid("" if value is None else value, IMMUTABLE)
    for name in _FORBIDDEN.get(kind, ()):
        if (new.get(name) or None) != (old.get(name) or None):
            yield at((name,)).forbidden(f"updates to {name} are forbidden.")


def _value(tree: dict[str, Any], path: FieldPath, default: Tree) -> Tree:
    value = get(tree, path, None)
    return default if value is None else value
