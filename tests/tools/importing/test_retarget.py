"""Another target: the text of an experiment with one word changed, and jobs that were written by hand as jobs of another kind."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen
from tests.tools.importing.test_jobs import IMAGE, JOBS, kubeflow, replicas, template

EXPERIMENT = """\
# our run
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert, namespace: nlp}
spec:
  runtime: tjgen-torch   # of the house
  target: pytorchjob # v1
  image: registry.example.com/nlp/bert:7
  script: train.py
  nodes: 4
  schedule: {queue: ai}
"""


def with_variables(replica_type: dict[str, Any]) -> None:
    """Set TF_CONFIG, which no other operator sets."""
    for one in replica_type["template"]["spec"]["containers"]:
        one["env"] = [{"name": "TF_CONFIG", "value": "{}"}]


def distributed_tfjob() -> dict[str, Any]:
    job = deepcopy(JOBS["TFJob"])
    for one in job["spec"]["tfReplicaSpecs"].values():
        with_variables(one)
    return job


def test_only_the_target_of_an_experiment_changes(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXPERIMENT, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "volcanojob", "e.yaml")
    assert (answer.code, answer.out) == (0, EXPERIMENT.replace("pytorchjob", "volcanojob"))
    assert tjgen(tmp_path, "convert", "--target", "volcanojob", "--in-place", "e.yaml").code == 0
    assert (tmp_path / "e.yaml").read_text(encoding="utf-8") == answer.out


def test_a_target_that_was_left_out_is_added(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXPERIMENT.replace("  target: pytorchjob # v1\n", ""), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "volcanojob", "e.yaml")
    assert answer.code == 0
    assert yaml.safe_load(answer.out)["spec"]["target"] == "volcanojob"
    assert "# of the house" in answer.out


def test_what_the_target_cannot_say_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    text = EXPERIMENT + "  restart: {policy: Always}\n"
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "tfjob", "--in-place", "e.yaml")
    assert (answer.code, answer.out) == (1, "")
    assert "TJ434" in answer.err
    assert "e.yaml:6" in answer.err
    assert (tmp_path / "e.yaml").read_text(encoding="utf-8") == text


def test_workers_without_a_master_become_nodes(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(JOBS["PyTorchJob of workers"]), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "job.yaml")
    assert answer.code == 0
    (job,) = [tree for tree in yaml.safe_load_all(answer.out) if tree["kind"] == "TrainJob"]
    assert job["spec"]["trainer"]["numNodes"] == 3


TERMINATE = [{"event": "PodEvicted", "action": "TerminateJob"}, {"event": "PodFailed", "action": "TerminateJob"}]
RESTART = [{"event": "PodEvicted", "action": "RestartPod"}, {"event": "PodFailed", "action": "RestartPod"}]


@pytest.mark.parametrize(
    ("policy", "restarts", "of_pods", "policies"),
    [("Never", None, "Never", TERMINATE), ("OnFailure", 2, "Never", RESTART), ("OnFailure", None, "OnFailure", None)],
    ids=["never", "with a limit", "without a limit"],
)
@pytest.mark.parametrize("name", ["PyTorchJob", "TFJob", "JAXJob"])
def test_restarts_of_an_operator_become_those_of_volcano(
    tmp_path: Path, name: str, policy: str, restarts: int | None, of_pods: str, policies: Any
) -> None:
    job = deepcopy(JOBS[name])
    (types,) = job["spec"].values()
    for one in types.values():
        one["restartPolicy"] = policy
        with_variables(one)
    pods = sum(one["replicas"] for one in types.values())
    job["spec"]["runPolicy"] = {"cleanPodPolicy": "Running", "ttlSecondsAfterFinished": 60}
    if restarts is not None:
        job["spec"]["runPolicy"]["backoffLimit"] = restarts * pods + 1
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "volcanojob", "job.yaml")
    assert answer.code == 0
    assert "is lost" not in answer.err
    (converted,) = [tree["spec"] for tree in yaml.safe_load_all(answer.out) if tree["kind"] == "Job"]
    assert {task["template"]["spec"]["restartPolicy"] for task in converted["tasks"]} == {of_pods}
    assert converted["ttlSecondsAfterFinished"] == 60
    if policies is not None:
        assert converted["policies"] == policies
    if restarts is not None:
        assert converted["maxRetry"] == restarts * pods + 1


def test_restarts_by_exit_code_are_lost_with_the_reason(tmp_path: Path) -> None:
    job = deepcopy(JOBS["JAXJob"])
    job["spec"]["jaxReplicaSpecs"]["Worker"]["restartPolicy"] = "ExitCode"
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "volcanojob", "job.yaml")
    assert "restart.policy is lost: a Volcano Job has one policy for each exit code" in answer.err


@pytest.mark.parametrize(("target", "kind"), [("volcanojob", "Job"), ("jobset", "JobSet"), ("trainjob", "TrainJob")])
def test_a_job_becomes_one_of_another_kind(tmp_path: Path, target: str, kind: str) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(distributed_tfjob()), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", target, "job.yaml")
    assert answer.code == 0
    (job,) = [tree for tree in yaml.safe_load_all(answer.out) if tree["kind"] == kind]
    assert IMAGE in str(job)
    assert job["metadata"]["name"] == "bert-7"


def test_what_is_lost_on_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(JOBS["Volcano Job with policies"]), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "jobset", "job.yaml")
    assert answer.code == 0
    lost = [line for line in answer.err.splitlines() if line.startswith("warning[TJ952]")]
    assert any("volcano.plugins is lost" in line for line in lost)


def test_a_job_without_a_patch_loses_no_part_of_one(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(distributed_tfjob()), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "jobset", "job.yaml")
    assert (answer.code, "is not converted" in answer.err) == (0, False)


def test_a_framework_that_the_operator_set_up_is_set_up_by_the_runtime(tmp_path: Path) -> None:
    job = kubeflow(
        "PyTorchJob",
        "pytorchReplicaSpecs",
        Master={**replicas("pytorch", 1), "restartPolicy": "ExitCode"},
        Worker={**replicas("pytorch", 3), "restartPolicy": "ExitCode"},
    )
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "volcanojob", "job.yaml")
    assert answer.code == 0
    assert "pytorch" in yaml.safe_load(answer.out)["spec"]["plugins"]


def test_a_job_that_has_no_form_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(JOBS["PyTorchJob"]), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "jaxjob", "job.yaml")
    assert (answer.code, answer.out) == (1, "")
    assert "TJ951" in answer.err


@pytest.mark.parametrize("words", [["--trainer", "2.3"], ["--from", "2.2"], ["--in-place"]])
def test_what_does_not_go_together_is_wrong_use(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(JOBS["JAXJob"]), encoding="utf-8")
    assert tjgen(tmp_path, "convert", "--target", "jobset", *words, "job.yaml").code == 2


def test_an_mpijob_with_containers_of_its_own_is_refused_with_the_runtime_to_write(tmp_path: Path) -> None:
    launcher = {"replicas": 1, "template": template("launcher")}
    worker = {"replicas": 2, "template": template("worker", resources={"limits": {"nvidia.com/gpu": 1}})}
    job = kubeflow("MPIJob", "mpiReplicaSpecs", "v2beta1", Launcher=launcher, Worker=worker)
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    for target in ("trainjob", "volcanojob"):
        answer = tjgen(tmp_path, "convert", "--target", target, "job.yaml")
        assert answer.code == 1
        assert answer.err.count("TJ951") == 1
        assert "Set runLauncherAsNode: false" in answer.err


@pytest.mark.parametrize("name", ["Volcano Job", "JobSet"])
def test_the_name_of_a_container_of_an_imported_job_is_lost(name: str, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(JOBS[name]), encoding="utf-8")
    (tmp_path / "run.yaml").write_text(tjgen(tmp_path, "import", "job.yaml").out, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "run.yaml")
    assert "containerName" in (tmp_path / "run.yaml").read_text(encoding="utf-8")
    assert "TJ156" not in answer.err
    assert "containerName" in answer.err
    assert "containerName" not in answer.out


def test_each_loss_has_its_own_reason(tmp_path: Path) -> None:
    job = kubeflow("PyTorchJob", "pytorchReplicaSpecs", Worker=replicas("pytorch", 2))
    job["spec"]["elasticPolicy"] = {"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d"}
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "jobset", "job.yaml")
    assert answer.code == 0
    lost = {line.partition(": ")[2] for line in answer.err.splitlines() if line.startswith("warning[TJ952]")}
    assert lost >= {
        "cleanup.pods is lost: target jobset has no setting for the pods of a run that has ended: "
        "pods that still run are deleted",
        "elastic is lost: the number of nodes does not change while a run of target jobset exists (min 1 and max 4): it stays 2",
    }


def jobset(*jobs: dict[str, Any], **labels: str) -> dict[str, Any]:
    metadata = {"name": "bert", "namespace": "nlp", "labels": {f"kueue.x-k8s.io/{key}": one for key, one in labels.items()}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata,
        "spec": {"suspend": bool(labels), "replicatedJobs": list(jobs)},
    }


def replicated(name: str, main: str) -> dict[str, Any]:
    one = {"name": main, "image": IMAGE, "command": ["python", f"{name}.py"]}
    pod = {"spec": {"restartPolicy": "Never", "containers": [one]}}
    return {"name": name, "template": {"spec": {"parallelism": 2, "completions": 2, "template": pod}}}


def test_a_job_with_a_queue_of_kueue_waits_in_a_queue_of_volcano(tmp_path: Path) -> None:
    job = jobset(replicated("node", "node"), **{"queue-name": "team", "priority-class": "high"})
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "volcanojob", "job.yaml")
    assert answer.code == 0, answer.err
    (converted,) = yaml.safe_load_all(answer.out)
    assert converted["spec"]["queue"] == "team"
    assert not [label for label in converted["metadata"]["labels"] if "kueue" in label]
    assert "schedule.system is lost: Kueue does not admit a Volcano Job" in answer.err
    assert "schedule.workloadPriority is lost" in answer.err


def test_names_of_containers_are_lost_in_a_trainjob_with_several_roles(tmp_path: Path) -> None:
    job = jobset(replicated("ps", "ps"), replicated("worker", "main"))
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "job.yaml")
    assert answer.code == 0, answer.err
    trainjobs = [tree for tree in yaml.safe_load_all(answer.out) if tree["kind"] == "TrainJob"]
    assert [tree["spec"]["trainer"]["command"] for tree in trainjobs] == [["python", "ps.py"]]
    assert "containerName is lost" in answer.err
    assert "roles.worker.containerName is lost" in answer.err


def test_a_suspended_mpijob_with_a_queue_of_kueue_leaves_its_suspension_to_kueue(tmp_path: Path) -> None:
    job = deepcopy(JOBS["MPIJob"])
    job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    job["spec"].pop("runPolicy", None)
    job["spec"]["runPolicy"] = {"suspend": True}
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "mpijob", "job.yaml")
    assert answer.code == 0, answer.err
    assert "TJ400" in answer.err
    (converted,) = yaml.safe_load_all(answer.out)
    assert converted["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "team"
    assert "suspend" not in converted["spec"]["runPolicy"]


def test_a_mistake_of_the_file_is_an_error_of_every_target(tmp_path: Path) -> None:
    text = EXPERIMENT.replace("pytorchjob # v1", "trainjob").replace("  schedule: {queue: ai}\n", "  success: {roles: [nodes]}\n")
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "jobset", "--in-place", "e.yaml")
    assert answer.code == 1
    assert "error[TJ302]" in answer.err
    assert "TJ952" not in answer.err
    assert (tmp_path / "e.yaml").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("  cleanup:\n    pods: All\n  command:\n  - python\n  - main.py\n  nodes: 4\n", "warning[TJ150] e.yaml:12:3"),
        ("  cleanup:\n    pods: All\n  script: a.py\n  nodes: 4\n  nodse: 3\n", "error[TJ101] e.yaml:13:3"),
        ("  cleanup:\n    pods: All\n  script: a.py\n  nodes: 4\n  env: {A: $(B)}\n", "error[TJ140] e.yaml:13:12"),
    ],
    ids=["a list", "a key", "a value of a variable"],
)
def test_a_diagnostic_of_the_result_is_at_its_place_in_the_file(tmp_path: Path, lines: str, place: str) -> None:
    head, _, _ = EXPERIMENT.partition("  script: ")
    (tmp_path / "e.yaml").write_text(head + lines, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "e.yaml")
    assert place in answer.err


def test_a_warning_of_the_reader_does_not_stop_the_conversion(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXPERIMENT.replace("nodes: 4", "nodes: 4\n  env: {DEBUG: on}"), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "volcanojob", "e.yaml")
    assert answer.code == 0
    assert answer.err.count("TJ004") == 1
    assert yaml.safe_load(answer.out)["spec"]["target"] == "volcanojob"


@pytest.mark.parametrize(
    ("merge", "message"),
    [
        ("{spec: {nprocPerNode: null}}", "no such object\n"),
        ("{spec: {runPolicy: {cleanPodPolicy: All}}}", "no such object: spec.runPolicy.cleanPodPolicy\n"),
    ],
)
def test_a_patch_of_the_former_kind_is_reported_with_the_fields_that_it_sets(tmp_path: Path, merge: str, message: str) -> None:
    text = EXPERIMENT.replace("  schedule: {queue: ai}\n", f"  patches: {{own: {{target: PyTorchJob, merge: {merge}}}}}\n")
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "e.yaml")
    assert f"target trainjob, which creates {message}" in answer.err
