"""Programs of several nodes find each other after a conversion, or the conversion reports that they do not."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen
from tests.tools.importing.test_jobs import JOBS, kubeflow, replicas, template, volcano

HEAD = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: bert, namespace: nlp}}
spec:
  runtime: {runtime}
  target: {former}
  image: registry.example.com/nlp/bert:7
  command: {command}
  nodes: 4
"""
WITH_OPTIONS = "[torchrun, --nnodes=4, --node_rank=$(RANK), --master_addr=$(MASTER_ADDR), train.py]"
IN_A_SHELL = "[bash, -c, 'torchrun --master_addr=${MASTER_ADDR} train.py']"


def bare() -> dict[str, dict[str, Any]]:
    """Jobs that an import writes with the runtime that sets nothing."""
    master = {"name": "master", "replicas": 1, "template": template("main", {"restartPolicy": "Never"})}
    worker = {**deepcopy(master), "name": "worker", "replicas": 3}
    of_volcano = volcano(plugins={"pytorch": ["--port=23456"]}, tasks=[master, worker])
    return {"PyTorchJob": {**JOBS["PyTorchJob"]}, "JAXJob": {**JOBS["JAXJob"]}, "Volcano Job": of_volcano}


@pytest.mark.parametrize(
    ("name", "runtime"), [("PyTorchJob", "tjgen-torch"), ("JAXJob", "tjgen-jax"), ("Volcano Job", "tjgen-torch")]
)
@pytest.mark.parametrize("target", ["trainjob", "jobset"])
def test_a_runtime_that_sets_nothing_becomes_that_of_the_framework(tmp_path: Path, name: str, runtime: str, target: str) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(bare()[name]), encoding="utf-8")
    experiment = yaml.safe_load(tjgen(tmp_path, "import", "job.yaml").out)
    experiment["spec"] |= {"runtime": "tjgen-bare"}
    experiment["spec"].pop("patches", None)
    for role in experiment["spec"]["roles"].values():
        role.pop("env", None)
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(experiment), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", target, "run.yaml")
    assert answer.code == 0, answer.err
    assert yaml.safe_load(answer.out)["spec"]["runtime"] == runtime
    (tmp_path / "run.yaml").write_text(answer.out, encoding="utf-8")
    pods = tjgen(tmp_path, "build", "--expanded", "run.yaml").out
    assert ("JAX_COORDINATOR_ADDRESS" if name == "JAXJob" else "PET_MASTER_ADDR") in pods


@pytest.mark.parametrize(
    ("runtime", "former", "command", "why", "hint"),
    [
        ("tjgen-torch", "pytorchjob", "[python, train.py]", "MASTER_ADDR, MASTER_PORT", "start the program with torchrun"),
        ("tjgen-torch", "pytorchjob", WITH_OPTIONS, "MASTER_ADDR, MASTER_PORT", "remove the options of torchrun"),
        ("tjgen-torch", "pytorchjob", IN_A_SHELL, "MASTER_ADDR, MASTER_PORT", "remove the options of torchrun"),
        ("tjgen-plain", "pytorchjob", "[torchrun, train.py]", "PET_*", "use a runtime for torch, such as tjgen-torch"),
        ("tjgen-plain", "jaxjob", "[python, train.py]", "COORDINATOR_ADDRESS", "read JAX_COORDINATOR_ADDRESS"),
    ],
)
def test_variables_of_the_operator_that_are_missing_are_a_warning(
    tmp_path: Path, runtime: str, former: str, command: str, why: str, hint: str
) -> None:
    (tmp_path / "e.yaml").write_text(HEAD.format(runtime=runtime, former=former, command=command), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "e.yaml")
    assert answer.code == 0
    assert f"warning[TJ952] e.yaml:6:11: bert: the Training Operator sets {why}" in answer.err
    assert hint in answer.err


def test_torchrun_and_a_runtime_for_torch_miss_nothing(tmp_path: Path) -> None:
    text = HEAD.format(runtime="tjgen-torch", former="pytorchjob", command="[torchrun, train.py]")
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "e.yaml")
    assert (answer.code, "TJ952" in answer.err) == (0, False)


def test_the_variables_of_a_plugin_are_missing_in_a_trainjob(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(bare()["Volcano Job"]), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "job.yaml")
    assert "the plugin pytorch of Volcano sets MASTER_ADDR" in answer.err


