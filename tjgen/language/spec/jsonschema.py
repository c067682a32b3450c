"""A kind of the language -> its JSON Schema for editors, with the descriptions of all fields.

Generated from the models, so pydantic is imported on demand: never by build or check.
"""

from __future__ import annotations

from tjgen.trees.typing import Any

Schema = dict[str, Any]

KINDS = ("experiment", "overlay", "platform", "project")
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PARTIAL = ("PartialExperiment", "Task")
"""The models below which nothing is required."""
_NULL = {"type": "null"}


def json_schema(kind: str) -> Schema:
    """The JSON Schema of one of KINDS, in capitals or not."""
    schema = _model(kind.lower()).model_json_schema(by_alias=True)
    definitions = _with_partial(schema.pop("$defs"))
    used = sorted(_used(schema, definitions))
    return {
        "$schema": _DIALECT,
        **_plain(schema, named=True),
        "$defs": {name: _plain(definitions[name], named=True) for name in used},
    }


def _model(kind: str) -> Any:
    from importlib import import_module

    return getattr(import_module(f"tjgen.language.spec.models.{kind}"), kind.capitalize())


def _with_partial(definitions: Schema) -> Schema:
    """The definitions, and copies of those below a partial model in which nothing is required."""
    partial: Schema = {}
    for root in [name for name in _PARTIAL if name in definitions]:
        below = _used(definitions[root], definitions)
        partial |= {_renamed(name): _loosened(definitions[name]) for name in (root, *below)}
    return {**definitions, **partial}


def _used(schema: Any, definitions: Schema) -> set[str]:
    """The names of the definitions that `schema` needs, directly or through others."""
    used: set[str] = set()
    waiting = _refs(schema)
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += _refs(definitions[name])
    return used


def _refs(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for item in schema for name in _refs(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"].rpartition("/")[2]] if isinstance(schema.get("$ref"), str) else []
    return own + [name for value in schema.values() for name in _refs(value)]


def _renamed(name: str) -> str:
    return name if name in _PARTIAL else f"Partial{name}"


def _loosened(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_loosened(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    # A field may have the name `required` too: below `properties` it has a schema.
    loose = {key: _loosened(value) for key, value in schema.items() if key != "required" or not isinstance(value, list)}
    if isinstance(schema.get("$ref"), str):
        loose["$ref"] = f"#/$defs/{_renamed(schema['$ref'].rpartition('/')[2])}"
    return loose


def _plain(schema: Any, *, named: bool = False) -> Any:
    """The schema without what only pydantic needs, and with null allowed for each key that may be removed."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain: Schema = {}
    for key, value in schema.items():
        if key.startswith("x-") or (key == "title" and not named) or (key == "default" and not _is_telling(value)):
            continue
        if key == "properties":
            required = schema.get("required", [])
            plain[key] = {name: _plain(item) if name in required else _nullable(_plain(item)) for name, item in value.items()}
        elif key == "additionalProperties" and isinstance(value, dict):
            plain[key] = _nullable(_plain(value))
        elif key == "anyOf":
            plain[key] = [choice for item in value for choice in _choices(_plain(item))]
        else:
            plain[key] = _plain(value)
    return plain


def _choices(schema: Schema) -> list[Schema]:
    """The choices of a choice, as choices of their own: editors lose the description of a field over a second level."""
    return list(schema["anyOf"]) if list(schema) == ["anyOf"] else [schema]


def _is_telling(default: Any) -> bool:
    return default is not None and not isinstance(default, dict | list)


def _nullable(schema: Schema) -> Schema:
    if not schema or _NULL in schema.get("anyOf", []):
        return schema
    about: Schema = {key: schema[key] for key in ("description", "default") if key in schema}
    rest = {key: value for key, value in schema.items() if key not in about}
    return {"anyOf": [*rest["anyOf"], _NULL] if list(rest) == ["anyOf"] else [rest, _NULL], **about}
