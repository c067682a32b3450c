"""What controllers will make of an accepted object, against what the real API server says to it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.validate.corpus import creates
from tjgen.cluster.validate.admit import admit
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.templates import templates

GPU = {"resources": {"requests": {"nvidia.com/gpu": 1}}}


def pod(**container: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "c", "image": "i", **container}]}}


def jobset(**container: Any) -> dict[str, Any]:
    template = {"spec": {"template": pod(**container)}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "a"},
        "spec": {"replicatedJobs": [{"name": "w", "template": template}]},
    }


def test_templates_of_the_corpus() -> None:
    cases = [case for case in creates() if case.get("podTemplates") and "manifest" in case and judge(case["manifest"]).checked]
    assert len(cases) > 500
    wrong = []
    for case in cases:
        ours, theirs = [*templates(case["manifest"])], case["podTemplates"]
        known = [(made.place, made.kind, made.verdict.allowed, made.verdict.stage) for made in ours]
        if known != [(one["path"], one["as"], one["allowed"], one.get("stage", "")) for one in theirs]:
            wrong.append(case["id"])
        for made, one in zip(ours, theirs, strict=False):
            said = {(error["type"], error["field"], error["detail"]) for error in one.get("errors", ())}
            if made.verdict.stage != "decode" and {error[:3] for error in made.verdict.errors} != said:
                wrong.append(case["id"])
    assert wrong == []


def test_a_request_for_gpus_without_a_limit_fails_when_the_job_is_made() -> None:
    tree = jobset(**GPU)
    answer = admit(tree, webhooks=False)
    assert answer.allowed
    assert [(one.path, one.kind, one.allowed, one.stage) for one in answer.templates] == [
        ("spec.replicatedJobs[0].template", "Job", False, "validation")
    ]
    (made,) = templates(tree)
    (fault,) = made.faults
    container = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec", "containers", 0)
    assert fault.path == (*container, "resources", "limits")


def test_a_job_that_is_made_makes_a_pod() -> None:
    assert [(one.path, one.kind, one.allowed) for one in admit(jobset(), webhooks=False).templates] == [
        ("spec.replicatedJobs[0].template", "Job", True),
        ("spec.replicatedJobs[0].template.spec.template", "Pod", True),
    ]


def test_what_is_refused_makes_nothing() -> None:
    assert admit({**jobset(), "metadata": {"name": "A"}}).templates == ()


def test_fields_that_a_controller_does_not_know_are_not_there() -> None:
    spec = {"replicaSpecs": 1, "pytorchReplicaSpecs": {"Master": {"restartPolicy": "ExitCode", "template": pod()}}}
    tree = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "a"}, "spec": spec}
    assert [(made.place, made.verdict.allowed) for made in templates(tree)] == [
        ("spec.pytorchReplicaSpecs[Master].template", True)
    ]


@pytest.mark.parametrize("tree", [{}, {"apiVersion": "v1", "kind": "ConfigMap"}, {"apiVersion": "x/v1", "kind": "Y"}])
def test_kinds_that_make_nothing(tree: Any) -> None:
    assert [*templates(tree)] == []


def test_two_containers_on_the_network_of_the_node_cannot_have_one_port() -> None:
    """`defaultHostNetworkPorts`: the server fills in host ports before it looks for duplicates. In a template it does not."""
    container = {"image": "i", "ports": [{"containerPort": 80}]}
    spec = {"hostNetwork": True, "restartPolicy": "Never", "containers": [{"name": "a", **container}, {"name": "b", **container}]}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {"spec": spec}}}
    assert judge(job).allowed
    (made,) = templates(job)
    assert [(fault.path[-1], fault.summary or fault.detail) for fault in made.faults] == [
        ("hostPort", 'Duplicate value: "TCP//80"')
    ]
    assert not judge({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}).allowed
