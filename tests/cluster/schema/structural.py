"""Trees for a structural schema, mostly right and sometimes wrong; and the schema as JSON Schema knows it."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Schema = dict[str, Any]

_ANY: SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 7, 2**31, 1.5, 2.0, "", "a", "A b", "1Gi", {}, [], {"a": 1}, [1, "x"]]
)
_TEXTS = st.sampled_from(["", "a", "a.b/c", "x-y", "TCP", "1", "100m", "a" * 300])


def trees(schema: Schema, depth: int = 0) -> SearchStrategy[Any]:
    """Values for `schema`: one in a few has something wrong."""
    right = _right(schema, depth)
    return st.integers(0, 19).flatmap(lambda draw: _ANY if draw == 0 else right)


def _right(schema: Schema, depth: int) -> SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "x-kubernetes-int-or-string" in schema:
        return st.sampled_from([1, 0, "1", "50%", "1Gi", "x"])
    kind = schema.get("type")
    if kind == "object":
        return _objects(schema, depth)
    if kind == "array":
        return st.lists(trees(schema.get("items", {}), depth + 1), max_size=3) if depth < 8 else st.just([])
    scalars: dict[Any, SearchStrategy[Any]] = {
        "string": _TEXTS,
        "integer": st.sampled_from([0, 1, 5, -1, 70000, 2**31 - 1]),
        "number": st.sampled_from([0, 1.5]),
        "boolean": st.booleans(),
    }
    return scalars.get(kind, _ANY)


def _objects(schema: Schema, depth: int) -> SearchStrategy[Any]:
    properties: Schema = schema.get("properties", {})
    others = schema.get("additionalProperties")
    if depth >= 8:
        return st.just({})

    @st.composite
    def build(draw: st.DrawFn) -> dict[str, Any]:
        names = set(schema.get("required", ())) if draw(st.integers(0, 9)) else set()
        names |= set(draw(st.lists(st.sampled_from(sorted(properties)), max_size=3))) if properties else set()
        tree = {name: draw(trees(properties[name], depth + 1)) for name in sorted(names & set(properties))}
        if isinstance(others, dict):
            for name in draw(st.lists(st.sampled_from(["a", "cpu", "x.y/z"]), max_size=2)):
                tree[name] = draw(trees(others, depth + 1))
        if draw(st.integers(0, 29)) == 0:
            tree["stranger"] = draw(_ANY)
        return tree

    return build()


def as_json_schema(schema: Any) -> Any:
    """The same schema for a JSON Schema validator, which knows no nullable, no int-or-string and closes nothing by itself."""
    if not isinstance(schema, dict):
        return schema
    known = (
        "type",
        "required",
        "enum",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    )
    converted: Schema = {key: schema[key] for key in known if key in schema}
    if "properties" in schema:
        converted["properties"] = {name: as_json_schema(below) for name, below in schema["properties"].items()}
    if "items" in schema:
        converted["items"] = as_json_schema(schema["items"])
    if isinstance(schema.get("additionalProperties"), dict):
        converted["additionalProperties"] = as_json_schema(schema["additionalProperties"])
    if "pattern" in schema:
        converted["pattern"] = schema["pattern"].removesuffix("$") + (r"\Z" if schema["pattern"].endswith("$") else "")
    if "x-kubernetes-int-or-string" in schema:
        converted["type"] = ["integer", "string"]
    if schema.get("format") in ("int32", "int64") and schema.get("type") == "integer":
        bits = 31 if schema["format"] == "int32" else 63
        converted["minimum"] = max(converted.get("minimum", -(2**bits)), -(2**bits))
        converted["maximum"] = min(converted.get("maximum", 2**bits - 1), 2**bits - 1)
    return converted
