"""What the operators make of a job, against their own code: every pod with its variables, the launcher and the host file.

`recorded_operators.jsonl` holds what training-operator v1.9.3 (SetDefaults, SetClusterSpec, SetRestartPolicy) and mpi-operator
v0.8.0 (newWorker, newLauncherJob, newConfigMap) made of these manifests in process, without empty values. The last of them are
those of `tests/cases`. A line is recorded anew or left alone, never edited.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT
from tjgen.cluster.controllers import mpi_operator, training_operator
from tjgen.cluster.kinds.table import replica_field

LINES = Path(__file__).with_name("recorded_operators.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]
OF_OPERATOR = [case for case in CASES if case["manifest"]["kind"] != "MPIJob"]
OF_MPI = [case for case in CASES if case["manifest"]["kind"] == "MPIJob"]


def cleaned(value: Any) -> Any:
    """Without what is empty: Go leaves some of it out."""
    if isinstance(value, dict):
        return {key: one for key, item in value.items() if (one := cleaned(item)) not in (None, {}, [])}
    return [cleaned(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("case", OF_OPERATOR, ids=[case["id"] for case in OF_OPERATOR])
def test_pods_are_those_of_the_training_operator(case: dict[str, Any]) -> None:
    tree = case["manifest"]
    found, ports = {}, {}
    for role, spec in tree["spec"][replica_field(tree["kind"])].items():
        ports[role.lower()] = training_operator.ports_of(tree, spec["template"]["spec"]["containers"])
        for number in range(spec.get("replicas", 1)):
            name = f"{tree['metadata']['name']}-{role.lower()}-{number}"
            found[name] = cleaned(training_operator.template(tree, spec, role.lower(), number))
    assert found == case["pods"]
    assert ports == case["ports"]


@pytest.mark.parametrize("case", OF_MPI, ids=[case["id"] for case in OF_MPI])
def test_pods_are_those_of_the_mpi_operator(case: dict[str, Any]) -> None:
    tree = case["manifest"]
    specs = tree["spec"]["mpiReplicaSpecs"]
    count = specs.get("Worker", {}).get("replicas", 0)
    name = tree["metadata"]["name"]
    made = {f"{name}-worker-{index}": cleaned(mpi_operator.worker(tree, specs["Worker"], index)) for index in range(count)}
    assert made == case["pods"]
    assert cleaned(mpi_operator.launcher(tree, specs["Launcher"])) == case["launcher"]
    assert mpi_operator.hosts(tree, count) == case["hosts"]


def variables(pod: dict[str, Any]) -> dict[str, str]:
    """The variables of the first container as the kubelet sees them: the last of a name counts."""
    found = {}
    for one in pod["spec"]["containers"][0].get("env", []):
        if "valueFrom" in one:
            path = one["valueFrom"]["fieldRef"]["fieldPath"]
            assert path == "metadata.labels['training.kubeflow.org/replica-index']"
        found[one["name"]] = one.get("value", "index" if "valueFrom" in one else "")
    return found


def emitted(name: str) -> dict[str, Any]:
    """The recorded case of a job that a case of tests/cases emits, with the name that the job has now.

    The name follows from the experiment. Pods differ with it in their own names and in those of their hosts alone.
    """
    [line] = [line for line, one in zip(LINES, CASES, strict=True) if one["id"] == name]
    recorded = json.loads(line)["manifest"]
    applied = (ROOT / "tests" / "cases" / name / "expected" / "applied.yaml").read_text(encoding="utf-8")
    [job] = [tree for tree in yaml.safe_load_all(applied) if tree["kind"] == recorded["kind"]]
    case = json.loads(line.replace(recorded["metadata"]["name"], job["metadata"]["name"]))
    found = counted_elsewhere(job)
    assert found == counted_elsewhere(case["manifest"]), "record tests/cluster/controllers/recorded_operators.jsonl anew"
    return dict(case)


def counted_elsewhere(tree: dict[str, Any]) -> dict[str, Any]:
    """The job without what no pod depends on: the operators compare `backoffLimit` with the restarts of the pods, and those that
    were recorded ran without gang scheduling."""
    policy = {key: value for key, value in tree["spec"]["runPolicy"].items() if key not in ("backoffLimit", "schedulingPolicy")}
    return {**tree, "spec": {**tree["spec"], "runPolicy": policy}}


@pytest.mark.parametrize("name", [case["id"] for case in CASES if (ROOT / "tests" / "cases" / case["id"]).exists()])
def test_the_recorded_job_is_the_one_that_is_emitted(name: str) -> None:
    emitted(name)


def numbers(case: dict[str, Any], name: str) -> list[str]:
    """A variable of all pods, where it is the pod's index with that index."""
    return sorted(
        pod.rpartition("-")[2] if (value := variables(tree)[name]) == "index" else value for pod, tree in case["pods"].items()
    )


