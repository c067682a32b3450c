"""The verdict on server-side apply, against what the real API server said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.validate.corpus import RECORDED_WITH, names, server_side
from tjgen import admit

POD: dict[str, Any] = {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}
JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "a", "namespace": "ns"},
    "spec": {"backoffLimit": 3, "template": {"spec": POD}},
}
JOBSET: dict[str, Any] = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "a", "namespace": "ns"},
    "spec": {"replicatedJobs": [{"name": "w", "template": {"spec": {"template": {"spec": POD}}}}]},
}


def applied(tree: Any, old: Any = None) -> tuple[bool, str, list[str]]:
    verdict = admit(tree, old=old, webhooks=False, apply="server-side", versions=RECORDED_WITH)
    return verdict.allowed, verdict.stage, [error.detail for error in verdict.errors]


def test_the_corpus_is_large() -> None:
    assert len(list(server_side())) > 2000


@pytest.mark.parametrize("name", names())
def test_the_corpus(name: str) -> None:
    cases = list(server_side(name))
    assert [case["id"] for case in cases if applied(case["manifest"])[0] != case["allowed"]] == []


def with_env(*env: Any) -> dict[str, Any]:
    pod = {**POD, "containers": [{"name": "c", "image": "i", "env": [*env]}]}
    return {**JOB, "spec": {"template": {"spec": pod}}}


def test_a_variable_that_stands_twice_is_refused() -> None:
    tree = with_env({"name": "A", "value": "1"}, {"name": "A", "value": "2"})
    words = (
        "failed to create typed patch object (ns/a; batch/v1, Kind=Job): "
        '.spec.template.spec.containers[name="c"].env: duplicate entries for key [name="A"]'
    )
    assert applied(tree) == (False, "apply", [words])
    assert admit(tree).allowed


def test_a_null_stays_in_a_custom_resource() -> None:
    tree = {**JOBSET, "spec": {**JOBSET["spec"], "ttlSecondsAfterFinished": None}}
    assert applied(tree)[:2] == (False, "validation")
    assert admit(tree, webhooks=False).allowed


def test_numbers_are_cut_in_built_in_kinds() -> None:
    tree = {**JOB, "spec": {**JOB["spec"], "backoffLimit": 3.0}}
    assert applied(tree)[0]
    assert admit(tree).stage == "decode"


def test_managed_fields_are_the_servers() -> None:
    tree = {**JOB, "metadata": {"name": "a", "managedFields": []}}
    assert applied(tree) == (False, "request", ["metadata.managedFields must be nil"])


def test_what_is_no_longer_named_goes_with_all_that_is_in_it() -> None:
    # A real server drops the policy whole, its defaults too, so the rule that it may not change does not run.
    old = {**JOBSET, "spec": {**JOBSET["spec"], "failurePolicy": {"maxRestarts": 2}}}
    assert applied(JOBSET, old)[0]
    assert not applied({**old, "spec": {**old["spec"], "failurePolicy": {"maxRestarts": 3}}}, old)[0]
    without = {**JOB, "spec": {"template": JOB["spec"]["template"]}}
    assert applied(without, JOB)[0]
    pod = {**POD, "nodeSelector": {"a": "b"}}
    assert not applied(JOB, {**JOB, "spec": {"template": {"spec": pod}}})[0]


def test_a_map_that_is_left_empty_becomes_a_null() -> None:
    spec = {"runtimeRef": {"name": "r"}, "initializer": {"dataset": {"storageUri": "s3://a"}}}
    old = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "a"}, "spec": spec}
    verdict = applied({**old, "spec": {**spec, "initializer": {}}}, old)
    assert verdict[2][0] == 'Invalid value: "null": spec.initializer in body must be of type object: "null"'


def test_another_way_to_apply_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="client-side or server-side"):
        admit(JOB, apply="by hand")
