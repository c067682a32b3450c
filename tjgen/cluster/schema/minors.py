"""A minor of Kubernetes -> the schema of a built-in kind in it.

`schemas/kubernetes` has the schemas of one minor, BASE. `minors.json` there lists the fields and kinds that other minors
have or lack; `schemas/minors.py` generates it from the Go types of each minor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.typing import Any

KUBERNETES = "kubernetes"
"""The key of `versions` that names the minor, such as 1.34."""
BASE = 36
OLDEST, NEWEST = 31, 37
_ANY = {"x-kubernetes-preserve-unknown-fields": True}


def minor_in(versions: Mapping[str, str] | None) -> int:
    """The minor that `versions` names, or the nearest one that tjgen has; BASE if it names none."""
    text = (versions or {}).get(KUBERNETES)
    return BASE if text is None else nearest(text)


def nearest(text: str) -> int:
    """The minor of a release such as 1.34 or v1.34.2, or the nearest one that tjgen has."""
    return min(max(number_of(text), OLDEST), NEWEST)


def number_of(text: str) -> int:
    """The minor of a release, such as 34 of v1.34.2."""
    return int(text.removeprefix("v").split(".")[1])


def is_release(text: str) -> bool:
    """Whether the text is a release of Kubernetes, such as 1.34 or v1.34.2."""
    parts = text.removeprefix("v").split(".")
    return len(parts) in (2, 3) and parts[0] == "1" and all(len(part) < 4 and part.isdecimal() for part in parts)


def substitutes(text: str, span: Span | None = None) -> Iterator[Diagnostic]:
    """TJ471 if tjgen does not have the minor of a release, and judges it by the nearest one."""
    if nearest(text) != number_of(text):
        message = f"tjgen has no rules for Kubernetes {text}: the nearest release, 1.{nearest(text)}, validates the manifests"
        yield Diagnostic("TJ471", message, span=span, hint=f"fields and defaults may differ; tjgen has 1.{OLDEST} to 1.{NEWEST}")


def adjusted(schema: dict[str, Any], name: str, data: dict[str, Any], minor: int) -> dict[str, Any] | None:
    """The schema in file `name` as it is in a minor; None if the minor does not have the kind. `data` is `minors.json`."""
    if not _has(data["kinds"].get(name), minor):
        return None
    prefix = data["pods"].get(name)
    paths = dict(data["fields"].get(name, {}))
    if prefix is not None:
        paths |= {f"{prefix}.{path}": span for path, span in data["fields"]["pod"].items()}
    for path, span in paths.items():
        if _has(span, minor) != _has(span, BASE):
            schema = _with(schema, _steps(path), _ANY if _has(span, minor) else None)
    return schema


def lacking(data: dict[str, Any], minor: int) -> Iterator[tuple[str, ...]]:
    """The paths of the fields of a pod's spec that a minor does not have."""
    for path, span in data["fields"]["pod"].items():
        if not _has(span, minor):
            yield _steps(path)


def _has(span: list[int | None] | None, minor: int) -> bool:
    if span is None:
        return True
    first, last = span
    return (first is None or first <= minor) and (last is None or minor <= last)


def _steps(path: str) -> tuple[str, ...]:
    """Names of fields, with `[]` for the items of a list and `{}` for the values of a map."""
    return tuple(path.replace("[]", ".[]").replace("{}", ".{}").split("."))


def _with(schema: dict[str, Any], steps: tuple[str, ...], value: dict[str, Any] | None) -> dict[str, Any]:
    """A copy of the schema with the field at `steps`, or without it if `value` is None."""
    step, rest = steps[0], steps[1:]
    if step in ("[]", "{}"):
        key = "items" if step == "[]" else "additionalProperties"
        return {**schema, key: _with(schema[key], rest, value)} if key in schema else schema
    properties = schema.get("properties", {})
    if rest:
        if step not in properties:
            return schema
        return {**schema, "properties": {**properties, step: _with(properties[step], rest, value)}}
    kept = {key: below for key, below in properties.items() if key != step}
    return {**schema, "properties": {**kept, step: value} if value is not None else kept}
