"""A manifest -> the verdict of an API server on server-side apply, as Flux and `kubectl apply --server-side` send it.

The server first puts the manifest into types (`typed`), which refuses what a plain create lets pass: elements of a keyed list
that have the same keys, and null elements. Then the object goes on as it is: explicit nulls stay in custom resources, and
numbers are cut to the size of their fields in built-in kinds. Mirrors k8s.io/apimachinery 0.36 `util/managedfields`
(structuredMergeManager.Apply) and `pkg/runtime/converter.go:FromUnstructured`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate import typed
from tjgen.cluster.validate.creation import created
from tjgen.cluster.validate.fault import BAD_REQUEST, INTERNAL_ERROR, Fault
from tjgen.cluster.validate.verdict import APPLY, REQUEST, Stage, Verdict
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import Any

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
    problems = [*typed.problems(tree, whole(schema))]
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
