"""Schemas of a cluster's own kinds: imported, listed, and judged by as the server does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT, list_entries
from tests.cluster.validate.corpus import RECORDED, recorded
from tests.program import tjgen
from tjgen.cluster.schema import store
from tjgen.cluster.validate import own
from tjgen.cluster.validate.check import check
from tjgen.cluster.validate.definitions import definitions
from tjgen.cluster.validate.judge import judge
from tjgen.trees.diagnostics.model import CompileError

DEFINITION = (RECORDED / "own.yaml").read_text(encoding="utf-8")
RULES = (RECORDED / "rules.yaml").read_text(encoding="utf-8")
OTHER_WORDS = {
    "step 10",
    "step 3",
    "batch 1.5",
    "size 1.5",
    "size True",
    "size []",
    "template empty kind",
    "template number",
    'rule cidr "x"',
    'rule cidr2 "x"',
    'rule urlhost "https://[a]:80"',
}
"""Cases that are refused, as the server refuses them, with other or fewer errors."""
SHARED = ROOT.parent / "shared" / "schemas"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    found, problems = definitions(DEFINITION + "---\n" + RULES, "own.yaml")
    assert problems == []
    path = str(tmp_path_factory.mktemp("own"))
    own.write(path, found)
    return path


@pytest.mark.parametrize("case", [*recorded("own"), *recorded("rules")], ids=lambda case: case["id"])
def test_recorded_verdicts(case: dict[str, Any], folder: str) -> None:
    verdict = judge(case["manifest"], versions={store.OWN: folder})
    assert verdict.allowed == case["allowed"]
    if case["id"] not in OTHER_WORDS:
        assert verdict.stage == case.get("stage", "")
        found = {(error.type, error.field, error.detail) for error in verdict.errors}
        assert found == {(error["type"], error["field"], error["detail"]) for error in case.get("errors", ())}


def test_without_the_folder_nobody_knows_the_kind() -> None:
    assert not judge(recorded("own")[0]["manifest"]).checked


def test_a_list_gives_the_same_files_as_documents() -> None:
    items = "\n".join(f"  {line}" for line in DEFINITION.splitlines())
    listed, problems = definitions("apiVersion: v1\nkind: List\nitems:\n-\n" + items, "list.yaml")
    assert (listed, problems) == definitions(DEFINITION, "own.yaml")


def test_a_schema_of_the_cluster_goes_before_that_of_a_release_and_never_before_a_built_in_kind(tmp_path: Path) -> None:
    text = (
        DEFINITION.replace("example.com", "jobset.x-k8s.io")
        .replace("{kind: Study", "{kind: JobSet")
        .replace("name: v1\n", "name: v1alpha2\n")
    )
    own.write(str(tmp_path), definitions(text, "jobset.yaml")[0])
    jobset = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "a"},
        "spec": {"replicas": 1, "image": "a"},
    }
    assert judge(jobset, versions={store.OWN: str(tmp_path)}).allowed
    assert not judge(jobset).allowed
    core = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    assert judge(core, versions={store.OWN: str(tmp_path)}).allowed


def test_an_import_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    both = DEFINITION + DEFINITION.partition("versions:\n")[2].replace("storage: true", "storage: false").replace(
        "name: v1\n", "name: v1beta1\n"
    )
    written, removed = own.write(str(tmp_path), definitions(both, "own.yaml")[0])
    assert [os.path.basename(path) for path in written] == ["example.com_v1_study.json", "example.com_v1beta1_study.json"]
    assert removed == []
    written, removed = own.write(str(tmp_path), definitions(DEFINITION, "own.yaml")[0])
    assert [os.path.basename(path) for path in removed] == ["example.com_v1beta1_study.json"]
    assert sorted(os.listdir(tmp_path)) == ["SOURCE", "example.com_v1_study.json"]


def test_an_import_is_the_same_every_time(tmp_path: Path) -> None:
    found, _ = definitions(DEFINITION, "own.yaml")
    for name in ("a", "b"):
        own.write(str(tmp_path / name), found)
    assert {file.name: file.read_bytes() for file in (tmp_path / "a").iterdir()} == {
        file.name: file.read_bytes() for file in (tmp_path / "b").iterdir()
    }


def test_what_is_brought_already_can_be_left_out() -> None:
    found, _ = definitions(DEFINITION, "own.yaml")
    again, _ = definitions(
        DEFINITION.replace("example.com", "jobset.x-k8s.io").replace("Study", "JobSet").replace("v1\n", "v1alpha2\n", 2), "a"
    )
    assert own.missing([*found, *again]) == found


def test_what_is_not_understood_is_said_with_every_check(tmp_path: Path) -> None:
    text = DEFINITION.replace("format: uri", "format: email")
    found, problems = definitions(text, "own.yaml")
    assert [(one.code, one.severity, one.span and one.span.line) for one in problems] == [("TJ526", "info", 32)]
    own.write(str(tmp_path), found)
    manifest = "{apiVersion: example.com/v1, kind: Study, metadata: {name: a}, spec: {image: a}}"
    said = check(manifest, "a.yaml", versions={store.OWN: str(tmp_path)})
    assert [(one.code, one.message) for one in said] == [
        ("TJ521", "Study of example.com/v1 is not fully checked: the format email of spec.source")
    ]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("self.wait == '1s'", "wait is not a string in it"),
        ("strings.quote(self.name) == ''", "unknown function: strings.quote with 1 arguments"),
        ("Study{name: self.name}.name == ''", "the end is expected"),
        (r"self.name.matches('\\p{Greek}')", r"it reads the Unicode class \p{Greek}, which tjgen does not have"),
    ],
)
def test_a_rule_that_is_not_understood_is_left_out_and_named(rule: str, said: str) -> None:
    fields = "{wait: {type: string, format: duration}, name: {type: string}}"
    text = DEFINITION.replace("'!has(self.image) || self.replicas < 5'", json.dumps(rule)).replace(
        "forbidden: {type: boolean}",
        f"forbidden: {{type: boolean}}\n              {fields[1:-1].replace(', name', chr(10) + '              name')}",
    )
    found, problems = definitions(text, "own.yaml")
    assert [one.code for one in problems] == ["TJ526"]
    assert said in problems[0].message
    assert "x-kubernetes-validations" not in json.loads(found[0].files[0].text)["properties"]["spec"]


@pytest.mark.parametrize("name", ["", "example.com_v1_study.json"])
def test_a_damaged_folder_is_an_error(name: str, tmp_path: Path) -> None:
    if name:
        own.write(str(tmp_path), definitions(DEFINITION, "own.yaml")[0])
        (tmp_path / name).write_text("{", encoding="utf-8")
    with pytest.raises(CompileError) as raised:
        judge(recorded("own")[0]["manifest"], versions={store.OWN: str(tmp_path)})
    assert [one.code for one in raised.value.diagnostics] == ["TJ524"]


def test_build_and_check_use_the_folder_of_the_project(tmp_path: Path) -> None:
    own.write(str(tmp_path / "own"), definitions(DEFINITION, "own.yaml")[0])
    (tmp_path / "tjgen.yaml").write_text(
        "{apiVersion: tjgen.dev/v1alpha1, kind: Project, spec: {schemas: own}}\n", encoding="utf-8"
    )
    (tmp_path / "below").mkdir()
    manifest = "{apiVersion: example.com/v1, kind: Study, metadata: {name: a}, spec: {image: a, replicas: 9}}"
    answer = tjgen(tmp_path / "below", "check", "-", stdin=manifest)
    assert (answer.code, "large studies need a source" in answer.err) == (1, True)
    assert "example.com/v1" in tjgen(tmp_path, "schemas", "list").out


def test_every_kind_is_listed_with_how_far_it_is_checked() -> None:
    listed = {(one.api_version, one.kind): one for one in own.known(None)}
    assert len(listed) == len(store.kinds())
    assert listed["v1", "Pod"].checked == "whole"
    assert listed["networking.k8s.io/v1", "Ingress"].checked == "types only"


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no definitions in {SHARED}")
@pytest.mark.parametrize("name", ["trainer-v2.2.1", "jobset-v0.12.0", "kueue-v0.15.2", "mpi-operator-v0.8.0"])
def test_an_import_of_a_release_gives_what_is_brought(name: str) -> None:
    project, _, version = name.rpartition("-")
    for file in list_entries(SHARED / name, "*.yaml"):
        found, problems = definitions(file.read_bytes(), file.name)
        assert problems == []
        for schema in (schema for one in found for schema in one.files):
            assert json.loads(schema.text) == store.find(schema.api_version, schema.kind, versions={project: version})


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no definitions in {SHARED}")
@pytest.mark.parametrize("file", list_entries(SHARED, "upstream/*/*.yaml"), ids=lambda file: f"{file.parent.name}-{file.name}")
def test_what_projects_ship_is_understood(file: Path) -> None:
    found, problems = definitions(file.read_bytes(), file.name)
    assert (len(found), problems) == (1, [])
