"""Files that volumes create from keys, fields and tokens -> the errors of the API server.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (validateProjectedVolumeSource, validateKeyToPath,
validateDownwardAPIVolumeFile).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.paths import not_reserved
from tjgen.cluster.validate.builtin.references import field_reference, resource_reference
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.typing import Any

_FILE_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_FIELDS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
_GATED = ("clusterTrustBundle", "podCertificate")
"""Sources behind gates that are off: the server drops them."""


def file_mode(source: dict[str, Any], name: str, at: Place) -> Iterator[Fault]:
    """The mode of files, where it is given."""
    if not 0 <= source.get(name, 0) <= 0o777:
        yield at.child(name).invalid(source[name], _FILE_MODE)


def key_paths(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateKeyToPath` for all items."""
    for position, item in enumerate(source.get("items", ())):
        element = at.child("items").item(position)
        for name in ("key", "path"):
            if not item.get(name):
                yield element.child(name).required()
        yield from not_reserved(item.get("path", ""), element.child("path"))
        yield from file_mode(item, "mode", element)


def downward_file(item: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateDownwardAPIVolumeFile`."""
    if not item.get("path"):
        yield at.child("path").required()
    yield from not_reserved(item.get("path", ""), at.child("path"))
    if "fieldRef" in item:
        yield from field_reference(item["fieldRef"], _FIELDS, at.child("fieldRef"))
        if "resourceFieldRef" in item:
            yield at.invalid("resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
    elif "resourceFieldRef" in item:
        yield from resource_reference(item["resourceFieldRef"], at.child("resourceFieldRef"), in_volume=True)
    else:
        yield at.required("one of fieldRef and resourceFieldRef is required")
    yield from file_mode(item, "mode", at)


def projected(volume: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateProjectedVolumeSource`."""
    yield from file_mode(volume, "defaultMode", at)
    taken: set[str] = set()
    for position, source in enumerate(volume.get("sources", ())):
        element = at.child("sources").item(position)
        for kind in ("secret", "configMap"):
            if kind in source:
                yield from _keys(source[kind], taken, element.child(kind), at)
        if "downwardAPI" in source:
            for number, item in enumerate(source["downwardAPI"].get("items", ())):
                yield from downward_file(item, element.child("downwardAPI").seen_at("items", number))
                yield from _taken(item.get("path", ""), item.get("path", ""), taken, at)
        if "serviceAccountToken" in source:
            yield from _token(source["serviceAccountToken"], element.child("serviceAccountToken"), at)
        if len([kind for kind in source if kind not in _GATED]) > 1:
            yield element.forbidden("may not specify more than 1 volume type per source")


def _keys(source: dict[str, Any], taken: set[str], at: Place, volume: Place) -> Iterator[Fault]:
    if not source.get("name"):
        yield at.child("name").required()
    yield from key_paths(source, at)
    for item in source.get("items", ()):
        yield from _taken(item.get("path", ""), source.get("name", ""), taken, volume)


def _taken(path: str, shown: str, taken: set[str], at: Place) -> Iterator[Fault]:
    if path and path in taken:
        yield at.invalid(shown, "conflicting duplicate paths")
    taken.add(path)


def _token(token: dict[str, Any], at: Place, volume: Place) -> Iterator[Fault]:
    seconds = token.get("expirationSeconds", 3600)
    if seconds < 600:
        yield at.child("expirationSeconds").invalid(seconds, "may not specify a duration less than 10 minutes")
    if seconds > 1 << 32:
        yield at.child("expirationSeconds").invalid(seconds, "may not specify a duration larger than 2^32 seconds")
    path = Place(f"{volume.field}.path", (*at.path, "path"))
    if not token.get("path"):
        yield path.required()
    else:
        yield from not_reserved(token["path"], path)
