"""Environment variables of a container -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateEnv, ValidateEnvFrom).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.paths import no_steps_back
from tjgen.cluster.validate.builtin.references import field_reference, resource_reference
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_ONE_OF = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)


def environment(variables: Any, at: Place) -> Iterator[Fault]:
    """`ValidateEnv`."""
    for position, variable in enumerate(variables):
        name = variable.get("name", "")
        if not name:
            yield at.item(position).child("name").required()
        else:
            for message in syntax.env_name(name):
                yield at.item(position).child("name").invalid(name, message)
        if "valueFrom" in variable:
            yield from _value_from(variable, at.item(position).child("valueFrom"))


def _value_from(variable: dict[str, Any], at: Place) -> Iterator[Fault]:
    source = variable["valueFrom"]
    given = [kind for kind in _SOURCES if kind in source]
    if "fieldRef" in source:
        yield from field_reference(source["fieldRef"], _FIELDS, at.child("fieldRef"))
    if "resourceFieldRef" in source:
        yield from resource_reference(source["resourceFieldRef"], at.child("resourceFieldRef"), in_volume=False)
    for kind in ("configMapKeyRef", "secretKeyRef"):
        if kind in source:
            yield from _key(source[kind], at.child(kind))
    if "fileKeyRef" in source:
        yield from _file(source["fileKeyRef"], at.child("fileKeyRef"))
    if not given:
        yield at.invalid("", _ONE_OF)
    elif variable.get("value"):
        yield at.invalid("", "may not be specified when `value` is not empty")
    elif len(given) > 1:
        yield at.invalid("", "may not have more than one field specified at a time")


def _key(reference: dict[str, Any], at: Place) -> Iterator[Fault]:
    for message in syntax.dns1123_subdomain(reference.get("name", "")):
        yield at.child("name").invalid(reference.get("name", ""), message)
    key = reference.get("key", "")
    if not key:
        yield at.child("key").required()
    for message in syntax.config_key(key) if key else ():
        yield at.child("key").invalid(key, message)


def _file(reference: dict[str, Any], at: Place) -> Iterator[Fault]:
    for name, check in (("key", syntax.env_name), ("volumeName", syntax.dns1123_label)):
        if not reference.get(name):
            yield at.child(name).required()
        for message in check(reference[name]) if reference.get(name) else ():
            yield at.child(name).invalid(reference[name], message)
    if not reference.get("path"):
        yield at.child("path").required()
    else:
        yield from no_steps_back(reference["path"], at.child("path"))


def environment_sources(sources: Any, at: Place) -> Iterator[Fault]:
    """`ValidateEnvFrom`."""
    for position, source in enumerate(sources):
        element, prefix = at.item(position), source.get("prefix", "")
        for message in syntax.env_name(prefix) if prefix else ():
            yield element.child("prefix").invalid(prefix, message)
        given = [kind for kind in ("configMapRef", "secretRef") if kind in source]
        for kind in given:
            name = source[kind].get("name", "")
            if not name:
                yield element.child(kind, "name").required()
            # A name is checked here as the beginning of one: a dash may end it.
            for message in syntax.dns1123_subdomain(_masked(name)) if name else ():
                yield element.child(kind, "name").invalid(name, message)
        if not given:
            yield at.seen_at(position).invalid("", "must specify one of: `configMapRef` or `secretRef`")
        elif len(given) > 1:
            yield at.seen_at(position).invalid("", "may not have more than one field specified at a time")


def _masked(name: str) -> str:
    return name[:-2] + "a" if len(name) > 1 and name.endswith("-") else name
