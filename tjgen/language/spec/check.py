"""A tree of the language and its schema -> diagnostics about its shape, in words of the language."""

from __future__ import annotations

from tjgen.cluster.schema import walk
from tjgen.cluster.schema.walk import Finding
from tjgen.language.spec import compact
from tjgen.language.spec.forms import text
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, render
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.typing import Any

Schema = dict[str, Any]

_NOUNS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_KINDS = {dict: "a mapping", list: "a list", str: "a text", int: "a number", float: "a number", bool: "a boolean"}


def check_experiment(tree: Tree) -> list[Diagnostic]:
    """What is wrong with the shape of an experiment without nulls, long or short forms alike."""
    return check(tree, compact.EXPERIMENT)


def check(tree: Tree, schema: Schema) -> list[Diagnostic]:
    """What in `tree` does not fit `schema`, in the order of the tree; paths are those of `tree`."""
    found = []
    strange: FieldPath | None = None
    for finding in walk.check(tree, schema):
        if strange is not None and finding.path[: len(strange)] == strange:
            continue  # What stands in a list where a mapping belongs is not wrong once more.
        if finding.type == walk.TYPE and finding.value.__class__ in (dict, list):
            strange = finding.path
        if finding.type != walk.REQUIRED or not _is_partial(schema, finding.path):
            found.append(_diagnostic(finding, schema))
    return found


def schema_at(schema: Schema, path: FieldPath) -> Schema:
    """The schema of the place at `path`, empty where the language does not say."""
    for step in path:
        schema = _below(schema, step)
    return schema


def _below(schema: Schema, step: object) -> Schema:
    if step.__class__ is not str:
        return schema.get("items", {})  # type: ignore[no-any-return]  # a schema
    others = schema.get("additionalProperties")
    return schema.get("properties", {}).get(step) or (others if isinstance(others, dict) else {})


def _is_partial(schema: Schema, path: FieldPath) -> bool:
    for step in path:
        if "x-tjgen-partial" in schema:
            return True
        schema = _below(schema, step)
    return False


def _diagnostic(finding: Finding, schema: Schema) -> Diagnostic:
    code, message, hint = _words(finding, schema_at(schema, finding.path))
    return Diagnostic(code, message, path=finding.path, hint=hint)


def _words(finding: Finding, schema: Schema) -> tuple[str, str, str | None]:
    field, value = render(finding.path), finding.value
    expected = schema.get("x-tjgen-expects")
    if finding.type == walk.UNKNOWN:
        return "TJ101", f'unknown field "{finding.path[-1]}"', _known(finding)
    if finding.type == walk.REQUIRED:
        return "TJ102", f"{field} is missing", None
    if finding.type == walk.TYPE:
        return (
            "TJ103",
            f"{field} is {shown(value)}, {_kind(value)}, where {_wanted(schema)} belongs",
            _hint(value, schema),
        )
    if finding.type == walk.UNSUPPORTED:
        near = nearest(str(value), finding.known)
        hint = f'did you mean "{near}"?' if near else None
        wanted = ("none of " if len(finding.known) > 1 else "not ") + ", ".join(finding.known)
        return "TJ104", f"{field} is {shown(value)}, which is {wanted}", hint
    if finding.type == walk.TOO_LONG:
        return "TJ105", f"{field} is {shown(value)}, which is too long ({len(value)} characters)", expected
    if value.__class__ in (int, float) and "minItems" not in schema:
        return "TJ106", f"{field} is {value}, but {finding.message.replace('should', 'must')}", expected
    if value == "" or "minItems" in schema:
        return "TJ105", f"{field} is empty", "give it a value or leave it out"
    short = schema.get("x-tjgen-short", {}) if value.__class__ is not dict else {}
    return (
        "TJ105",
        f"{field} is {shown(value)}, which is not of the form that it must have",
        (expected or short.get("x-tjgen-expects") or f"write it so that it matches {schema.get('pattern')}"),
    )


def _known(finding: Finding) -> str | None:
    if finding.path[0] == "spec" and "image" in finding.known:
        from tjgen.language.spec.foreign import field_of  # only for a field that is wrong

        field = field_of(str(finding.path[-1]))
        if field is not None:
            own = field.partition(":")[0] in finding.known
            return f"write {field}" if own else f"write {field}, in spec of the experiment"
    near = nearest(str(finding.path[-1]), finding.known)
    if near:
        return f'did you mean "{near}"?'
    return f"the fields here are {', '.join(finding.known)}" if finding.known else None


def _wanted(schema: Schema) -> str:
    types = schema.get("type", [])
    wanted = [_NOUNS[name] for name in (types if isinstance(types, list) else [types])]
    if "x-tjgen-short" in schema:
        short = schema["x-tjgen-short"].get("type", [])
        wanted = [_NOUNS[name] for name in (short if isinstance(short, list) else [short])] + wanted
    return ", ".join(wanted[:-1]) + " or " + wanted[-1] if len(wanted) > 1 else "".join(wanted)


def _hint(value: Tree, schema: Schema) -> str | None:
    types = schema.get("type")
    if types == "string" and value.__class__ in (int, float, bool):
        # The value does not show how it was written: 1.10 is 1.1, and 007 is 7.
        return "put the value in quotation marks, as the file writes it"
    if types in ("integer", "number") and value.__class__ is str and value.isascii() and value.isdigit():
        return f"leave the quotes out: {value}"
    if types == "array" and value is not None:
        return f"make it a list: [{flow}]" if len(flow := _flow(value)) <= 42 else "make it a list"
    expected: str | None = schema.get("x-tjgen-expects") or schema.get("x-tjgen-short", {}).get("x-tjgen-expects")
    return expected or (_fields(value, schema) if types == "object" else None)


def _fields(value: Tree, schema: Schema) -> str | None:
    """What a mapping holds that something else was written for; lists with names are Kubernetes' way to write maps."""
    if "additionalProperties" not in schema:
        return f"the fields here are {', '.join(schema['properties'])}" if schema.get("properties") else None
    first = value[0] if value.__class__ is list and value else None
    name = first.get("name") if first.__class__ is dict else first
    return f"make each name a key, as in {name.partition('=')[0]}: ..." if name.__class__ is str else "make each name a key"


def _kind(value: Tree) -> str:
    return _KINDS.get(value.__class__, "null")


def shown(value: Tree) -> str:
    """A value as a message quotes it: in YAML's flow style, clipped where it is long."""
    flow = _flow(value)
    return flow if len(flow) <= 60 else flow[:57] + "..."


def _flow(value: Tree) -> str:
    if value.__class__ is str:
        return f'"{value}"'
    if value.__class__ is dict:
        return "{" + ", ".join([f"{key}: {_flow(item)}" for key, item in value.items()]) + "}"
    if value.__class__ is list:
        return "[" + ", ".join(map(_flow, value)) + "]"
    return "null" if value is None else text(value)
