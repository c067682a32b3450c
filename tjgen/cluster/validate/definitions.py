"""CustomResourceDefinitions as `kubectl get crd -o yaml` prints them -> schema files for a folder of one's own.

A cluster accepts only definitions whose schemas are structural, so what is looked at here is what would keep a schema from
being used: its shape, patterns and rules. What is not understood is left out of the schema and named in `x-tjgen-unchecked`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tjgen.cluster.schema.definition import SchemaFile, schema_files
from tjgen.cluster.schema.pattern_escapes import PatternError
from tjgen.cluster.schema.patterns import search
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.schema.textformats import is_known
from tjgen.cluster.validate.cel.parser import parse
from tjgen.cluster.validate.cel.program import program, unavailable_in
from tjgen.cluster.validate.check import manifests
from tjgen.cluster.validate.report import subject_of
from tjgen.cluster.validate.wording import field
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import Any, NamedTuple

GROUP = "apiextensions.k8s.io"
KIND = "CustomResourceDefinition"
_TYPED = ("byte", "date", "date-time", "datetime", "duration")
_GENERATOR = ("metadata", "annotations", "controller-gen.kubebuilder.io/version")


class Definition(NamedTuple):
    """The schemas of one CustomResourceDefinition."""

    name: str
    generator: str
    """The release of controller-gen that generated it, "-" if it does not have one."""
    files: tuple[SchemaFile, ...]


def definitions(text: str | bytes, file: str) -> tuple[list[Definition], list[Diagnostic]]:
    """The definitions in a file: documents, Lists, or both; TJ522 to TJ526 for what cannot be taken."""
    documents, diagnostics = read(text, file, KUBERNETES)
    definitions_by_name: dict[str, Definition] = {}
    for document in documents:
        for tree, path in manifests(document.value):
            one, problems = _definition(tree)
            diagnostics += [_placed(problem, document, path) for problem in problems]
            if one is not None:
                definitions_by_name[one.name] = one
    if not definitions_by_name and not has_errors(diagnostics):
        hint = "give the output of: kubectl get crd -o yaml"
        diagnostics.append(Diagnostic("TJ522", f"{file} holds no {KIND}", hint=hint))
    return list(definitions_by_name.values()), diagnostics


def _placed(problem: Diagnostic, document: Document, path: FieldPath) -> Diagnostic:
    whole = path + (problem.path or ())
    return problem._replace(path=whole, span=document.locate(whole))


def _definition(tree: Tree) -> tuple[Definition | None, list[Diagnostic]]:
    subject = subject_of(tree)
    if subject is None or (subject.api_version.partition("/")[0], subject.kind) != (GROUP, KIND):
        what = f"{subject.kind} {subject.name}".strip() if subject is not None and subject.kind else "what stands here"
        return None, [Diagnostic("TJ525", f"{what} is not a {KIND}, so it is skipped", subject, ())]
    if subject.api_version != f"{GROUP}/v1":
        message = f"{subject.name} is written in {subject.api_version}, which no current cluster serves"
        hint = "export it from a cluster, which returns v1"
        return None, [Diagnostic("TJ523", message, subject, ("apiVersion",), hint=hint)]
    wrong = list(_faults(tree))
    if wrong:
        hint = "export the definition from a cluster, which has accepted it"
        return None, [Diagnostic("TJ523", f"{field(path)}: {reason}", subject, path, hint=hint) for path, reason in wrong]
    diagnostics: list[Diagnostic] = []
    versions = []
    for position, version in enumerate(tree["spec"]["versions"]):
        path = ("spec", "versions", position, "schema", "openAPIV3Schema")
        left_out: list[tuple[FieldPath, str]] = []
        schema = _understood(version["schema"]["openAPIV3Schema"], (), left_out)
        if left_out:
            schema = {**schema, "x-tjgen-unchecked": [reason for _, reason in left_out]}
        versions.append({**version, "schema": {"openAPIV3Schema": schema}})
        for below, reason in left_out if version["served"] else ():
            diagnostics.append(Diagnostic("TJ526", f"not checked later: {reason}", subject, path + below))
    files = tuple(schema_files({**tree, "spec": {**tree["spec"], "versions": versions}}))
    if not files:
        message = f"{subject.name} serves no version and is left out"
        return None, [Diagnostic("TJ525", message, subject, ("spec", "versions"))]
    return Definition(subject.name, str(get(tree, _GENERATOR, None) or "-").split()[0], files), diagnostics


def _understood(schema: Schema, path: FieldPath, left_out: list[tuple[FieldPath, str]]) -> Schema:
    """The schema without patterns, formats and rules that are not understood here; what was left out is added to `left_out`."""
    result = dict(schema)
    place = field(tuple([step for step in path if step not in ("properties", "items", "additionalProperties")])) or "the object"
    if "pattern" in schema:
        try:
            search(schema["pattern"])
        except PatternError as problem:
            del result["pattern"]
            left_out.append(((*path, "pattern"), f"the pattern of {place} ({problem})"))
    if "format" in schema and not is_known(schema["format"]):
        left_out.append(((*path, "format"), f"the format {schema['format']} of {place}"))
    rules = []
    for position, rule in enumerate(schema.get("x-kubernetes-validations", ())):
        beyond = _beyond(rule, schema)
        if beyond:
            left_out.append(
                ((*path, "x-kubernetes-validations", position), f"the rule of {place} ({beyond}): {rule['rule'].strip()}")
            )
        else:
            rules.append(rule)
    if "x-kubernetes-validations" in schema:
        result["x-kubernetes-validations"] = rules
        if not rules:
            del result["x-kubernetes-validations"]
    for step, below in parts(schema):
        result = _replaced(result, step, _understood(below, path + step, left_out))
    return result


def _replaced(schema: Schema, step: FieldPath, below: Schema) -> Schema:
    """The schema with another one at `step` below it."""
    word = str(step[0])
    if len(step) == 1:
        return {**schema, word: below}
    inner, key = schema[word], step[1]
    if isinstance(inner, dict):
        return {**schema, word: {**inner, key: below}}
    return {**schema, word: [below if position == key else part for position, part in enumerate(inner)]}


def _beyond(rule: Schema, schema: Schema) -> str:
    """Why a rule of a schema cannot be run here; "" if it can."""
    try:
        program(rule["rule"])
        if rule.get("messageExpression"):
            program(rule["messageExpression"])
    except SyntaxError as problem:
        return str(problem)
    unavailable = next(
        filter(None, (unavailable_in(parse(rule.get(key) or "true")) for key in ("rule", "messageExpression"))), ""
    )
    if unavailable:
        return f"it reads {unavailable}"
    typed = [name for name in _typed(schema, "self") if re.search(rf"(?<!has\(self\.)\b{re.escape(name)}\b(?!\))", rule["rule"])]
    return f"{typed[0]} is not a string in it" if typed else ""


def _typed(schema: Schema, name: str) -> list[str]:
    """The fields whose texts are times, durations or bytes to rules."""
    field = [name] if schema.get("format") in _TYPED and schema.get("type") == "string" else []
    return field + [path for step, below in parts(schema) for path in _typed(below, str(step[-1]) if len(step) > 1 else name)]


# A CustomResourceDefinition -> what keeps its schemas from being read: words with values that the walker does not expect.

_NUMBERS = ("maximum", "minimum", "multipleOf")
_COUNTS = ("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties")
_FLAGS = ("exclusiveMaximum", "exclusiveMinimum", "nullable", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string")
_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_LONGEST = 100
_LIST_TYPES = ("atomic", "map", "set")
_NAMES: tuple[FieldPath, ...] = (("spec", "group"), ("spec", "names", "kind"), ("spec", "names", "plural"))
_TEXT_FIELDS = ("fieldPath", "message", "messageExpression", "reason")


def _faults(tree: Tree) -> Iterator[tuple[FieldPath, str]]:
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