def test_the_pods_of_a_pytorchjob_find_their_master_and_have_a_slice_each() -> None:
    case = emitted("pytorchjob")
    seen = [variables(pod) for pod in case["pods"].values()]
    assert {(one["MASTER_ADDR"], one["PET_NNODES"], one["PET_NPROC_PER_NODE"], one["WORLD_SIZE"]) for one in seen} == {
        ("resnet50-master-0", "4", "8", "32")
    }
    assert "resnet50-master-0" in case["pods"]
    assert numbers(case, "PET_NODE_RANK") == numbers(case, "RANK") == numbers(case, "TJGEN_SLICE_INDEX") == list("0123")


def test_an_elastic_pytorchjob_meets_at_its_first_worker() -> None:
    seen = [variables(pod) for pod in emitted("pytorchjob-that-is-elastic")["pods"].values()]
    assert seen
    wanted = {"PET_RDZV_BACKEND": "c10d", "PET_NNODES": "2:8", "PET_MAX_RESTARTS": "10", "PET_NPROC_PER_NODE": "2"}
    assert all(wanted.items() <= one.items() and one["PET_RDZV_ENDPOINT"].endswith("-worker-0:23456") for one in seen)


def test_only_those_who_train_have_a_slice_in_a_tfjob() -> None:
    case = emitted("tfjob-with-parameter-servers")
    readers = {name for name, pod in case["pods"].items() if "TJGEN_SLICE_INDEX" in variables(pod)}
    assert {name.rpartition("-")[0].rpartition("-")[2] for name in readers} == {"chief", "worker"}
    pods = {name: pod for name, pod in case["pods"].items() if name in readers}
    assert numbers({"pods": pods}, "TJGEN_SLICE_INDEX") == list("01234")
    config = json.loads(variables(next(iter(pods.values())))["TF_CONFIG"])
    assert {role: len(hosts) for role, hosts in config["cluster"].items()} == {"chief": 1, "evaluator": 1, "ps": 2, "worker": 4}


def test_the_tracker_of_an_xgboostjob_runs_where_the_task_is_number_0() -> None:
    case = emitted("xgboostjob")
    assert numbers(case, "DMLC_TASK_ID") == list("0123")
    [(tracker, pod)] = [(name, pod) for name, pod in case["pods"].items() if name.endswith("worker-0")]
    assert variables(pod)["DMLC_TASK_ID"] == "index"
    assert {variables(one)["DMLC_TRACKER_URI"] for one in case["pods"].values()} == {tracker}


def test_the_workers_of_a_jaxjob_have_the_same_number_by_both_names() -> None:
    case = emitted("jaxjob")
    assert numbers(case, "JAX_PROCESS_ID") == numbers(case, "PROCESS_ID") == [str(number) for number in range(8)]
    seen = variables(next(iter(case["pods"].values())))
    assert seen["JAX_COORDINATOR_ADDRESS"] == f"{seen['COORDINATOR_ADDRESS']}:{seen['COORDINATOR_PORT']}"
    assert seen["JAX_NUM_PROCESSES"] == seen["NUM_PROCESSES"] == "8"


def test_every_node_of_an_mpijob_is_in_the_host_file() -> None:
    case = emitted("mpijob-whose-launcher-computes")
    lines = case["hosts"].splitlines()
    assert [line.split(".")[0].rpartition("-")[2] for line in lines] == ["launcher", "0", "1"]
    assert all(line.endswith(" slots=8") for line in lines)
