"""A manifest -> the verdict of an API server on server-side apply, as Flux and `kubectl apply --server-side` send it.

The server first puts the manifest into types (`typed`), which refuses what a plain create lets pass: elements of a keyed list
that have the same keys, and null elements. Then the object goes on as it is: explicit nulls stay in custom resources, and
numbers are cut to the size of their fields in built-in kinds. Mirrors k8s.io/apimachinery 0.36 `util/managedfields`
(structuredMergeManager.Apply) and `pkg/runtime/converter.go:FromUnstructured`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate.creation import created
from tjgen.cluster.validate.fault import BAD_REQUEST, INTERNAL_ERROR, Fault
from tjgen.cluster.validate.verdict import APPLY, REQUEST, Stage, Verdict
from tjgen.cluster.validate.wording import as_json, printed, shown
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import Any, NamedTuple

_MANAGED: tuple[str, str] = ("metadata", "managedFields")
_BITS = {"int32": 32, "int64": 64}


def judge(tree: dict[str, Tree], schema: Schema, *, built_in: bool, duplicates: Sequence[str] = ()) -> Verdict:
    """Return the verdict on applying `tree` if no object of its name exists."""
    refused = refusal(tree, schema)
    if refused is not None:
        return refused
    if built_in:
        return created(cut(tree, whole(schema)), schema, built_in=True, duplicates=duplicates)
    tree = without_time(tree)
    return created(tree, schema, built_in=False, duplicates=duplicates, stored=stored(tree, schema))


def refusal(tree: dict[str, Tree], schema: Schema) -> Verdict | None:
    """Why the manifest is not an apply configuration; None where it is one."""
    managed = get(tree, _MANAGED, None)
    if managed is not None:
        fault = Fault(BAD_REQUEST, "", "metadata.managedFields must be nil", _MANAGED, hint="remove metadata.managedFields")
        return _refused(REQUEST, fault)
    problems = [*_type_problems(tree, whole(schema))]
    if not problems:
        return None
    metadata: dict[str, Any] = tree["metadata"] if tree.get("metadata").__class__ is dict else {}
    about = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {_kind_of(tree)}"
    words = f"failed to create typed patch object ({about}): "
    return _refused(APPLY, *[Fault(INTERNAL_ERROR, "", words + one.words, one.path, one.summary, one.hint) for one in problems])


def stored(tree: dict[str, Tree], schema: Schema) -> Tree:
    """A custom resource with its defaults and its nulls."""
    return _with_nulls(with_defaults(tree, schema), tree, schema)


def _refused(stage: str, *faults: Fault) -> Verdict:
    return Verdict((Stage(stage, faults[:1], faults),))


def _kind_of(tree: dict[str, Tree]) -> str:
    group, _, version = str(tree["apiVersion"]).rpartition("/")
    return f"{group}/{version}, Kind={tree['kind']}"


def whole(schema: Schema) -> Schema:
    """The schema of the object, that of its metadata included."""
    return {**schema, "properties": {**schema["properties"], "metadata": store.object_meta()}}


def without_time(tree: dict[str, Tree]) -> dict[str, Tree]:
    """The server sets the time of creation and ignores that of the manifest."""
    metadata = tree.get("metadata")
    if metadata.__class__ is not dict or "creationTimestamp" not in metadata:
        return tree
    return {**tree, "metadata": {key: value for key, value in metadata.items() if key != "creationTimestamp"}}


def _with_nulls(stored: Tree, tree: Tree, schema: Schema) -> Tree:
    """The object with its defaults and with the nulls of the manifest that no default replaces."""
    if tree.__class__ is dict and stored.__class__ is dict:
        properties, others = schema.get("properties", {}), schema.get("additionalProperties")
        result = dict(stored)
        for key, value in tree.items():
            below = properties.get(key, others)
            if below.__class__ is dict:
                if value is not None:
                    result[key] = _with_nulls(stored.get(key), value, below)
                elif key not in stored:
                    result[key] = None
        return result
    if tree.__class__ is list and stored.__class__ is list and schema.get("items").__class__ is dict:
        return [_with_nulls(one, other, schema["items"]) for one, other in zip(stored, tree, strict=True)]
    return stored


def cut(tree: Tree, schema: Schema) -> Any:
    """Numbers as Go converts them: whole ones to integers, and those to the bits of their field."""
    if tree.__class__ is dict:
        properties, others = schema.get("properties", {}), schema.get("additionalProperties")
        below = {key: properties.get(key, others) for key in tree}
        return {key: cut(value, below[key]) if below[key].__class__ is dict else value for key, value in tree.items()}
    if tree.__class__ is list and schema.get("items").__class__ is dict:
        return [cut(item, schema["items"]) for item in tree]
    if schema.get("type") == "integer" and (tree.__class__ is int or (tree.__class__ is float and tree.is_integer())):
        bits = _BITS.get(schema.get("format", "int64"), 64)
        number = int(tree) if -(2**63) <= tree < 2**63 else -(2**63)
        return (number + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    return tree


# A tree and its schema -> why it cannot be put into types for server-side apply.
#
# Mirrors sigs.k8s.io/structured-merge-diff v6 `typed/validate.go`: values of other types, fields that the schema does not have,
# and elements of keyed lists and sets that cannot be distinguished.


class TypeProblem(NamedTuple):
    """One reason: in the server's words with its path, and for people."""

    path: FieldPath
    words: str
    summary: str
    hint: str


