"""Policies see the labels that the JobSet controller and the Job controller add to Jobs and pods."""

from __future__ import annotations

from typing import Any

from tjgen.cluster.policies.judgment import created

POD = {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "i"}]}}
JOBSET = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "llm", "namespace": "vision"},
    "spec": {
        "coordinator": {"replicatedJob": "node", "jobIndex": 0, "podIndex": 0},
        "replicatedJobs": [
            {"name": "data", "replicas": 2, "template": {"spec": {"template": POD}}},
            {
                "name": "node",
                "replicas": 3,
                "template": {"spec": {"template": {**POD, "metadata": {"labels": {"team": "vision"}}}}},
            },
        ],
    },
}


def _created(tree: dict[str, Any]) -> list[Any]:
    return [one.tree for one in created(tree)]


def test_pods_of_a_jobset_have_the_labels_of_its_controllers() -> None:
    found = _created(JOBSET)
    assert [one["kind"] for one in found] == ["Service", "Job", "Pod", "Job", "Pod"]
    job, pod = found[3:]
    marks = {
        "jobset.sigs.k8s.io/jobset-name": "llm",
        "jobset.sigs.k8s.io/jobset-uid": "00000000-0000-4000-8000-000000000000",
        "jobset.sigs.k8s.io/replicatedjob-name": "node",
        "jobset.sigs.k8s.io/restart-attempt": "0",
        "jobset.sigs.k8s.io/replicatedjob-replicas": "3",
        "jobset.sigs.k8s.io/global-replicas": "5",
        "jobset.sigs.k8s.io/job-index": "0",
        "jobset.sigs.k8s.io/job-key": "1b2e96c0d28d877e2b65122120b9fdcc143b2428",
        "jobset.sigs.k8s.io/job-global-index": "2",
        "jobset.sigs.k8s.io/group-name": "default",
        "jobset.sigs.k8s.io/group-replicas": "5",
        "jobset.sigs.k8s.io/job-group-index": "2",
        "jobset.sigs.k8s.io/coordinator": "llm-node-0-0.llm",
    }
    assert job["metadata"]["name"] == "llm-node-0"
    assert job["metadata"]["namespace"] == "vision"
    assert job["metadata"]["labels"] == job["metadata"]["annotations"] == marks
    assert job["spec"]["template"]["metadata"] == {"labels": {"team": "vision", **marks}, "annotations": marks}
    index = {"batch.kubernetes.io/job-completion-index": "0"}
    priority = {"jobset.sigs.k8s.io/priority": "0"}
    of_job = {
        "job-name": "llm-node-0",
        "batch.kubernetes.io/job-name": "llm-node-0",
        "controller-uid": "00000000-0000-4000-8000-000000000000",
        "batch.kubernetes.io/controller-uid": "00000000-0000-4000-8000-000000000000",
    }
    assert pod["metadata"]["labels"] == {**of_job, "team": "vision", **marks, **index, **priority}
    assert pod["metadata"]["annotations"] == {**marks, **index}


def test_pods_of_a_job_have_its_labels() -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "load"}, "spec": {"template": POD}}
    (pod,) = _created(job)
    assert pod["metadata"]["labels"]["batch.kubernetes.io/job-name"] == "load"
    assert "annotations" not in pod["metadata"]
    (pod,) = _created({**job, "spec": {"template": POD, "completionMode": "Indexed", "completions": 2, "parallelism": 2}})
    assert pod["metadata"]["labels"]["job-name"] == "load"
    assert pod["metadata"]["annotations"] == {"batch.kubernetes.io/job-completion-index": "0"}


def test_pods_of_a_deployment_have_only_the_labels_of_the_template() -> None:
    template = {**POD, "metadata": {"labels": {"app": "a"}}, "spec": {"containers": POD["spec"]["containers"]}}
    spec = {"selector": {"matchLabels": {"app": "a"}}, "template": template}
    (pod,) = _created({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
    assert pod["metadata"]["labels"] == {"app": "a"}
