"""Facts in the tables of upstream's own unit tests: a job, one of its pods, and the variables and ports that it must have.

Each row names the test that has the fact: training-operator v1.9.3 `pkg/controller.v1`, volcano v1.15.1
`pkg/controllers/job/plugins/distributed-framework`.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from tjgen.cluster.controllers.creation import create


class Fact(NamedTuple):
    """What a pod has. A variable that is None is absent, and `ports` are those of the first container."""

    test: str
    job: Any
    pod: str
    env: dict[str, str | None]
    ports: list[int] | None = None
    init_containers: list[str] | None = None


def template(container: str, *ports: tuple[str, int], **spec: Any) -> Any:
    listed = {"ports": [{"name": name, "containerPort": number} for name, number in ports]} if ports else {}
    return {"spec": {"containers": [{"name": container, "image": "a:1", **listed}], **spec}}


def operator(kind: str, field: str, name: str, roles: dict[str, Any], **spec: Any) -> Any:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": metadata, "spec": {field: roles, **spec}}


def volcano(name: str, plugin: str, arguments: list[str], pod: Any = None, **tasks: int) -> Any:
    listed = [{"name": task, "replicas": number, "template": pod or template("main")} for task, number in tasks.items()]
    metadata = {"name": name, "namespace": "default"}
    spec = {"schedulerName": "volcano", "minAvailable": 1, "plugins": {plugin: arguments}, "tasks": listed}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": metadata, "spec": spec}


ELASTIC = {
    "minReplicas": 1,
    "maxReplicas": 3,
    "rdzvBackend": "c10d",
    "rdzvPort": 1234,
    "rdzvHost": "localhost",
    "rdzvId": "rdzv-id",
    "rdzvConf": [
        {"key": "rdzv-conf-name", "value": "rdzv-conf-value"},
        {"key": "rdzv-conf-name-1", "value": "rdzv-conf-value-1"},
    ],
    "maxRestarts": 3,
}
ONE = {"replicas": 1, "template": template("pytorch")}
RENDEZVOUS = ("PET_MAX_RESTARTS", "PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_RDZV_ID", "PET_RDZV_CONF")
WITH_PORT = template("main", ("pytorchjob-port", 123))
CLUSTER = {"ps": ["ps-0", "ps-1"], "worker": ["worker-0", "worker-1"], "chief": ["chief-0"]}


def rank(value: str, size: str) -> dict[str, str | None]:
    """The variables of the plugin pytorch."""
    return {"MASTER_ADDR": "test-master-0.test", "MASTER_PORT": "23456", "WORLD_SIZE": size, "RANK": value}


def tensorflow(role: str, index: int) -> dict[str, str | None]:
    """The variable of the plugin tensorflow, for the Job `train` with two parameter servers, two workers, and a chief."""
    listed = {name: [f"train-{host}.train:2222" for host in hosts] for name, hosts in CLUSTER.items()}
    config = {"cluster": {name: listed[name] for name in ("ps", "worker", "chief")}, "task": {"type": role, "index": index}}
    return {"TF_CONFIG": json.dumps(config, separators=(",", ":"))}


FACTS = [
    Fact(
        "pytorch/elastic_test.go",
        operator("PyTorchJob", "pytorchReplicaSpecs", "a", {"Worker": ONE}),
        "a-worker-0",
        dict.fromkeys(RENDEZVOUS),
    ),
    Fact(
        "pytorch/elastic_test.go",
        operator("PyTorchJob", "pytorchReplicaSpecs", "b", {"Worker": ONE}, elasticPolicy=ELASTIC),
        "b-worker-0",
        {
            "PET_MAX_RESTARTS": "3",
            "PET_RDZV_BACKEND": "c10d",
            "PET_RDZV_ENDPOINT": "localhost:1234",
            "PET_RDZV_ID": "rdzv-id",
            "PET_RDZV_CONF": "rdzv-conf-name=rdzv-conf-value,rdzv-conf-name-1=rdzv-conf-value-1",
            "PET_NNODES": "1:3",
        },
    ),
    Fact(
        "jax/envvar_test.go",
        operator(
            "JAXJob",
            "jaxReplicaSpecs",
            "test-jaxjob",
            {"Worker": {"replicas": 1, "template": template("jax", ("jaxjob-port", 6666))}},
        ),
        "test-jaxjob-worker-0",
        {
            "PYTHONUNBUFFERED": "1",
            "COORDINATOR_PORT": "6666",
            "COORDINATOR_ADDRESS": "test-jaxjob-worker-0",
            "NUM_PROCESSES": "1",
            "PROCESS_ID": "0",
        },
        [6666],
    ),
    Fact(
        "pytorch/pytorch_test.go: no master",
        volcano("test", "pytorch", [], worker=1),
        "test-worker-0",
        {"MASTER_ADDR": None, "RANK": None},
        [],
    ),
    Fact(
        "pytorch/pytorch_test.go: no port",
        volcano("test", "pytorch", [], master=1, worker=1),
        "test-master-0",
        rank("0", "2"),
        [23456],
    ),
    Fact(
        "pytorch/pytorch_test.go: a port",
        volcano("test", "pytorch", [], template("main", ("pytorchjob-port", 23456)), master=1, worker=1),
        "test-master-0",
        rank("0", "2"),
        [23456],
    ),
    *[
        Fact(
            "pytorch/pytorch_test.go: another task",
            volcano("test", "pytorch", [], WITH_PORT, master=1, worker=2, extra=2),
            pod,
            rank(number, "3"),
            [123, 23456],
        )
        for pod, number in (("test-master-0", "0"), ("test-worker-0", "1"), ("test-worker-1", "2"))
    ],
    *[
        Fact(
            "pytorch/pytorch_test.go: waiting",
            volcano("test", "pytorch", [f"--wait-master-enabled={enabled}"], **tasks),
            pod,
            {},
            None,
            containers,
        )
        for enabled, tasks, pod, containers in (
            ("true", {"master": 1, "worker": 2}, "test-worker-0", ["wait-for-master"]),
            ("false", {"master": 1, "worker": 2}, "test-worker-0", []),
            ("true", {"master": 1, "worker": 2}, "test-master-0", []),
            ("true", {"worker": 1}, "test-worker-0", []),
        )
    ],
    Fact(
        "pytorch/pytorch_test.go: waits already",
        volcano(
            "test",
            "pytorch",
            ["--wait-master-enabled=true"],
            template("main", initContainers=[{"name": "wait-for-master", "image": "a:1"}]),
            master=1,
            worker=1,
        ),
        "test-worker-0",
        {},
        None,
        ["wait-for-master"],
    ),
    Fact("mpi/mpi_test.go: port", volcano("test", "mpi", [], fakeMaster=1, fakeWorker=2), "test-fakeMaster-0", {}, [22]),
    Fact(
        "mpi/mpi_test.go: another port",
        volcano("test", "mpi", ["--port=5000"], fakeMaster=1, fakeWorker=2),
        "test-fakeMaster-0",
        {},
        [5000],
    ),
    *[
        Fact(
            "tensorflow/tensorflow_test.go",
            volcano("train", "tensorflow", [], ps=2, worker=2, chief=1),
            pod,
            tensorflow(role, index),
        )
        for pod, role, index in (
            ("train-ps-0", "ps", 0),
            ("train-worker-0", "worker", 0),
            ("train-chief-0", "chief", 0),
        )
    ],
]


@pytest.mark.parametrize("fact", FACTS, ids=[f"{number} {one.test} {one.pod}" for number, one in enumerate(FACTS)])
def test_a_pod_has_what_the_test_of_upstream_expects(fact: Fact) -> None:
    pods = [series.build(ordinal) for series in create(fact.job) if series.kind == "Pod" for ordinal in range(series.number)]
    (spec,) = [one["spec"] for one in pods if one["metadata"]["name"] == fact.pod]
    first = spec["containers"][0]
    env = {one["name"]: one.get("value") for one in first.get("env", ())}
    assert {name: env.get(name) for name in fact.env} == fact.env
    if fact.ports is not None:
        assert [one["containerPort"] for one in first.get("ports", ())] == fact.ports
    if fact.init_containers is not None:
        assert [one["name"] for one in spec.get("initContainers", ())] == fact.init_containers
