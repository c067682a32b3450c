"""Laws over generated trees, and a second judge: a JSON Schema validator that knows nothing of the walk."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cluster.schema.structural import as_json_schema, trees
from tests.cluster.validate.corpus import recorded
from tjgen.cluster.schema import store, walk
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.prune import pruned
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate.judge import judge

KINDS = [
    ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"),
    ("scheduling.volcano.sh/v1beta1", "PodGroup"),
    ("batch.volcano.sh/v1alpha1", "Job"),
    ("kueue.x-k8s.io/v1beta2", "ClusterQueue"),
    ("v1", "PersistentVolumeClaim"),
]
ONLY_OURS = {walk.UNKNOWN, walk.DUPLICATE, walk.NOT_KEYED}
"""What JSON Schema has no words for."""


@cache
def found(api_version: str, kind: str) -> Schema:
    schema = store.find(api_version, kind)
    assert schema is not None
    return schema


@cache
def second(api_version: str, kind: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(as_json_schema(found(api_version, kind)))


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    api_version, kind = draw(st.sampled_from(KINDS))
    schema = found(api_version, kind)
    body = draw(trees({**schema, "properties": {"spec": schema["properties"]["spec"]}}))
    spec = body["spec"] if isinstance(body, dict) and "spec" in body else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "spec": spec}


def places(tree: Any, validator: jsonschema.Draft202012Validator) -> set[tuple[Any, ...]]:
    """Where the second judge sees something wrong: a missing field at its own place."""
    wrong = set()
    for error in validator.iter_errors(tree):
        path = tuple(error.absolute_path)
        wrong |= (
            {(*path, name) for name in error.validator_value if name not in error.instance}
            if error.validator == "required"
            else {path}
        )
    return wrong


def agree(tree: dict[str, Any]) -> None:
    kind = (tree["apiVersion"], tree["kind"])
    ours = {
        finding.path
        for finding in walk.check(tree, found(*kind))
        if finding.type not in ONLY_OURS and not is_about_a_time(finding)
    }
    theirs = places(tree, second(*kind))
    assert ours == theirs


def is_about_a_time(finding: walk.Mismatch) -> bool:
    return "date-time" in finding.message and isinstance(finding.value, str)


PATIENT = settings(
    max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@given(objects())
@PATIENT
def test_the_walk_and_a_json_schema_validator_see_the_same(tree: dict[str, Any]) -> None:
    agree(tree)


@pytest.mark.parametrize(
    "case", [case for case in recorded("custom") if case.get("stage") != "decode"], ids=lambda case: case["id"]
)
def test_both_judges_agree_on_recorded_objects(case: dict[str, Any]) -> None:
    tree = with_defaults(case["manifest"], found(case["manifest"]["apiVersion"], case["manifest"]["kind"]))
    # A list where a time belongs is the one place where the server looks the other way.
    agree({**tree, "metadata": {}})


@given(objects())
@PATIENT
def test_defaulting_twice_is_defaulting_once_and_spares_its_input(tree: dict[str, Any]) -> None:
    schema = found(tree["apiVersion"], tree["kind"])
    before = copy.deepcopy(tree)
    once = with_defaults(tree, schema)
    assert tree == before
    assert with_defaults(once, schema) == once


@given(objects())
@PATIENT
def test_nothing_is_unknown_after_pruning_and_the_rest_is_as_it_was(tree: dict[str, Any]) -> None:
    schema = found(tree["apiVersion"], tree["kind"])
    before = copy.deepcopy(tree)
    kept = pruned(tree, schema)
    assert tree == before
    known = [finding for finding in walk.check(tree, schema) if finding.type not in (walk.UNKNOWN, walk.DUPLICATE)]
    left = [finding for finding in walk.check(kept, schema) if finding.type != walk.DUPLICATE]
    assert [finding[:3] for finding in left] == [finding[:3] for finding in known]


@given(objects())
@PATIENT
def test_a_verdict_is_the_same_every_time_whatever_the_order_of_keys(tree: dict[str, Any]) -> None:
    turned = turn(tree)
    first, again = judge(tree), judge(turned)
    assert first == judge(tree)
    assert {fault[:3] for fault in first.errors} == {
        fault[:3] for fault in again.errors
    } or first.stage == "decode" == again.stage


def turn(tree: Any) -> Any:
    """The tree with the keys of its mappings in the opposite order."""
    if isinstance(tree, dict):
        return {key: turn(tree[key]) for key in reversed(tree)}
    return [turn(item) for item in tree] if isinstance(tree, list) else tree
