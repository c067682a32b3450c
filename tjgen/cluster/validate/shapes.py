"""A CustomResourceDefinition -> what keeps its schemas from being read: words with values that the walker does not expect."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.cluster.schema.store import Schema
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import Any

_NUMBERS = ("maximum", "minimum", "multipleOf")
_COUNTS = ("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties")
_FLAGS = ("exclusiveMaximum", "exclusiveMinimum", "nullable", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string")
_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_LONGEST = 100
_LIST_TYPES = ("atomic", "map", "set")
_NAMES: tuple[FieldPath, ...] = (("spec", "group"), ("spec", "names", "kind"), ("spec", "names", "plural"))
_TEXT_FIELDS = ("fieldPath", "message", "messageExpression", "reason")


def faults(tree: Tree) -> Iterator[tuple[FieldPath, str]]:
    """What keeps a definition from being read."""
    spec = tree.get("spec")
    if not isinstance(spec, dict):
        yield ("spec",), "must be a mapping"
        return
    for path in _NAMES:
        value = get(tree, path, None)
        if not _is_name(value):
            yield path, "must be a name"
    if spec.get("scope") not in ("Cluster", "Namespaced"):
        yield ("spec", "scope"), "must be Cluster or Namespaced"
    versions = spec.get("versions")
    if not isinstance(versions, list) or not versions:
        yield ("spec", "versions"), "must be a list of versions"
        return
    for position, version in enumerate(versions):
        path = ("spec", "versions", position)
        if not isinstance(version, dict) or not _is_name(version.get("name")) or not isinstance(version.get("served"), bool):
            yield path, "must have a name, and set whether it is served"
            continue
        schema = get(version, ("schema", "openAPIV3Schema"), None)
        where = (*path, "schema", "openAPIV3Schema")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            yield where, "must be the schema of an object"
            continue
        yield from _shape(schema, where)
        scale = get(version, ("subresources", "scale"), None)
        if scale is not None and not isinstance(get(scale, ("specReplicasPath",), None), str):
            yield (*path, "subresources", "scale"), "must have a specReplicasPath"


def _is_name(value: Any) -> bool:
    """Whether it can be part of a file's name."""
    return (
        isinstance(value, str) and value.isprintable() and 0 < len(value) <= _LONGEST and "/" not in value and "\\" not in value
    )


def _shape(schema: Any, path: FieldPath) -> Iterator[tuple[FieldPath, str]]:
    """The words of a schema that have values of another type than the walker reads."""
    if not isinstance(schema, dict):
        yield path, "must be a schema"
        return
    for word, value in schema.items():
        wrong = _WORDS[word](value) if word in _WORDS else ""
        if wrong:
            yield (*path, word), wrong
    if schema.get("x-kubernetes-list-type") == "map" and not schema.get("x-kubernetes-list-map-keys"):
        yield (*path, "x-kubernetes-list-type"), "a list map must name its keys"
    for step, below in parts(schema):
        yield from _shape(below, path + step)


def _must(wanted: str, check: Callable[[Any], bool]) -> Callable[[Any], str]:
    return lambda value: "" if check(value) else f"must be {wanted}"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_rules(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(rule, dict)
        and isinstance(rule.get("rule"), str)
        and all(isinstance(rule.get(word, ""), str) for word in _TEXT_FIELDS)
        for rule in value
    )


_WORDS: dict[str, Callable[[Any], str]] = {
    "enum": _must("a list", lambda value: isinstance(value, list)),
    "format": _must("a text", lambda value: isinstance(value, str)),
    "pattern": _must("a text", lambda value: isinstance(value, str)),
    "properties": _must("a mapping", lambda value: isinstance(value, dict)),
    "required": _must("a list of names", _is_texts),
    "type": _must(f"one of {', '.join(_TYPES)}", lambda value: value in _TYPES),
    "x-kubernetes-list-map-keys": _must("a list of names", _is_texts),
    "x-kubernetes-list-type": _must(f"one of {', '.join(_LIST_TYPES)}", lambda value: value in _LIST_TYPES),
    "x-kubernetes-validations": _must("a list of rules", _is_rules),
    **{word: _must("a list of schemas", lambda value: isinstance(value, list)) for word in ("allOf", "anyOf", "oneOf")},
    **{word: _must("a number", _is_number) for word in _NUMBERS},
    **{word: _must("a whole number", lambda value: isinstance(value, int)) for word in _COUNTS},
    **{word: _must("true or false", lambda value: isinstance(value, bool)) for word in _FLAGS},
}
"""Word of a schema -> what is wrong with its value."""


def parts(schema: Schema) -> Iterator[tuple[FieldPath, Any]]:
    """The schemas right below one."""
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, below in properties.items():
            yield ("properties", name), below
    for word in ("additionalProperties", "items", "not"):
        if word in schema and not (word == "additionalProperties" and isinstance(schema[word], bool)):
            yield (word,), schema[word]
    for word in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(word)
        for position, below in enumerate(parts if isinstance(parts, list) else ()):
            yield (word, position), below
