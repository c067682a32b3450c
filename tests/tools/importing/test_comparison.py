"""Conversions that would change pods, containers, images, devices or variables: they are refused, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen
from tests.tools.importing.test_jobs import GPU, JOBS, container, jobset, kubeflow, replicas
from tests.tools.importing.test_rayjobs import LINES
from tjgen.tools.importing.comparison import differences
from tjgen.trees.manifests.manifest import Manifest


def convert(folder: Path, tree: Any, target: str) -> Answer:
    (folder / "job.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(tree))), encoding="utf-8")
    return tjgen(folder, "convert", "--target", target, "job.yaml")


def job(name: str, count: int, parallelism: int, **more: Any) -> dict[str, Any]:
    pod = {"restartPolicy": "Never", "containers": [container("c", **more)]}
    spec = {"parallelism": parallelism, "completions": parallelism, "template": {"spec": pod}}
    return {"name": name, "replicas": count, "template": {"spec": spec}}


DRIVER = jobset(job("driver", 1, 1, image="a/driver:1"), job("worker", 3, 2, image="a/w:1", resources=GPU))


def test_a_job_that_would_lose_pods_is_refused(tmp_path: Path) -> None:
    answer = convert(tmp_path, DRIVER, "volcanojob")
    assert (answer.code, answer.out) == (1, "")
    head = "error[TJ951] nlp/bert-7.yaml cannot be converted to target volcanojob: "
    assert [line for line in answer.err.splitlines() if line.startswith("error")] == [
        f"{head}7 pods (driver 1, worker 6) become 2 pods (worker 2)",
        f"{head}container driver/c with image a/driver:1 runs in 0 of 1 pods",
        f"{head}container worker/c with image a/w:1 runs in 2 of 6 pods",
        f"{head}48 of nvidia.com/gpu become 16",
    ]
    assert "hint: write an experiment with a role for each kind of pod" in answer.err


def test_an_experiment_that_would_lose_pods_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(DRIVER), encoding="utf-8")
    text = tjgen(tmp_path, "import", "job.yaml").out
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "volcanojob", "--in-place", "e.yaml")
    assert answer.code == 1
    assert "bert-7 cannot be converted to target volcanojob: 7 pods (driver 1, worker 6) become 2 pods (worker 2)" in answer.err
    assert "warning[TJ952] e.yaml" in answer.err
    assert "patch as-it-was for JobSet has no effect with target volcanojob" in answer.err
    assert "TJ330" not in answer.err
    assert (tmp_path / "e.yaml").read_text(encoding="utf-8") == text


def test_sidecars_and_init_containers_are_kept(tmp_path: Path) -> None:
    pods = replicas("pytorch", 1)
    pods["template"]["spec"]["containers"].append({"name": "logs", "image": "f/b:1"})
    pods["template"]["spec"]["initContainers"] = [{"name": "wait", "image": "busybox:1"}]
    tree = kubeflow("PyTorchJob", "pytorchReplicaSpecs", Master=pods, Worker=replicas("pytorch", 2))
    answer = convert(tmp_path, tree, "volcanojob")
    assert answer.code == 0
    master, worker = (task["template"]["spec"] for task in yaml.safe_load(answer.out)["spec"]["tasks"])
    assert [one["image"] for one in master["containers"][1:]] == ["f/b:1"]
    assert [one["image"] for one in master["initContainers"]] == ["busybox:1"]
    assert (len(worker["containers"]), worker.get("initContainers")) == (1, None)


def test_lost_init_containers_are_named(tmp_path: Path) -> None:
    pods = replicas("pytorch", 1)
    ports = [{"containerPort": 1}]
    proxy = {"name": "proxy", "image": "f/p:1", "restartPolicy": "Always"}
    pods["template"]["spec"]["initContainers"] = [proxy, {"name": "wait", "image": "busybox:1", "ports": ports}]
    tree = kubeflow("PyTorchJob", "pytorchReplicaSpecs", Master=pods, Worker=replicas("pytorch", 2))
    answer = convert(tmp_path, tree, "volcanojob")
    assert answer.code == 1
    assert "init container master/wait with image busybox:1 runs in 0 of 1 pods" in answer.err
    assert "write it as a role, or in sidecars or initContainers of an experiment" in answer.err


def test_equal_pods_in_other_roles_do_not_differ() -> None:
    one = jobset(job("a", 2, 2), job("b", 1, 1))
    other = jobset(job("c", 5, 1))
    assert differences([Manifest(one, {})], [Manifest(other, {})]) == []
    foreign = differences([Manifest(one, {})], [Manifest(jobset(job("c", 5, 1, image="x:1")), {})])
    assert foreign[-1].why == "container c/c has image x:1, which runs in 0 pods before and in 5 after"


@pytest.mark.parametrize("target", ["volcanojob", "trainjob", "jobset", "rayjob"])
def test_variables_of_tensorflow_are_set_by_its_operator_alone(tmp_path: Path, target: str) -> None:
    answer = convert(tmp_path, JOBS["TFJob"], target)
    assert (answer.code, answer.out) == (1, "")
    if target != "rayjob":
        assert f"the Training Operator sets TF_CONFIG in each pod, and target {target} does not" in answer.err
        assert "hint: set it in env, or keep target tfjob" in answer.err


def test_one_pod_needs_no_variables(tmp_path: Path) -> None:
    tree = kubeflow("TFJob", "tfReplicaSpecs", Worker=replicas("tensorflow", 1))
    assert convert(tmp_path, tree, "jobset").code == 0


@pytest.mark.parametrize(
    ("command", "target", "is_lost"),
    [
        (["python", "t.py"], "trainjob", True),
        (["torchrun", "t.py"], "trainjob", False),
        (["sh", "-c", "python -m torch.distributed.run t.py"], "jobset", False),
        (["python", "t.py"], "volcanojob", False),
    ],
)
def test_a_program_without_torchrun_needs_the_variables_of_pytorch(
    tmp_path: Path, command: list[str], target: str, is_lost: bool
) -> None:
    types: Any = {role: replicas("pytorch", count, command=command) for role, count in (("Master", 1), ("Worker", 2))}
    answer = convert(tmp_path, kubeflow("PyTorchJob", "pytorchReplicaSpecs", **types), target)
    assert answer.code == 0
    assert ("sets MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK in each pod" in answer.err) is is_lost
    assert ("hint: start the program with torchrun" in answer.err) is is_lost


def test_variables_of_xgboost_are_set_by_its_operator_alone(tmp_path: Path) -> None:
    answer = convert(tmp_path, JOBS["XGBoostJob"], "trainjob")
    assert answer.code == 1
    assert "WORKER_ADDRS and WORKER_PORT in each pod, and target trainjob does not" in answer.err


@pytest.mark.parametrize("target", ["xgboostjob", "jobset", "trainjob", "volcanojob"])
def test_variables_of_paddle_are_set_by_its_operator_alone(tmp_path: Path, target: str) -> None:
    answer = convert(tmp_path, JOBS["PaddleJob"], target)
    assert answer.code == 1
    assert f"PADDLE_MASTER, PADDLE_NNODES and PADDLE_JOB_ID in each pod, and target {target} does not" in answer.err


def test_a_paddlejob_of_one_pod_needs_no_variables(tmp_path: Path) -> None:
    job = kubeflow("PaddleJob", "paddleReplicaSpecs", Worker=replicas("paddle", 1))
    answer = convert(tmp_path, job, "trainjob")
    assert answer.code == 0, answer.err


@pytest.mark.parametrize("target", ["volcanojob", "jobset", "trainjob", "pytorchjob"])
def test_a_ray_cluster_has_no_equivalent(tmp_path: Path, target: str) -> None:
    answer = convert(tmp_path, LINES["plain"], target)
    assert (answer.code, answer.out) == (1, "")
    assert f"a RayJob starts a Ray cluster, and target {target} does not" in answer.err
    imported = tjgen(tmp_path, "import", "job.yaml")
    (tmp_path / "e.yaml").write_text(imported.out, encoding="utf-8")
    again = tjgen(tmp_path, "convert", "--target", target, "e.yaml")
    assert (again.code, again.out) == (1, "")
    assert f"a RayJob starts a Ray cluster, and target {target} does not" in again.err
