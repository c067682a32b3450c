"""apiVersion and kind -> the structural schema of that kind, read from `schemas/` when it is asked for.

A schema is what a CustomResourceDefinition holds (OpenAPI v3 with the x-kubernetes extensions). Its
root also has `x-tjgen-resource`: plural name, scope, whether there is a status subresource, and
where the scale subresource looks; and `x-tjgen-rules`: where its CEL rules stand. `metadata` at the
root is just some object: see `object_meta`. Schemas are shared between all callers and never written
into.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen import data
from tjgen.schema.jsontext import read_json
from tjgen.typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

ITEMS = "[]"
VALUES = "{}"
"""The steps of `x-tjgen-rules` that are no property: into the items of a list, into the values of a map."""

_loaded: dict[str, Schema | None] = {}


def find(api_version: str, kind: str, *, versions: Mapping[str, str] | None = None) -> Schema | None:
    """The schema of a kind, or None where there is none.

    `versions` chooses the release of a project (`{"trainer": "v2.1.0"}`); without it the newest
    release that tjgen knows answers.
    """
    project = _index()["kinds"].get(f"{api_version}/{kind}")
    if project is None:
        return None
    version = (versions or {}).get(project) or _index()["newest"][project]
    return _load(project, version, file_name(api_version, kind))


def file_name(api_version: str, kind: str) -> str:
    """How the file with the schema of a kind is called."""
    group, _, version = api_version.rpartition("/")
    return f"{group or 'core'}_{version}_{kind.lower()}.json"


def is_built_in(api_version: str, kind: str) -> bool:
    """Whether the kind is one of Kubernetes' own: those are decoded into Go types, the others checked by their schema."""
    return bool(_index()["kinds"].get(f"{api_version}/{kind}") == "kubernetes")


def object_meta() -> Schema:
    """The schema of the metadata of every object."""
    schema = _load("kubernetes", _index()["newest"]["kubernetes"], "meta_v1_objectmeta.json")
    assert schema is not None, "schemas/kubernetes has ObjectMeta"
    return schema


def releases(project: str) -> tuple[str, ...]:
    """The releases of a project that there are schemas for, oldest first; empty for an unknown project."""
    return tuple(_index()["releases"].get(project, ()))


def listed(project: str, name: str) -> frozenset[str]:
    """The lines of a list that goes with the schemas of a project's newest release."""
    with open(data.path("schemas", project, _index()["newest"][project], f"{name}.txt"), encoding="utf-8") as file:
        return frozenset(file.read().split())


def _index() -> dict[str, Any]:
    index = _load("index.json")
    assert index is not None, "schemas/index.json is there"
    return index


def _load(*parts: str) -> Schema | None:
    name = "/".join(parts)
    if name not in _loaded:
        try:
            with open(data.path("schemas", *parts), encoding="utf-8") as file:
                _loaded[name] = read_json(file.read())
        except FileNotFoundError:
            _loaded[name] = None
    return _loaded[name]
