"""The spec of a PersistentVolumeClaim, by itself or as a template -> what the API server has against it.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidatePersistentVolumeClaimSpec, ValidatePersistentVolumeClaimTemplate).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.resources import amount
from tjgen.cluster.validate.builtin.selectors import label_selector
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.metadata import annotation_keys, labels
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import quantity, syntax
from tjgen.trees.typing import Any

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_DEFAULT_GROUP = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
_OLD_SOURCES = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))
_SAME = ("apiGroup", "kind", "name")
_TEMPLATE_METADATA = ("annotations", "labels")


def faults(claim: dict[str, Any]) -> Iterator[Fault]:
    """`ValidatePersistentVolumeClaim`, metadata left out."""
    yield from claim_spec(stored_spec(claim.get("spec", {})), Place("spec", ("spec",)))


def stored_spec(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec with its two sources as they are stored: a source of an unknown kind is dropped, then each fills in for the other.

    kubernetes `pkg/api/persistentvolumeclaim/util.go` (EnforceDataSourceBackwardsCompatibility, NormalizeDataSources).
    """
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if reference is not None and reference.get("namespace"):
        reference = None  # a reference into another namespace is behind a gate that is off
    if reference is None and source is not None and (source.get("apiGroup", ""), source.get("kind")) not in _OLD_SOURCES:
        source = None
    if source is None and reference is None:
        return {name: value for name, value in spec.items() if not name.startswith("dataSource")}
    return {
        **spec,
        "dataSource": reference if source is None else source,
        "dataSourceRef": source if reference is None else reference,
    }


def claim_template(template: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidatePersistentVolumeClaimTemplate`."""
    yield from template_metadata(template.get("metadata", {}), at.child("metadata"))
    yield from claim_spec(template.get("spec", {}), at.child("spec"))


def template_metadata(metadata: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateTemplateObjectMeta`: only labels and annotations."""
    yield from annotation_keys(metadata.get("annotations", {}), at.child("annotations"))
    yield from labels(metadata.get("labels", {}), at.child("labels"))
    for name, value in metadata.items():
        if name not in _TEMPLATE_METADATA and value != "" and (name, value) != ("generation", 0):
            yield at.child("uID" if name == "uid" else name).forbidden("cannot be set")


def claim_spec(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidatePersistentVolumeClaimSpec`."""
    field = at.child("accessModes")
    yield from access_modes(spec.get("accessModes", ()), field, required="at least 1 access mode is required")
    yield from label_selector(spec.get("selector"), at.child("selector"))
    yield from _storage(spec.get("resources", {}), at.child("resources"))
    for name in ("storageClassName", "volumeAttributesClassName"):
        for message in syntax.dns1123_subdomain(spec[name]) if spec.get(name) else ():
            yield at.child(name).invalid(spec[name], message)
    mode = spec.get("volumeMode", "Filesystem")
    if mode not in VOLUME_MODES:
        yield at.child("volumeMode").not_supported(mode, VOLUME_MODES)
    yield from _sources(spec, at)


def access_modes(modes: Any, at: Place, *, required: str) -> Iterator[Fault]:
    """Return the modes of a claim or a volume, and the error if there are none."""
    if not modes:
        yield at.required(required)
    for position, mode in enumerate(modes):
        if mode not in ACCESS_MODES:
            yield at.seen_at(position).not_supported(mode, ACCESS_MODES)
    known = {mode for mode in modes if mode in ACCESS_MODES}
    if "ReadWriteOncePod" in known and len(known) > 1:
        yield at.forbidden("may not use ReadWriteOncePod with other access modes")


def _storage(resources: dict[str, Any], at: Place) -> Iterator[Fault]:
    requests = resources.get("requests", {})
    field = Place(f"{at.field}[storage]", (*at.path, "requests", "storage"))
    if "storage" not in requests:
        yield field.required()
        return
    value = quantity.parse(requests["storage"])
    if value.nanos <= 0:
        yield field.invalid(str(value), "must be greater than zero")
    else:
        yield from amount("storage", value, field)


def _sources(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        yield from _source(source, at.child("dataSource"))
    if reference is not None:
        field = at.child("dataSourceRef")
        yield from _source(reference, field)
        for message in syntax.dns1123_label(reference["namespace"]) if reference.get("namespace") else ():
            yield field.child("namespace").invalid(reference["namespace"], message)
    if source is None or reference is None:
        return
    # Upstream puts a path where the value belongs, and a path is an empty object to JSON.
    if reference.get("namespace"):
        yield at.seen_at("dataSource").invalid({}, "may not be specified when dataSourceRef.namespace is specified")
    elif any(source.get(name) != reference.get(name) for name in _SAME):
        yield at.seen_at("dataSource").invalid({}, "must match dataSourceRef")


def _source(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateDataSource` and `validateDataSourceRef`."""
    for name in ("name", "kind"):
        if not source.get(name):
            yield at.child(name).required()
    group = source.get("apiGroup", "")
    if not group and source.get("kind") != "PersistentVolumeClaim":
        yield at.invalid(source.get("kind", ""), _DEFAULT_GROUP)
    for message in syntax.dns1123_subdomain(group) if group else ():
        yield at.child("apiGroup").invalid(group, message)
