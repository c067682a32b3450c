"""The table of Go types against the schemas of the CRDs, field by field."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tjgen.cluster.schema.store import find
from tjgen.cluster.trainer.gotypes import TYPES
from tjgen.cluster.validate.update import gotypes as builtin

ROOTS = [
    ("trainer.kubeflow.org/v1alpha1", "TrainJob", "TrainJobSpec"),
    ("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", "TrainingRuntimeSpec"),
    ("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", "TrainingRuntimeSpec"),
    ("jobset.x-k8s.io/v1alpha2", "JobSet", "JobSetSpec"),
]
SCALARS = {"string": "string", "Time": "string", "bool": "boolean", "int": "integer", "int32": "integer", "int64": "integer"}


def spec_of(api_version: str, kind: str) -> Any:
    schema = find(api_version, kind, versions={"trainer": "v2.3.0", "jobset": "v0.12.0"})
    assert schema is not None
    return schema["properties"]["spec"]


def differences(name: str, schema: Any, path: str) -> Iterator[str]:
    """Fields that only one of the two has, and defaults and types that differ."""
    properties = schema.get("properties", {})
    fields = {entry.partition(":")[0]: entry.partition(":")[2] for entry in TYPES[name].split()}
    yield from (f"{path}.{key} only in the table" for key in fields if key not in properties)
    yield from (f"{path}.{key} only in the schema" for key in properties if key not in fields)
    for key in fields.keys() & properties.keys():
        notation, assigned, default = fields[key].partition("=")
        below, where = properties[key], f"{path}.{key}"
        if assigned and str(below.get("default")).lower() != default.lower():
            yield f"{where} defaults to {below.get('default')!r}, not {default!r}"
        if not assigned and below.get("default") not in (None, "", False):
            yield f"{where} has no default {below['default']!r}"
        if not assigned and below.get("default") is not None and notation.startswith("*"):
            yield f"{where} has no default {below['default']!r}, which a pointer keeps"
        yield from mismatches(notation.rstrip("!?").partition("@")[0].lstrip("*"), below, where)


def mismatches(go_type: str, schema: Any, path: str) -> Iterator[str]:
    if go_type.startswith("[]"):
        if schema.get("type") != "array":
            yield f"{path} is no list"
        else:
            yield from mismatches(go_type[2:], schema["items"], f"{path}[]")
    elif go_type.startswith("map["):
        yield from mismatches(go_type.partition("]")[2], schema.get("additionalProperties", {}), f"{path}{{}}")
    elif go_type in TYPES:
        yield from differences(go_type, schema, path)
    elif go_type in ("Quantity", "IntOrString"):
        if not schema.get("x-kubernetes-int-or-string"):
            yield f"{path} is no number or text"
    elif schema.get("type") != SCALARS[go_type]:
        yield f"{path} is {schema.get('type')}, not {go_type}"


@pytest.mark.parametrize(("api_version", "kind", "name"), ROOTS, ids=[kind for _, kind, _ in ROOTS])
def test_the_table_has_what_the_schema_has(api_version: str, kind: str, name: str) -> None:
    assert sorted(set(differences(name, spec_of(api_version, kind), kind))) == []


def test_a_struct_of_kubernetes_is_written_once() -> None:
    source = ast.parse(Path(builtin.__file__).read_text(encoding="utf-8"))
    [table] = [node.value for node in source.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)]
    own = {ast.literal_eval(key) for key in table.keys if key is not None}
    assert len(own) > 100
    assert sorted(name for name in own if TYPES.get(name) == builtin.TYPES[name]) == []
