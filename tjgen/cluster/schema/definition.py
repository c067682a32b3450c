"""A CustomResourceDefinition -> the text of a schema file for every version of its kind that is served."""

from __future__ import annotations

from collections.abc import Iterator
from json import dumps

from tjgen.cluster.schema.store import ITEMS, VALUES, Schema, file_name
from tjgen.trees.typing import Any, NamedTuple

WIDTH = 140
"""Longest line of a schema file: short enough to review, long enough to load fast."""
_WORDS = ("description", "example", "externalDocs", "title")
"""Keywords of a schema that serve only as documentation; a property may have one of these names."""

_EMBEDDED = {
    "apiVersion": {"type": "string", "minLength": 1},
    "kind": {"type": "string", "minLength": 1},
    "metadata": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
}
"""The fields that an embedded object has without declaring them (`x-kubernetes-embedded-resource`)."""


class SchemaFile(NamedTuple):
    """The schema of one version of a kind as stored in a folder of schemas."""

    name: str
    text: str
    api_version: str
    kind: str


def schema_files(definition: Schema) -> Iterator[SchemaFile]:
    """A file for every version that is served; the definition is one that a cluster takes."""
    spec = definition["spec"]
    for version in spec["versions"]:
        if version["served"]:
            group, kind = spec["group"], spec["names"]["kind"]
            api_version = f"{group}/{version['name']}" if group else version["name"]
            text = laid_out(_schema(spec, version)) + "\n"
            yield SchemaFile(file_name(api_version, kind), text, api_version, kind)


def _schema(spec: Schema, version: Schema) -> Schema:
    """The version's schema; its root also describes how the kind is served, and the paths of its CEL rules."""
    subresources = version.get("subresources") or {}
    resource = {"plural": spec["names"]["plural"], "scope": spec["scope"], "status": "status" in subresources}
    if "scale" in subresources:
        resource["scale"] = subresources["scale"]
    gvk = {"group": spec["group"], "version": version["name"], "kind": spec["names"]["kind"]}
    schema: Schema = without_words(version["schema"]["openAPIV3Schema"])
    if spec.get("preserveUnknownFields"):
        schema = _preserving(schema)
    schema = _marked(schema)
    extensions: Schema = {"x-kubernetes-group-version-kind": [gvk], "x-tjgen-resource": resource}
    if gvk["group"] == "meta":
        return schema  # ObjectMeta itself
    rules = ruled(schema)
    if rules is not None:
        extensions["x-tjgen-rules"] = rules
    # All objects share the schema of metadata, which has a file of its own; apiVersion and kind need no properties.
    named = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
    properties = {**named, **schema.get("properties", {}), "metadata": {"type": "object"}}
    return {**schema, "properties": properties, **extensions}


def without_words(schema: Any) -> Any:
    """The schema without descriptions and other words for people."""
    if schema.__class__ is not dict:
        return schema
    kept = {key: value for key, value in schema.items() if key not in _WORDS}
    return _with_parts(kept, without_words)


def _preserving(schema: Any) -> Any:
    """The schema of a kind whose unknown fields are kept everywhere (`spec.preserveUnknownFields`)."""
    if schema.__class__ is not dict:
        return schema
    return _with_parts({**schema, "x-kubernetes-preserve-unknown-fields": True}, _preserving)


def _marked(schema: Any) -> Any:
    """The schema with marks for what the walker looks at only if it has to, and with the fields of embedded objects."""
    if schema.__class__ is not dict:
        return schema
    result = _with_parts(schema, _marked)
    if any(word in schema for word in ("allOf", "multipleOf", "not", "oneOf")) or (
        "anyOf" in schema and "x-kubernetes-int-or-string" not in schema
    ):
        result["x-tjgen-junctors"] = True
    if schema.get("x-kubernetes-embedded-resource"):
        result["properties"] = {**_EMBEDDED, **result.get("properties", {})}
        result["required"] = sorted({"apiVersion", "kind", *result.get("required", ())})
    return result


def _with_parts(schema: Schema, change: Any) -> Schema:
    """Return the schema with `change` applied to its direct subschemas."""
    result = dict(schema)
    if "properties" in schema:
        result["properties"] = {name: change(below) for name, below in schema["properties"].items()}
    for part in ("additionalProperties", "items", "not"):
        if part in schema:
            result[part] = change(schema[part])
    for part in ("allOf", "anyOf", "oneOf"):
        if part in schema:
            result[part] = [change(below) for below in schema[part]]
    return result


def ruled(schema: Any) -> Schema | None:
    """The paths of the rules of a schema; None if it has none."""
    if schema.__class__ is not dict:
        return None
    parts = {**schema.get("properties", {}), VALUES: schema.get("additionalProperties"), ITEMS: schema.get("items")}
    below = {step: rules for step, part in parts.items() if (rules := ruled(part)) is not None}
    return below if below or "x-kubernetes-validations" in schema else None


def laid_out(value: Any, depth: int = 0) -> str:
    """`value` as JSON with sorted keys, broken into lines only where it would be too long for one."""
    line = dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if len(line) + depth <= WIDTH or not isinstance(value, (dict, list)):
        return line
    pad = " " * (depth + 1)
    if isinstance(value, list):
        parts = [laid_out(item, depth + 1) for item in value]
    else:
        parts = [f"{dumps(key, ensure_ascii=False)}:{laid_out(value[key], depth + 1)}" for key in sorted(value)]
    opening, closing = ("[", "]") if isinstance(value, list) else ("{", "}")
    return opening + "\n" + pad + (",\n" + pad).join(parts) + closing
