"""What the plugins of a Volcano Job add to its pods, and the objects that they create."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.cluster.controllers.creation import create, create_pods
from tjgen.cluster.controllers.volcano_plugins import read_flags


def job(plugins: dict[str, list[str]], **tasks: int) -> Any:
    template = {"spec": {"containers": [{"name": "head", "image": "i"}]}}
    listed = [{"name": name, "replicas": number, "template": template} for name, number in tasks.items()]
    spec = {"queue": "q", "plugins": plugins, "tasks": listed}
    metadata = {"name": "j", "namespace": "ml"}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": metadata, "spec": spec}


def variables(tree: Any, name: str) -> list[str]:
    """The values of a variable in all pods that have it."""
    pods = [series.build(ordinal) for series in create_pods(tree) for ordinal in range(series.number)]
    every = [one for pod in pods for one in pod["spec"]["containers"][0].get("env", ())]
    return [one.get("value", "") for one in every if one["name"] == name]


@pytest.mark.parametrize(
    ("plugins", "name", "expected"),
    [
        ({"env": []}, "VC_TASK_INDEX", ["0", "0", "1"]),
        ({"pytorch": ["--port=1234"]}, "MASTER_PORT", ["1234"] * 3),
        ({"pytorch": []}, "RANK", ["0", "1", "2"]),
        ({"pytorch": []}, "WORLD_SIZE", ["3", "3", "3"]),
        ({"pytorch": ["--master=other"]}, "WORLD_SIZE", []),
        ({"mpi": []}, "MPI_HOST", ["j-worker-0.j,j-worker-1.j"]),
        ({"tensorflow": ["--chief", "master"]}, "TF_CONFIG", None),
    ],
)
def test_variables_of_plugins(plugins: dict[str, list[str]], name: str, expected: list[str] | None) -> None:
    found = variables(job(plugins, master=1, worker=2), name)
    if expected is not None:
        assert found == expected
    else:
        assert found[2] == (
            '{"cluster":{"worker":["j-worker-0.j:2222","j-worker-1.j:2222"],"chief":["j-master-0.j:2222"]},'
            '"task":{"type":"worker","index":1}}'
        )


def test_ranks_of_ascend_devices_continue_behind_the_masters() -> None:
    pods = [one.build(number) for one in create_pods(job({"hcclrank": []}, master=2, worker=2)) for number in range(one.number)]
    assert [pod["metadata"]["annotations"]["hccl/rankIndex"] for pod in pods] == ["0", "1", "2", "3"]


def test_ray_starts_head_and_workers() -> None:
    head, worker = [one.build(0) for one in create_pods(job({"ray": ["--workerContainer=head"]}, head=1, worker=1))]
    assert [port["name"] for port in head["spec"]["containers"][0]["ports"]] == ["gcs", "dashboard", "client-server"]
    assert worker["spec"]["containers"][0]["command"][-1] == "ray start --block --address=j-head-0.j:6379"


def test_objects_of_plugins_come_before_the_group_and_the_pods() -> None:
    found = [(one.kind, one.prefix) for one in create(job({"svc": [], "ssh": [], "ray": []}, head=1))]
    assert found == [
        ("Service", "j-head-svc"),
        ("Secret", "j-ssh"),
        ("ConfigMap", "j-svc"),
        ("Service", "j"),
        ("NetworkPolicy", "j"),
        ("PodGroup", "j-00000000-0000-4000-8000-000000000001"),
        ("Pod", "j-head"),
    ]
    assert "NetworkPolicy" not in [one.kind for one in create(job({"svc": ["--disable-network-policy"]}, head=1))]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--port=1", "--name=x", "--on"], {"port": 1, "name": "x", "on": True}),
        (["-port", "0x10", "--on=false"], {"port": 16, "name": "", "on": False}),
        (["--port=x", "--on"], {"port": 22, "name": "", "on": False}),
        (["--other", "--on"], {"port": 22, "name": "", "on": False}),
        (["word", "--on"], {"port": 22, "name": "", "on": False}),
    ],
)
def test_flags_are_read_until_the_first_that_go_refuses(arguments: list[str], expected: dict[str, Any]) -> None:
    assert read_flags(arguments, {"port": 22, "name": "", "on": False}) == expected
