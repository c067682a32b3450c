"""A field at a wrong level of indentation -> the hint that names its level; None for a field that has none."""

from __future__ import annotations

from collections.abc import Callable

from tjgen.language.spec.flow import flow
from tjgen.trees.fields.path import FieldPath, Tree, render
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.typing import Any

Schema = dict[str, Any]

_SECTIONS = ("data", "schedule", "restart", "sweep", "cleanup", "pod", "checkpoints")
"""Sections of spec whose fields are often written at the level of spec, because they lack two spaces."""

_USUAL = ("data", "code", "checkpoints")
"""Fields of spec that are also usual names of volumes."""

_OF_POD = ("fsGroup", "runAsUser", "runAsGroup", "runAsNonRoot", "supplementalGroups", "seccompProfile", "sysctls")
_OF_CONTAINERS = ("privileged", "capabilities", "allowPrivilegeEscalation", "readOnlyRootFilesystem")
"""Fields of the security context of a pod, and of its containers."""


def unknown(path: FieldPath, value: Tree, schema_of: Callable[[FieldPath], Schema]) -> str | None:
    """The hint for the unknown field at `path`, which is a field of another level."""
    key, of_metadata = str(path[-1]), _fields(("metadata",), schema_of)
    if len(path) == 1 and key in of_metadata:
        return f"indent {key} with two more spaces, so that it is a field of metadata"
    if path[:1] == ("metadata",) and len(path) == 2 and value.__class__ is str and nearest(key, of_metadata) is None:
        return f"write labels: {{{key}: {flow(value)}}}"
    if path[:2] == ("spec", "data") and len(path) == 3 and key in _volume(schema_of):
        return "write data and its fields with two more spaces below volumes"
    if path[:2] == ("spec", "volumes") and len(path) == 4 and value.__class__ is dict and set(value) & set(_volume(schema_of)):
        return f"indent {key} with two fewer spaces, so that it is a volume"
    if len(path) == 2 and path[0] == "spec":
        for section in _SECTIONS:
            if key in _fields(("spec", section), schema_of):
                return f"write {section}: {{{key}: {flow(value)}}}"
        return None
    for length in range(len(path) - 2, 0, -1):
        if key in _fields(path[:length], schema_of):
            return f"{key} is a field of {render(path[:length])}: move it there"
    return None


def entry(path: FieldPath, value: Tree, schema_of: Callable[[FieldPath], Schema]) -> str | None:
    """The hint for an entry of `volumes` or of a sweep's values whose name is that of a field of another level."""
    if value.__class__ is dict or len(path) < 3:
        return None
    key = str(path[-1])
    if path[1:2] == ("volumes",) and len(path) == 3:
        if key in _volume(schema_of):
            return f"indent {key} with two more spaces, so that it is a field of a volume"
        if key not in _USUAL and key in _fields(("spec",), schema_of):
            return f"indent {key} with two fewer spaces, so that it is a field of spec"
    if path[1:2] == ("sweep",) and len(path) == 4 and key in _fields(path[:2], schema_of):
        return f"indent {key} with two fewer spaces, so that it is a field of sweep"
    return None


def of_security(path: FieldPath, value: Tree) -> str | None:
    """The hint for a field of a security context in `pod` or in spec; None for other fields."""
    key = str(path[-1])
    section = "securityContext" if key in _OF_POD else "containerSecurityContext" if key in _OF_CONTAINERS else None
    if section is None or path[:-1] not in (("spec",), ("spec", "pod")):
        return None
    written = f"{section}: {{{key}: {flow(value)}}}"
    return f"write {written}" if path[-2] == "pod" else f"write pod: {{{written}}}"


def _fields(path: FieldPath, schema_of: Callable[[FieldPath], Schema]) -> Schema:
    fields: Schema = schema_of(path).get("properties", {})
    return fields


def _volume(schema_of: Callable[[FieldPath], Schema]) -> Schema:
    return _fields(("spec", "volumes", "any"), schema_of)
