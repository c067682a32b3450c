"""Defaulting and pruning of custom resources: what the API server adds, drops and leaves."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.prune import pruned

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kept": {"type": "string"},
        "kind": {"type": "string", "default": "A"},
        "maybe": {"type": "string", "nullable": True, "default": "B"},
        "inner": {"type": "object", "properties": {"size": {"type": "integer", "default": 3}}},
        "made": {"type": "object", "default": {}, "properties": {"size": {"type": "integer", "default": 4}}},
        "list": {"type": "array", "items": {"type": "object", "properties": {"protocol": {"type": "string", "default": "TCP"}}}},
        "map": {
            "type": "object",
            "additionalProperties": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}},
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
ALWAYS = {"kind": "A", "maybe": "B", "made": {"size": 4}}


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        pytest.param({}, {}, id="a missing parent is made only by its own default"),
        pytest.param({"inner": {}}, {"inner": {"size": 3}}, id="an empty parent is filled"),
        pytest.param({"made": {"size": 1}}, {"made": {"size": 1}}, id="what is given stays"),
        pytest.param({"kind": None}, {}, id="a null takes the default"),
        pytest.param({"maybe": None}, {"maybe": None}, id="a null that may be stays"),
        pytest.param({"kept": None}, {}, id="a null without default is dropped"),
        pytest.param({"inner": None}, {}, id="a null object is dropped, not filled"),
        pytest.param({"list": [{}, None]}, {"list": [{"protocol": "TCP"}, None]}, id="elements are filled, a null element stays"),
        pytest.param({"map": {"x": {}, "y": None}}, {"map": {"x": {"n": 1}}}, id="values of a map"),
        pytest.param({"free": {"z": None}}, {"free": {"z": None}}, id="nulls below free fields stay"),
        pytest.param({"unknown": None}, {"unknown": None}, id="a null of an unknown field is left to the walk"),
    ],
)
def test_defaults(tree: dict[str, Any], expected: dict[str, Any]) -> None:
    before = copy.deepcopy(tree)
    assert with_defaults(tree, SCHEMA) == {**ALWAYS, **expected}
    assert tree == before


def test_what_does_not_change_is_shared() -> None:
    tree = {**ALWAYS, "inner": {"size": 1}, "list": [{"protocol": "UDP"}]}
    assert with_defaults(tree, SCHEMA) is tree
    changed = with_defaults({**tree, "map": {"x": {}}}, SCHEMA)
    assert changed["list"] is tree["list"]


def test_a_jobset_gets_its_defaults() -> None:
    schema = store.find("jobset.x-k8s.io/v1alpha2", "JobSet")
    assert schema is not None
    port = {"containerPort": 80}
    pod = {"spec": {"containers": [{"name": "c", "ports": [port]}]}}
    tree = {"spec": {"replicatedJobs": [{"name": "a", "template": {"spec": {"template": pod}}}], "failurePolicy": {}}}
    spec = with_defaults(tree, schema)["spec"]
    assert spec["failurePolicy"] == {"restartStrategy": "Recreate"}
    job = spec["replicatedJobs"][0]
    assert {key: job[key] for key in ("replicas", "groupName")} == {"replicas": 1, "groupName": "default"}
    assert job["template"]["spec"]["template"]["spec"]["containers"][0]["ports"] == [{**port, "protocol": "TCP"}]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        pytest.param(
            {"kind": "JobSet", "metadata": {"x": 1}, "apiVersion": "v"}, None, id="apiVersion, kind and metadata are known"
        ),
        pytest.param({"kept": "a", "other": 1}, {"kept": "a"}, id="an unknown field"),
        pytest.param({"list": [{"protocol": "TCP", "z": 1}]}, {"list": [{"protocol": "TCP"}]}, id="in a list"),
        pytest.param({"map": {"k": {"n": 1, "z": 1}}}, {"map": {"k": {"n": 1}}}, id="in a map"),
        pytest.param({"free": {"z": [{"y": 1}]}}, None, id="free fields stay"),
        pytest.param({"kept": {"a": 1}}, {"kept": {}}, id="a mapping in a scalar's place is emptied"),
        pytest.param({"list": {"a": 1}}, {"list": {}}, id="a mapping in a list's place is emptied"),
    ],
)
def test_pruning(tree: dict[str, Any], expected: dict[str, Any] | None) -> None:
    before = copy.deepcopy(tree)
    assert pruned(tree, SCHEMA) == (tree if expected is None else expected)
    assert tree == before
