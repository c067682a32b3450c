"""Handwritten jobs of operators whose controllers overwrite what they say."""

from __future__ import annotations

from typing import Any

from tjgen.cluster.validate.overridden import diagnostics


def tfjob(**replicas: Any) -> dict[str, Any]:
    return {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "t"}, "spec": {"tfReplicaSpecs": replicas}}


def replica(in_template: str | None = None, **spec: Any) -> dict[str, Any]:
    own = {} if in_template is None else {"restartPolicy": in_template}
    return {**spec, "template": {"spec": {"containers": [], **own}}}


def volcano(restart: str | None, *policies: dict[str, Any]) -> dict[str, Any]:
    own = {} if restart is None else {"restartPolicy": restart}
    task = {"name": "worker", "template": {"spec": {"containers": [], **own}}}
    spec = {"tasks": [task], "policies": list(policies)}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "v"}, "spec": spec}


def codes(tree: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(one.code, one.hint) for one in diagnostics(tree)]


def test_a_restart_policy_of_the_pod_template_is_overwritten() -> None:
    assert codes(tfjob(Worker=replica("OnFailure"))) == [("TJ336", "move it to tfReplicaSpecs.Worker.restartPolicy")]
    assert codes(tfjob(Worker=replica("OnFailure", restartPolicy="ExitCode")))[0][0] == "TJ336"


def test_the_same_policy_in_both_places_is_accepted() -> None:
    assert codes(tfjob(Worker=replica("OnFailure", restartPolicy="OnFailure"), PS=replica("Never"), Chief=replica())) == []


def test_a_policy_that_is_the_default_of_the_kind_is_accepted() -> None:
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PaddleJob", "metadata": {"name": "p"}}
    assert codes({**job, "spec": {"paddleReplicaSpecs": {"Worker": replica("OnFailure")}}}) == []
    assert [code for code, _ in codes({**job, "spec": {"paddleReplicaSpecs": {"Worker": replica("Never")}}})] == ["TJ336"]


def test_the_elastic_policy_of_a_paddlejob_is_not_read() -> None:
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PaddleJob", "metadata": {"name": "p"}}
    spec = {"paddleReplicaSpecs": {"Worker": replica()}}
    assert codes({**job, "spec": spec}) == []
    assert codes({**job, "spec": {**spec, "elasticPolicy": {"minReplicas": 1}}}) == [("TJ421", "remove it, and set replicas")]


def test_a_misspelled_replica_type_is_an_error() -> None:
    assert codes(tfjob(Cheif=replica(), worker=replica())) == [("TJ337", "did you mean Chief?")]


def test_a_policy_of_a_volcano_job_whose_pods_never_fail_never_applies() -> None:
    restart = {"event": "PodFailed", "action": "RestartJob"}
    assert [code for code, _ in codes(volcano("OnFailure", restart))] == ["TJ417"]
    assert [code for code, _ in codes(volcano(None, {"events": ["PodEvicted", "PodFailed"], "action": "RestartTask"}))] == [
        "TJ417"
    ]
    assert [code for code, _ in codes(volcano("OnFailure", {"event": "PodFailed", "action": "AbortJob"}))] == ["TJ417"]


def test_a_volcano_job_that_restarts_is_accepted() -> None:
    restart = {"event": "PodFailed", "action": "RestartJob"}
    assert codes(volcano("Never", restart)) == []
    assert codes(volcano("OnFailure", {"event": "PodEvicted", "action": "RestartJob"})) == []