def mpijob() -> dict[str, Any]:
    launcher = replicas("launcher", 1, command=["mpirun", "pi"])
    worker = replicas("worker", 3, command=["/usr/sbin/sshd", "-De"])
    return kubeflow("MPIJob", "mpiReplicaSpecs", "v2beta1", Launcher=launcher, Worker=worker)


@pytest.mark.parametrize("target", ["trainjob", "volcanojob"])
def test_an_mpijob_with_roles_of_its_own_is_refused_with_the_runtime_to_write(tmp_path: Path, target: str) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(mpijob()), encoding="utf-8")
    text = tjgen(tmp_path, "import", "job.yaml").out
    assert "runtime: tjgen-bare" in text
    (tmp_path / "run.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", target, "run.yaml")
    assert (answer.code, answer.out) == (1, "")
    assert "TJ302" not in answer.err
    assert "TJ951" in answer.err


@pytest.mark.parametrize("target", ["trainjob", "volcanojob"])
def test_a_launcher_that_computes_keeps_its_fields_after_the_hint(tmp_path: Path, target: str) -> None:
    head = HEAD.format(runtime="tjgen-mpi", former="mpijob", command="[mpirun, pi]").replace("  nodes: 4\n", "")
    text = head + "  roles: {launcher: {replicas: 1, cpu: 2}, worker: {replicas: 3, cpu: 4}}\n"
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", target, "e.yaml")
    assert answer.code == 1
    assert "hint: rename role worker to node, and write nodes: 4 in spec instead of replicas in roles" in answer.err
    (tmp_path / "e.yaml").write_text(head + "  nodes: 4\n  roles: {launcher: {cpu: 2}, node: {cpu: 4}}\n", encoding="utf-8")
    assert tjgen(tmp_path, "convert", "--target", target, "e.yaml").code == 0


def test_an_mpijob_under_a_runtime_without_mpi_loses_its_host_file(tmp_path: Path) -> None:
    head = HEAD.format(runtime="tjgen-plain", former="mpijob", command="[mpirun, pi]").replace("  nodes: 4\n", "")
    roles = "  roles: {launcher: {replicas: 1}, worker: {replicas: 3, command: [/usr/sbin/sshd, -De]}}\n"
    (tmp_path / "e.yaml").write_text(head + roles, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "volcanojob", "e.yaml")
    assert answer.code == 1
    assert "the MPI Operator writes a host file for mpirun" in answer.err


@pytest.mark.parametrize(
    ("former", "runtime", "command", "target", "why"),
    [
        ("volcanojob", "tjgen-plain", "[bash, -c, 'run --rank=$VC_TASK_INDEX']", "trainjob", "VC_TASK_INDEX, which Volcano sets"),
        (
            "volcanojob",
            "tjgen-plain",
            "[bash, -c, 'run --hosts=$VC_NODE_HOSTS']",
            "pytorchjob",
            "VC_NODE_HOSTS, which Volcano sets",
        ),
        ("volcanojob", "tjgen-plain", "[run, --master=bert-node-0.bert]", "trainjob", "the host bert-node-0, and pods of"),
        ("jobset", "tjgen-plain", "[run, --master=bert-node-0-0.bert]", "volcanojob", "the host bert-node-0, and pods of"),
    ],
)
def test_names_that_only_the_former_pods_have_are_a_warning(
    tmp_path: Path, former: str, runtime: str, command: str, target: str, why: str
) -> None:
    text = HEAD.format(runtime=runtime, former=former, command=command).replace("  nodes: 4\n", "  nodes: 4\n  naming: fixed\n")
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", target, "e.yaml")
    assert f"warning[TJ952] e.yaml:6:11: bert: the program refers to {why}" in answer.err, answer.err
    assert "refers to" not in tjgen(tmp_path, "convert", "--target", former, "e.yaml").err


@pytest.mark.parametrize(
    "spec",
    [
        "{target: mpijob, roles: 3}",
        "{target: mpijob, roles: {worker: 3}}",
        "{runtime: tjgen-bare, target: volcanojob, volcano: {plugins: 3}}",
        "{runtime: tjgen-bare, target: volcanojob, volcano: []}",
        "{runtime: tjgen-bare, target: [x]}",
        "{runtime: [tjgen-bare], target: pytorchjob}",
    ],
)
def test_values_of_wrong_types_are_errors(tmp_path: Path, spec: str) -> None:
    (tmp_path / "e.yaml").write_text(f"kind: Experiment\nspec: {spec}\n", encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "e.yaml")
    assert (answer.code, "TJ900" in answer.err) == (1, False), answer.err
