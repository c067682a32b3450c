"""The objects between a run and its pods, as the controllers create them."""

from __future__ import annotations

from typing import Any

from tjgen.cluster.controllers.creation import create, create_pods

POD: dict[str, Any] = {"spec": {"containers": [{"name": "a", "image": "i"}]}}


def jobset(**spec: Any) -> Any:
    job = {"name": "node", "replicas": 3, "template": {"spec": {"parallelism": 2, "completions": 2, "template": POD}}}
    metadata = {"name": "llm", "namespace": "nlp"}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata,
        "spec": {"replicatedJobs": [job], **spec},
    }


def test_a_jobset_creates_its_service_before_its_jobs() -> None:
    assert [(one.kind, one.prefix, one.number) for one in create(jobset())] == [("Service", "llm", 1), ("Job", "llm-node", 3)]
    assert [one.kind for one in create(jobset(network={"enableDNSHostnames": False}))] == ["Job"]
    assert [one.prefix for one in create(jobset(network={"subdomain": "sub"}))] == ["sub", "llm-node"]


def test_the_pods_of_equal_jobs_are_one_series() -> None:
    (pods,) = create_pods(jobset())
    assert (pods.kind, pods.prefix, pods.number) == ("Pod", "llm-node", 6)
    assert pods.source == ("spec", "replicatedJobs", 0, "template", "spec", "template")
    names = [pods.build(number)["metadata"]["generateName"] for number in range(6)]
    assert names == [f"llm-node-{job}-{index}-" for job in range(3) for index in range(2)]
    last = pods.build(5)
    assert last["spec"]["hostname"] == "llm-node-2-1"
    assert last["spec"]["subdomain"] == "llm"
    assert last["spec"]["restartPolicy"] == "OnFailure"
    assert last["metadata"]["labels"]["jobset.sigs.k8s.io/job-index"] == "2"
    assert last["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] == "1"
    assert [one["name"] for one in last["spec"]["containers"][0]["env"]] == ["JOB_COMPLETION_INDEX"]


def test_exclusive_placement_is_an_affinity_of_the_first_pod_and_a_node_selector_of_the_others() -> None:
    tree = jobset()
    tree["metadata"]["annotations"] = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"}
    (pods,) = create_pods(tree)
    leader, follower = pods.build(0), pods.build(1)
    assert set(leader["spec"]["affinity"]) == {"podAffinity", "podAntiAffinity"}
    assert "nodeSelector" not in leader["spec"]
    assert follower["spec"]["nodeSelector"] == {"rack": "domain-of-llm-node-0-0"}


def test_another_manager_creates_nothing() -> None:
    assert list(create(jobset(managedBy="example.com/other"))) == []
    job: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": POD}}
    assert [one.number for one in create(job)] == [1]
    assert list(create({**job, "spec": {**job["spec"], "managedBy": "example.com/other"}})) == []


def test_completions_bound_the_pods_that_run_at_once() -> None:
    numbers: list[tuple[dict[str, int], list[int]]] = [
        ({"parallelism": 4}, [4]),
        ({"parallelism": 4, "completions": 3}, [3]),
        ({"completions": 3}, [1]),
        ({"parallelism": 0, "completions": 3}, []),
    ]
    for spec, expected in numbers:
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {**spec, "template": POD}}
        assert [one.number for one in create_pods(job)] == expected
