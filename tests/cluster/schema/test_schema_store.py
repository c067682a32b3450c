"""The schema files, their index, and the tables that are derived from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT, list_entries
from tjgen.cluster.schema import store
from tjgen.cluster.schema.definition import ruled
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.update import shape

SCHEMAS = ROOT / "schemas"
SETS = sorted(source.parent for source in list_entries(SCHEMAS, "*/*/SOURCE"))
INDEX = json.loads((SCHEMAS / "index.json").read_text(encoding="utf-8"))


def name(folder: Path) -> str:
    return str(folder.relative_to(SCHEMAS))


def test_every_set_of_the_table_is_there_and_no_other() -> None:
    table = yaml.safe_load((SCHEMAS / "sets.yaml").read_text(encoding="utf-8"))
    assert sorted(f"{project}/{release}" for project, releases in table.items() for release in releases) == [
        name(folder) for folder in SETS
    ]


@pytest.mark.parametrize("folder", SETS, ids=name)
def test_files_are_what_their_source_says(folder: Path) -> None:
    lines = [line.split(" ") for line in (folder / "SOURCE").read_text(encoding="utf-8").splitlines()]
    written = {file: digest for word, digest, file in (line for line in lines if line[0] == "sha256")}
    files = [file for file in list_entries(folder) if file.name != "SOURCE"]
    assert written == {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    pinned = (SCHEMAS / "modules" / name(folder) / "go.sum").read_text(encoding="utf-8")
    modules = [line[1:] for line in lines if line[0] == "module"]
    assert modules
    assert [module for module in modules if " ".join(module) not in pinned] == []


@pytest.mark.parametrize("gvk", sorted(INDEX["kinds"]))
def test_every_kind_of_the_index_can_be_found(gvk: str) -> None:
    api_version, _, kind = gvk.rpartition("/")
    schema = store.find(api_version, kind)
    assert schema is not None
    group, _, version = api_version.rpartition("/")
    assert schema["x-kubernetes-group-version-kind"] == [{"group": group, "version": version, "kind": kind}]
    assert schema["x-tjgen-resource"]["scope"] in ("Namespaced", "Cluster")


def test_every_kind_of_the_files_is_in_the_index() -> None:
    found = set()
    for file in list_entries(SCHEMAS, "*/*/*.json"):
        for gvk in json.loads(file.read_text(encoding="utf-8")).get("x-kubernetes-group-version-kind", ()):
            found.add("/".join(part for part in (gvk["group"], gvk["version"], gvk["kind"]) if part))
    assert found == set(INDEX["kinds"])


def test_every_file_says_where_its_rules_stand() -> None:
    schemas = {file: json.loads(file.read_text(encoding="utf-8")) for file in list_entries(SCHEMAS, "*/*/*.json")}
    assert len(schemas) > 100
    assert [file.name for file, schema in schemas.items() if schema.get("x-tjgen-rules") != ruled(schema)] == []


def test_a_release_can_be_chosen() -> None:
    newest = store.find("trainer.kubeflow.org/v1alpha1", "TrainJob")
    older = store.find("trainer.kubeflow.org/v1alpha1", "TrainJob", versions={"trainer": "v2.0.1"})
    assert newest is not None
    assert older is not None
    assert "runtimePatches" in newest["properties"]["spec"]["properties"]
    assert "runtimePatches" not in older["properties"]["spec"]["properties"]
    assert store.releases("trainer")[0] == "v2.0.1"
    assert store.releases("nobody") == ()


@pytest.mark.parametrize(
    ("api_version", "kind", "versions"),
    [
        ("v1", "Nothing", {}),
        ("trainer.kubeflow.org/v9", "TrainJob", {}),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", {"trainer": "v0.0.1"}),
        ("", "", {}),
    ],
)
def test_what_is_not_there_is_none(api_version: str, kind: str, versions: dict[str, str]) -> None:
    assert store.find(api_version, kind, versions=versions) is None


def fields(schema: Any, name: str = "") -> Iterator[tuple[str, Schema]]:
    """Every list of a schema with the name of its field."""
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "array":
        yield name, schema
    for key, below in schema.get("properties", {}).items():
        yield from fields(below, key)
    yield from fields(schema.get("items"))
    yield from fields(schema.get("additionalProperties"))


def spec(api_version: str, kind: str, *path: str) -> Schema:
    schema = store.find(api_version, kind)
    assert schema is not None
    for step in path:
        schema = schema[step]
    return schema


def merged_fields(name: str, seen: set[str]) -> Iterator[tuple[str, str, bool]]:
    """The merged lists of a Go type and of the types below it: field, merge key, and whether a patch names the keys to keep."""
    seen.add(name)
    for key, field in shape.fields(name).items():
        if field.merge_key:
            yield key, field.merge_key, field.retains_keys
        if field.type not in seen:
            yield from merged_fields(field.type, seen)


def test_strategic_merge_keys_are_those_of_the_schemas() -> None:
    found = {
        (name, schema["x-kubernetes-patch-merge-key"], "retainKeys" in schema["x-kubernetes-patch-strategy"])
        for name, schema in fields(spec("v1", "Pod", "properties", "spec"))
        if "x-kubernetes-patch-merge-key" in schema
    }
    assert set(merged_fields("PodSpec", set())) == found


OF_KUEUE = ("AdmissionCheck", "Cohort", "MultiKueueConfig", "ProvisioningRequestConfig", "Topology", "WorkloadPriorityClass")


@pytest.mark.parametrize("kind", OF_KUEUE)
@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_the_kinds_of_kueue_have_schemas(kind: str, version: str) -> None:
    assert store.find(f"kueue.x-k8s.io/{version}", kind) is not None


def test_fields_of_the_newest_releases_are_known() -> None:
    spec = {"concurrentAdmissionPolicy": {"migration": {"mode": "TryPreferredFlavors"}}}
    queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}, "spec": spec}
    assert judge(queue).stage != "strict"
    assert judge(queue, versions={"kueue": "v0.15.2"}).stage == "strict"
    task = {"name": "w", "replicas": 4, "partitionPolicy": {"totalPartitions": 2, "partitionSize": 2}, "template": {}}
    job = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"tasks": [task]}}
    assert judge(job).stage != "strict"
    assert judge(job, versions={"volcano": "v1.13.0"}).stage == "strict"
