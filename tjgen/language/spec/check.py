"""A tree of the language and its schema -> diagnostics about its shape, in words of the language."""

from __future__ import annotations

from tjgen.cluster.schema import walk
from tjgen.cluster.schema.walk import Mismatch
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
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
QUOTE = "put the value in quotation marks, exactly as the file spells it"
"""The hint for a number where a string is expected. The reader replaces it by the text of the file, where that is known."""
_KINDS = {dict: "a mapping", list: "a list", str: "a string", int: "a number", float: "a number", bool: "a boolean"}


def check_experiment(tree: Tree) -> list[Diagnostic]:
    """What is wrong with the shape of an experiment without nulls, long or short forms alike."""
    return check(tree, compact.EXPERIMENT)


def check(tree: Tree, schema: Schema) -> list[Diagnostic]:
    """What in `tree` does not fit `schema`, in the order of the tree; paths are those of `tree`."""
    diagnostics = []
    strange: FieldPath | None = None
    findings = list(walk.check(tree, schema))
    # A number or a boolean instead of a fixed word is one mistake, and only TJ104 names the words.
    unsupported = {one.path for one in findings if one.type == walk.UNSUPPORTED and str(one.value) not in one.known}
    bounds = _bounds(findings)
    for finding in findings:
        if finding.type == walk.TYPE and finding.path in unsupported:
            continue
        amounts = bounds.get((*finding.path[:-2], finding.path[-1])) if finding.type == walk.UNKNOWN and bounds else None
        if amounts is not None and finding.path[-2] in amounts:
            if next(iter(amounts)) == finding.path[-2]:
                diagnostics.append(_of_bounds(finding, amounts))
            continue
        if strange is not None and finding.path[: len(strange)] == strange:
            continue  # a value in a list that must be a mapping is reported once
        if finding.type == walk.TYPE and finding.value.__class__ in (dict, list):
            strange = finding.path
        if finding.type != walk.REQUIRED or not _is_partial(schema, finding.path):
            diagnostics.append(_diagnostic(finding, schema))
    return _without_misspelled(diagnostics)


