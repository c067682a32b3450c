"""The verdict on applying an object over another, against what the real API server said."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.cluster.validate.corpus import RECORDED_WITH, recorded, updates
from tjgen import admit
from tjgen.cluster.validate.judge import judge

TRAINJOB: dict[str, Any] = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "a"},
    "spec": {"runtimeRef": {"name": "r"}, "trainer": {"numNodes": 2}},
}
CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c"},
    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "20Gi"}}},
}
NOT_COMPARED = ("decode", "patch")  # those words are Go's


def differs(case: dict[str, Any]) -> bool:
    verdict = judge(case["manifest"], old=case["old"], versions=RECORDED_WITH)
    if (verdict.allowed, verdict.stage) != (case["allowed"], case.get("stage", "")):
        return True
    theirs = {(error["type"], error["field"]) for error in case.get("errors", ())}
    return verdict.stage not in NOT_COMPARED and {fault[:2] for fault in verdict.errors} != theirs


def test_recorded_updates() -> None:
    cases = recorded("updates")
    before = copy.deepcopy(cases)
    assert [case["id"] for case in cases if differs(case)] == []
    assert cases == before


def test_a_list_without_its_merge_key_is_refused_in_the_words_of_the_client() -> None:
    cases = [case for case in recorded("updates") if "merge key: " in str(case.get("errors"))]
    assert cases
    for case in cases:
        verdict = judge(case["manifest"], old=case["old"], versions=RECORDED_WITH)
        assert [fault.detail for fault in verdict.errors] == [error["detail"] for error in case["errors"]], case["id"]


def test_updates_of_the_corpus() -> None:
    cases = list(updates())
    assert len(cases) > 300
    assert [case["id"] for case in cases if differs(case)] == []


def changed(tree: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {**tree, "spec": {**tree["spec"], **spec}}


def test_another_name_is_another_object() -> None:
    other = {**changed(TRAINJOB, trainer={"numNodes": 3}), "metadata": {"name": "b"}}
    assert admit(other, old=TRAINJOB, webhooks=False).allowed
    assert not admit({**other, "metadata": {"name": "a"}}, old=TRAINJOB, webhooks=False).allowed


def test_what_was_wrong_before_is_forgiven_as_long_as_it_stays() -> None:
    old = changed(TRAINJOB, managedBy="me")
    assert not admit(old, webhooks=False).allowed
    assert admit(changed(old, suspend=True), old=old, webhooks=False).allowed
    assert not admit(changed(old, managedBy="you"), old=old, webhooks=False).allowed


def test_a_field_that_is_left_out_goes_and_one_that_the_server_filled_in_stays() -> None:
    # A transition rule does not run where there is no new value; the default of managedBy is no change.
    without = {**TRAINJOB, "spec": {"runtimeRef": {"name": "r"}}}
    assert admit(without, old=TRAINJOB, webhooks=False).allowed
    written = changed(TRAINJOB, managedBy="trainer.kubeflow.org/trainjob-controller")
    assert admit(written, old=TRAINJOB, webhooks=False).allowed


def test_an_object_of_another_version_is_a_conflict() -> None:
    verdict = admit({**TRAINJOB, "metadata": {"name": "a", "resourceVersion": "7"}}, old=TRAINJOB, webhooks=False)
    assert (verdict.allowed, verdict.stage, [error.type for error in verdict.errors]) == (False, "request", ["Conflict"])


def test_a_merge_key_that_is_missing_stops_the_client() -> None:
    container = {"name": "c", "image": "i"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}}
    assert admit({**pod, "spec": {"containers": [{"image": "i"}]}}, old=pod).stage == "patch"


@pytest.mark.parametrize(("size", "bound", "allowed"), [("30Gi", True, True), ("30Gi", False, False), ("10Gi", True, False)])
def test_only_a_claim_with_its_volume_grows(size: str, bound: bool, allowed: bool) -> None:
    new = changed(CLAIM, resources={"requests": {"storage": size}})
    assert judge(new, old=CLAIM, bound=bound).allowed == allowed


def test_old_objects_that_cannot_be_read_are_said_to_be_so() -> None:
    assert judge(TRAINJOB, old={**TRAINJOB, "metadata": {"name": "a", "labels": 5}}).stage == "old"


def test_webhooks_are_asked_about_updates() -> None:
    pod = {"containers": [{"name": "c", "image": "i"}]}
    job = {"name": "w", "template": {"spec": {"template": {"spec": pod}}}}
    jobset = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "a"},
        "spec": {"replicatedJobs": [job]},
    }
    new = changed(jobset, replicatedJobs=[{**job, "replicas": 3}])
    verdict = admit(new, old=jobset)
    assert (verdict.stage, [error.field for error in verdict.errors]) == ("webhook", ["spec.replicatedJobs"])
    assert admit(new, old=jobset, webhooks=False).allowed
    assert admit(changed(jobset, suspend=True), old=jobset).allowed


def test_errors_have_their_place_in_a_text() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: A\n"
    (error,) = admit(text).errors
    assert error.path == ("metadata", "name")
    assert error.span is not None
    assert (error.span.line, error.span.column) == (4, 9)
    assert admit({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "A"}}).errors[0].span is None


@pytest.mark.parametrize("wrong", [None, [], [None], "x", 5], ids=repr)
@pytest.mark.parametrize("step", ["metadata", "spec", "trainer"])
def test_an_old_object_with_a_wrong_value_is_judged(step: str, wrong: Any) -> None:
    old = {**TRAINJOB, step: wrong} if step != "trainer" else {**TRAINJOB, "spec": {**TRAINJOB["spec"], "trainer": wrong}}
    for apply in ("client-side", "server-side"):
        assert admit(TRAINJOB, old=old, apply=apply).checked


def test_a_peer_of_two_forms_is_an_error_of_an_update() -> None:
    old = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": {"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]},
    }
    peer = {"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}}
    (error,) = admit({**old, "spec": {"podSelector": {}, "ingress": [{"from": [peer]}]}}, old=old).errors
    assert (error.field, error.detail) == ("spec.ingress[0].from[0]", "Forbidden: may not specify both ipBlock and another peer")


def test_only_blocks_of_addresses_keep_a_wrong_form() -> None:
    def policy(protocol: str) -> dict[str, Any]:
        rule = {"from": [{"ipBlock": {"cidr": "x.y"}}], "ports": [{"protocol": protocol}]}
        head = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "a", "namespace": "b"}}
        return {**head, "spec": {"podSelector": {}, "ingress": [rule]}}

    (error,) = admit(policy("x.y"), old=policy("TCP")).errors
    assert error.field == "spec.ingress[0].ports[0].protocol"


def test_ephemeral_containers_of_an_update_are_no_error_of_a_creation() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b"}}
    spec = {"containers": [{"name": "a", "image": "b"}]}
    changed = {**spec, "ephemeralContainers": [{"name": "c", "image": "d"}]}
    errors = admit({**pod, "spec": changed}, old={**pod, "spec": spec}).errors
    assert "Forbidden: cannot be set on create" not in [error.detail for error in errors]


def test_an_application_without_metadata_lacks_its_name_alone() -> None:
    application = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "spec": {"project": "default", "destination": {"namespace": "ml"}},
    }
    assert [error.field for error in admit(application).errors] == ["metadata.name"]


@pytest.mark.parametrize("case", recorded("fixed_fields"), ids=lambda case: str(case["manifest"]["metadata"]["name"]))
def test_fixed_fields(case: dict[str, Any]) -> None:
    verdict = admit(case["manifest"], old=case["old"])
    assert verdict.allowed is case["allowed"]
    assert verdict.allowed or any(f"{error.field}: {error.detail}" in case["said"] for error in verdict.errors)