_SCALARS: dict[Any, tuple[str, tuple[type, ...]]] = {
    "boolean": ("boolean", (bool,)),
    "integer": ("numeric (int or float)", (int, float)),
    "number": ("numeric (int or float)", (int, float)),
    "string": ("string", (str,)),
}
_SAME = "remove or rename one of the two entries"


def _type_problems(tree: Tree, schema: Schema, path: FieldPath = (), where: str = "") -> Iterator[TypeProblem]:
    """Every reason, in the order of the tree; `where` is the path as the server writes it."""
    if tree is None or ("x-kubernetes-preserve-unknown-fields" in schema and "properties" not in schema):
        return
    kind = schema.get("type")
    if kind == "object":
        yield from _object(tree, schema, path, where)
    elif kind == "array":
        if tree.__class__ is not list:
            yield _mismatch(path, where, "list", tree)
        else:
            yield from _list(tree, schema, path, where)
    elif "x-kubernetes-int-or-string" in schema:
        if tree.__class__ not in (int, float, str):
            yield _mismatch(path, where, "any scalar", tree)
    elif kind in _SCALARS and tree.__class__ not in _SCALARS[kind][1]:
        yield _mismatch(path, where, _SCALARS[kind][0], tree)


def _mismatch(path: FieldPath, where: str, wanted: str, tree: Tree) -> TypeProblem:
    words = f"expected {wanted}, got {printed(tree)}"
    return TypeProblem(path, f"{where}: {words}", f"{where.lstrip('.')}: {words}", "give the value the type that the field has")


def _object(tree: Tree, schema: Schema, path: FieldPath, where: str) -> Iterator[TypeProblem]:
    if tree.__class__ is not dict:
        yield _mismatch(path, where, "map", tree)
        return
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    for key, value in tree.items():
        below = properties.get(key, others)
        field = f"{where}.{key}"
        if below is None:
            if "x-kubernetes-preserve-unknown-fields" in schema:
                continue
            words = "field not declared in schema"
            yield TypeProblem(
                (*path, key), f"{field}: {words}", f"{field[1:]}: {words}", "remove it, or correct its name or place"
            )
        elif below.__class__ is dict:
            yield from _type_problems(value, below, (*path, key), field)


def _list(tree: list[Tree], schema: Schema, path: FieldPath, where: str) -> Iterator[TypeProblem]:
    keys, kind = schema.get("x-kubernetes-list-map-keys"), schema.get("x-kubernetes-list-type")
    items: Schema = schema["items"]
    seen: set[str] = set()
    for position, item in enumerate(tree):
        field, name = (*path, position), f"[{position}]"
        if kind in ("map", "set"):
            wrong = _unusable(item, keys if kind == "map" else None, items)
            if wrong:
                words = f"{where}: element {position}: {wrong}"
                yield TypeProblem(
                    field, words, words.lstrip("."), "give the element its keys, which distinguish it from the others"
                )
                return
            name = _name(item, keys, items) if kind == "map" and keys else f"[={as_json(item)}]"
            if name in seen:
                words = f"{where}: duplicate entries for key {name}"
                yield TypeProblem(field, words, words.lstrip("."), _SAME)
            seen.add(name)
        yield from _type_problems(item, items, field, where + name)


def _unusable(item: Tree, keys: Any, items: Schema) -> str:
    """The reason why an element of a list cannot be distinguished from the others; "" if it can."""
    if keys is None:
        if item is None:
            return "associative list without keys has an element that's an explicit null"
        return "associative list without keys has an element that's a map type" if item.__class__ is dict else ""
    if item is None:
        return "associative list with keys may not have a null element"
    if item.__class__ is not dict:
        return "associative list with keys may not have non-map elements"
    if any(key in item or "default" in items.get("properties", {}).get(key, {}) for key in keys):
        return ""
    names = " ".join(shown(key) for key in keys)
    words = "associative list with keys has an element that omits all key fields"
    return f"{words} [{names}] (and doesn't have default values for any key fields)"


def _name(item: dict[str, Tree], keys: Any, items: Schema) -> str:
    """The element's key, as in `[name="node"]`."""
    values = {key: item.get(key, items.get("properties", {}).get(key, {}).get("default")) for key in sorted(keys)}
    given = [f"{key}={as_json(value)}" for key, value in values.items() if value is not None or key in item]
    return f"[{','.join(given)}]"