def _without_misspelled(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Leave out a missing field if the hint for an unknown field next to it writes this field: one mistake."""
    missing = {one.path: one for one in diagnostics if one.code == "TJ102" and one.path}
    hints = [(one.path[:-1], one.hint) for one in diagnostics if one.code == "TJ101" and one.path and one.hint]
    written = {
        one
        for path, one in missing.items()
        for parent, hint in hints
        if parent == path[:-1] and hint.startswith((f"write {path[-1]}: ", f'did you mean "{path[-1]}"'))
    }
    return [one for one in diagnostics if one not in written] if written else diagnostics


def _bounds(findings: list[Mismatch]) -> dict[FieldPath, dict[str, Tree]]:
    """The amounts of each resource that is below both `limits` and `requests`: one mistake."""
    bounds: dict[FieldPath, dict[str, Tree]] = {}
    for one in findings:
        if one.type == walk.UNKNOWN and one.path[-3:-2] == ("resources",) and one.path[-2] in ("limits", "requests"):
            bounds.setdefault((*one.path[:-2], one.path[-1]), {})[str(one.path[-2])] = one.value
    return {path: amounts for path, amounts in bounds.items() if len(amounts) == 2}


def _of_bounds(finding: Mismatch, amounts: dict[str, Tree]) -> Diagnostic:
    from tjgen.language.spec import bounds  # only for an experiment with a mistake

    message = f'unknown field "{finding.path[-1]}"'
    return Diagnostic("TJ101", message, path=finding.path, hint=bounds.hint(finding.path, amounts))


def schema_at(schema: Schema, path: FieldPath) -> Schema:
    """Return the schema of the place at `path`, empty if the language has none."""
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


def _diagnostic(finding: Mismatch, schema: Schema) -> Diagnostic:
    code, message, hint = _words(finding, schema_at(schema, finding.path), schema)
    return Diagnostic(code, message, path=finding.path, hint=hint)


def _words(finding: Mismatch, schema: Schema, root: Schema) -> tuple[str, str, str | None]:
    from tjgen.language.spec import advice, misplaced  # only for an experiment with a mistake

    field, value = render(finding.path), finding.value
    short = schema.get("x-tjgen-short", {}) if value.__class__ is not dict else {}
    expected = schema.get("x-tjgen-expects") or short.get("x-tjgen-expects")
    if finding.type == walk.UNKNOWN:
        return "TJ101", f'unknown field "{finding.path[-1]}"', advice.unknown(finding, lambda path: schema_at(root, path))
    if finding.type == walk.REQUIRED:
        return "TJ102", f"{field} is missing", advice.missing(finding.path, schema)
    if finding.type == walk.TYPE:
        return (
            "TJ103",
            f"{field} is {shown(value)}, {_kind(value)}, but must be {_wanted(schema)}",
            misplaced.entry(finding.path, value, lambda path: schema_at(root, path)) or _hint(value, schema, finding.path),
        )
    if finding.type == walk.UNSUPPORTED:
        near = nearest(str(value), finding.known)
        if near is None and len(finding.known) == 1:
            message = f"{field} is {shown(value)}, but must be {finding.known[0]}"
            return "TJ104", message, f"write {finding.known[0]}{advice.other_group(finding)}"
        hint = advice.replacement(finding) or (f'did you mean "{near}"?' if near else "use one of them")
        wanted = ("one of " if len(finding.known) > 1 else "") + ", ".join(finding.known)
        return "TJ104", f"{field} is {shown(value)}, but must be {wanted}", hint
    if finding.type == walk.TOO_LONG:
        message = f"{field} has {len(value)} characters, but at most {(short or schema)['maxLength']} are allowed"
        return "TJ105", message, _with_reason(advice.value(value, short or schema), expected)
    if value.__class__ in (int, float) and "minItems" not in schema:
        bound = finding.message.replace("should be greater than or equal to", "must be at least")
        bound = bound.replace("should be less than or equal to", "must be at most").replace("should", "must")
        if finding.path[-2:] == ("gpu", "count") and value == 0:
            return "TJ106", f"{field} is {value}, but {bound}", "remove gpu: the pods then have no device"
        return "TJ106", f"{field} is {value}, but {bound}", schema.get("x-tjgen-expects") or f"write {_nearest_bound(finding)}"
    if value == "" or "minItems" in schema:
        return "TJ105", f"{field} is empty", "set a value or remove it"
    wanted = expected or f"write a value that matches {schema.get('pattern')}"
    return (
        "TJ105",
        f"{field} is {shown(value)}, which is not valid",
        _with_reason(advice.value(value, short or schema, finding.path), wanted),
    )


def _with_reason(suggestion: str | None, wanted: str | None) -> str | None:
    """A suggested value, and what values the field takes."""
    if suggestion is None or wanted is None or wanted.startswith("write"):
        return suggestion or wanted
    return f"{suggestion}; {wanted}"


def _nearest_bound(finding: Mismatch) -> str:
    bound = finding.message.split()[-1]
    return f"{bound} or {'more' if 'greater' in finding.message else 'less'}"


def _wanted(schema: Schema) -> str:
    types = schema.get("type", [])
    wanted = [_NOUNS[name] for name in (types if isinstance(types, list) else [types])]
    if "x-tjgen-short" in schema:
        short = schema["x-tjgen-short"].get("type", [])
        wanted = [_NOUNS[name] for name in (short if isinstance(short, list) else [short])] + wanted
    return ", ".join(wanted[:-1]) + " or " + wanted[-1] if len(wanted) > 1 else "".join(wanted)


def _hint(value: Tree, schema: Schema, path: FieldPath) -> str | None:
    types = schema.get("type")
    if types == "string" and value.__class__ in (int, float, bool):
        from tjgen.language.spec import advice  # only for an experiment with a mistake

        # The value does not show how it was written: 1.10 is 1.1, and 007 is 7.
        return (advice.value(value, schema, path) if value.__class__ is bool else None) or QUOTE
    if types in ("integer", "number") and value.__class__ is str and value.isascii() and value.isdigit():
        return f"remove the quotes: {value}"
    from tjgen.language.spec import advice  # only for an experiment with a mistake

    if types == "array" and value is not None:
        return advice.as_list(value, path)
    expected: str | None = schema.get("x-tjgen-expects") or schema.get("x-tjgen-short", {}).get("x-tjgen-expects")
    suggestion = advice.value(value, schema, path)
    if suggestion is not None or expected is not None:
        return _with_reason(suggestion, expected)
    if types == "object":
        return _fields(value, schema, path)
    return {"integer": "write a number without quotes and unit, such as 2", "boolean": "write true or false"}.get(str(types))


def _fields(value: Tree, schema: Schema, path: FieldPath) -> str | None:
    """What a mapping holds that something else was written for; lists with names are Kubernetes' way to write maps."""
    if "additionalProperties" not in schema:
        return f"use one of {', '.join(schema['properties'])}" if schema.get("properties") else None
    first = value[0] if value.__class__ is list and value else value
    if path[-1:] == ("volumes",):
        from tjgen.language.spec import advice  # only for an experiment with a mistake

        whole = advice.volume(first)
        if whole is not None:
            return f"make each name a key: {whole}"
    name = first.get("name") if first.__class__ is dict else first
    if name.__class__ is not str:
        return "make each name a key"
    key, _, given = name.partition("=")
    given = given or (text(first["value"]) if first.__class__ is dict and "value" in first else "...")
    return f"make each name a key: {{{key}: {given}}}"


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
