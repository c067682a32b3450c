"""What becomes of runs as jobs of the Training Operator and MPI Operator, beyond what the cases show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen
from tjgen.cluster.kinds.protocol import IN_PLACE, SILENT
from tjgen.gitops.diff.effect import effect
from tjgen.gitops.diff.fields import Changed
from tjgen.language.runs.freeze import carry

HEAD = "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: run}\nspec:\n  naming: fixed\n  image: train:1\n"
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: ours}
spec:
  mlPolicy: {numNodes: 1%s}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec:
              template:
                spec:
                  containers:
                    - {name: %s, image: side:1}
                    - {name: node, image: train:1}
"""


def build(folder: Path, spec: str, *words: str) -> Answer:
    (folder / "run.yaml").write_text(HEAD + spec, encoding="utf-8")
    return tjgen(folder, "build", "run.yaml", *words)


def job(folder: Path, spec: str) -> tuple[Any, str]:
    """The job of an experiment, and what is said about it."""
    answer = build(folder, spec)
    assert answer.code == 0, answer.err
    return list(yaml.safe_load_all(answer.out))[-1], answer.err


def imported(folder: Path, container: str, policy: str = "") -> None:
    """A runtime of the cluster whose pods have another container in front."""
    (folder / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nmetadata: {name: p}\nspec: {catalogs: [runtimes]}\n", encoding="utf-8"
    )
    (folder / "runtimes").mkdir()
    (folder / "runtimes" / "ours.yaml").write_text(RUNTIME % (policy, container), encoding="utf-8")


def test_the_main_container_is_renamed_where_it_is_referred_to(tmp_path: Path) -> None:
    spec = "  target: jaxjob\n  runtime: tjgen-jax\n  script: t.py\n  cpu: 2\n"
    tree, _ = job(tmp_path, spec + "  env: {CPUS: {resource: limits.cpu, container: node}}\n")
    [container] = tree["spec"]["jaxReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    [cpus] = [one for one in container["env"] if one["name"] == "CPUS"]
    assert container["name"] == "jax"
    assert cpus["valueFrom"]["resourceFieldRef"] == {"resource": "limits.cpu", "containerName": "jax"}


def test_the_operator_takes_no_other_container_for_the_program(tmp_path: Path) -> None:
    imported(tmp_path, "pytorch")
    answer = build(tmp_path, "  target: pytorchjob\n  runtime: ours\n  script: t.py\n")
    assert answer.code == 1
    assert "error[TJ431]" in answer.err


def test_the_main_container_comes_first(tmp_path: Path) -> None:
    imported(tmp_path, "side")
    tree, _ = job(tmp_path, "  target: tfjob\n  runtime: ours\n  script: t.py\n")
    containers = tree["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    assert [(one["name"], one["image"]) for one in containers] == [("tensorflow", "train:1"), ("side", "side:1")]


def test_a_volume_of_the_mpi_operator_has_no_double(tmp_path: Path) -> None:
    answer = build(
        tmp_path, "  target: mpijob\n  runtime: tjgen-mpi\n  script: t.py\n  volumes: {ssh-auth: {emptyDir: {}, mountPath: /x}}\n"
    )
    assert answer.code == 1
    assert "error[TJ431]" in answer.err


@pytest.mark.parametrize(
    ("schedule", "policy", "least"),
    [
        # The launcher of tjgen-mpi is one of the three nodes.
        ("", "WaitForWorkersReady", 2),
        ("  schedule: {system: coscheduling}\n", "WaitForWorkersReady", 2),
        ("  schedule: {system: none}\n", "WaitForWorkersReady", None),
        ("  schedule: {queue: q}\n", None, None),
        ("  schedule: {minAvailable: 3}\n", None, 3),
    ],
)
def test_a_launcher_that_waits_for_workers_is_not_part_of_their_gang(
    tmp_path: Path, schedule: str, policy: str | None, least: int | None
) -> None:
    tree, _ = job(tmp_path, f"  target: mpijob\n  runtime: tjgen-mpi\n  script: t.py\n  nodes: 3\n{schedule}")
    assert tree["spec"].get("launcherCreationPolicy") == policy
    assert tree["spec"]["runPolicy"].get("schedulingPolicy", {}).get("minAvailable") == least


@pytest.mark.parametrize("system", ["volcano", "coscheduling"])
def test_a_schedule_system_makes_all_pods_of_an_operators_job_a_gang(tmp_path: Path, system: str) -> None:
    spec = f"  target: pytorchjob\n  runtime: tjgen-torch\n  script: t.py\n  nodes: 3\n  schedule: {{system: {system}}}\n"
    tree, said = job(tmp_path, spec)
    assert tree["spec"]["runPolicy"]["schedulingPolicy"] == {"minAvailable": 3}
    assert "TJ435" in said


@pytest.mark.parametrize(
    ("asked", "processes"),
    [("", None), ("  gpu: h100:4\n", "4"), ("  procsPerNode: 3\n  gpu: h100:4\n", "3")],
)
def test_torchrun_starts_a_process_for_each_device(tmp_path: Path, asked: str, processes: str | None) -> None:
    tree, _ = job(tmp_path, f"  target: pytorchjob\n  runtime: tjgen-torch\n  script: t.py\n{asked}")
    assert tree["spec"].get("nprocPerNode") == processes


@pytest.mark.parametrize(
    ("runtime", "said", "found"),
    [
        ("tjgen-torch", "", ("OnFailure", 3)),
        ("tjgen-torch", "  nodes: 4\n", ("OnFailure", 9)),
        ("tjgen-plain", "  nodes: 4\n", ("OnFailure", 4)),
        ("tjgen-torch", "  pod: {restartPolicy: Never}\n", ("Never", 3)),
        ("tjgen-torch", "  restart: {policy: Always}\n", ("Always", 3)),
        ("tjgen-torch", "  restart: {policy: Never}\n", ("Never", None)),
        ("tjgen-torch", "  restart: {policy: ExitCode}\n", ("ExitCode", None)),
        ("tjgen-torch", "  restart: {limit: 7}\n", ("OnFailure", 8)),
        ("tjgen-torch", "  restart: {limit: 1}\n  nodes: 4\n", ("OnFailure", 5)),
        ("tjgen-torch", "  restart: {limit: 1}\n  nodes: 2\n  elastic: {min: 1, max: 6}\n", ("OnFailure", 7)),
    ],
)
def test_who_decides_about_restarts(tmp_path: Path, runtime: str, said: str, found: tuple[str, int | None]) -> None:
    tree, _ = job(tmp_path, f"  target: pytorchjob\n  runtime: {runtime}\n  script: t.py\n{said}")
    types = tree["spec"]["pytorchReplicaSpecs"]
    master = types.get("Master") or types["Worker"]
    assert (master["restartPolicy"], tree["spec"]["runPolicy"].get("backoffLimit")) == found
    assert "restartPolicy" not in master["template"]["spec"]


def test_an_operator_counts_no_restarts_with_exit_code(tmp_path: Path) -> None:
    """Training Operator 1.9.3 restarted such a pod 48 times in 60 s with limit 2."""
    spec = "  target: pytorchjob\n  runtime: tjgen-torch\n  script: t.py\n  restart: {policy: ExitCode, limit: 2}\n"
    answer = build(tmp_path, spec)
    assert answer.code == 1
    assert "error[TJ425]" in answer.err
    assert "deadline" in answer.err


def test_roles_get_the_nodes_that_are_left(tmp_path: Path) -> None:
    spec = "  target: tfjob\n  runtime: tjgen-plain\n  script: t.py\n  nodes: 7\n"
    tree, _ = job(tmp_path, spec + "  roles: {chief: {}, ps: {replicas: 2}, worker: {}}\n")
    assert {name: one["replicas"] for name, one in tree["spec"]["tfReplicaSpecs"].items()} == {"Chief": 1, "PS": 2, "Worker": 4}


def test_all_workers_of_a_tfjob_may_have_to_succeed(tmp_path: Path) -> None:
    spec = "  target: tfjob\n  runtime: tjgen-plain\n  script: t.py\n  nodes: 2\n  success: {roles: [worker]}\n"
    assert job(tmp_path, spec)[0]["spec"]["successPolicy"] == "AllWorkers"
    with_chief = spec + "  roles: {chief: {}, worker: {}}\n"
    assert "error[TJ425]" in build(tmp_path, with_chief).err


def test_a_variable_of_the_operator_has_no_effect(tmp_path: Path) -> None:
    patch = "  patches: {p: {target: {kind: XGBoostJob}, json: [{op: add, path: %s, value: {name: RANK, value: '7'}}]}}\n"
    path = "/spec/xgbReplicaSpecs/Master/template/spec/containers/0/env/-"
    _, said = job(tmp_path, "  target: xgboostjob\n  runtime: tjgen-xgboost\n  script: t.py\n" + patch % path)
    assert "warning[TJ432]" in said


@pytest.mark.parametrize(
    ("target", "runtime", "env", "overridden"),
    [
        ("pytorchjob", "torch", '{PYTHONUNBUFFERED: "0", PET_MAX_RESTARTS: "3"}', ["PYTHONUNBUFFERED"]),
        ("pytorchjob", "torch", '{PYTHONUNBUFFERED: "1", MASTER_PORT: "1234"}', ["MASTER_PORT"]),
        ("xgboostjob", "xgboost", '{RANK: "0", WORKER_PORT: "9"}', ["RANK", "WORKER_PORT"]),
        ("mpijob", "mpi", "{I_MPI_HYDRA_HOST_FILE: /x, OMPI_MCA_orte_default_hostfile: /x}", ["OMPI_MCA_orte_default_hostfile"]),
    ],
)
def test_a_variable_is_overridden_if_the_pods_that_the_operator_creates_have_another_value(
    tmp_path: Path, target: str, runtime: str, env: str, overridden: list[str]
) -> None:
    spec = f"  target: {target}\n  runtime: tjgen-{runtime}\n  script: t.py\n  nodes: 2\n  env: {env}\n"
    _, said = job(tmp_path, spec)
    found = [line.split(" sets ")[1].split()[0] for line in said.splitlines() if "[TJ432]" in line]
    assert sorted({*found}) == overridden, said


def test_the_priority_is_of_the_gang_and_of_its_pods(tmp_path: Path) -> None:
    spec = "  target: jaxjob\n  runtime: tjgen-jax\n  script: t.py\n  schedule: {priorityClassName: high}\n"
    tree, said = job(tmp_path, spec)
    assert tree["spec"]["runPolicy"]["schedulingPolicy"] == {"priorityClass": "high"}
    assert tree["spec"]["jaxReplicaSpecs"]["Worker"]["template"]["spec"]["priorityClassName"] == "high"
    assert "info[TJ435]" in said


@pytest.mark.parametrize("roles", ["{worker: {replicas: 0}}", "{ps: {replicas: 2}, evaluator: {}}"])
def test_somebody_has_to_train(tmp_path: Path, roles: str) -> None:
    answer = build(tmp_path, f"  target: tfjob\n  runtime: tjgen-plain\n  script: t.py\n  roles: {roles}\n")
    assert answer.code == 1
    assert "error[TJ426]" in answer.err


WORKERS = """\
  target: pytorchjob
  runtime: {runtime}
  command: [python, t.py]
  roles: {{master: {{replicas: 0}}, worker: {{replicas: {count}}}}}
"""


@pytest.mark.parametrize(("runtime", "count"), [("tjgen-bare", 3), ("tjgen-torch", 1)])
def test_a_pytorchjob_has_no_master_if_its_replicas_are_zero(tmp_path: Path, runtime: str, count: int) -> None:
    tree, _ = job(tmp_path, WORKERS.format(runtime=runtime, count=count) + "  success: {roles: [worker], operator: All}\n")
    assert {name: one["replicas"] for name, one in tree["spec"]["pytorchReplicaSpecs"].items()} == {"Worker": count}


@pytest.mark.parametrize(
    "more", ["  nodes: 2\n  roles: {master: {replicas: 0}}\n", WORKERS.format(runtime="tjgen-torch", count=2)]
)
def test_torch_on_several_workers_without_master_is_refused(tmp_path: Path, more: str) -> None:
    spec = more if "target" in more else "  target: pytorchjob\n  runtime: tjgen-torch\n  script: t.py\n" + more
    answer = build(tmp_path, spec)
    assert answer.code == 1
    assert "error[TJ426]" in answer.err
    assert "gives 2 workers no address" in answer.err


def test_a_role_without_pods_has_no_other_fields(tmp_path: Path) -> None:
    spec = WORKERS.format(runtime="tjgen-bare", count=2).replace("replicas: 0", "replicas: 0, env: {LR: '1'}")
    answer = build(tmp_path, spec)
    assert answer.code == 1
    assert "error[TJ128] run.yaml:" in answer.err
    assert "role master has 0 replicas" in answer.err


@pytest.mark.parametrize("success", ["{roles: [master]}", "{roles: [worker], operator: Any}"])
def test_workers_without_master_succeed_together(tmp_path: Path, success: str) -> None:
    answer = build(tmp_path, WORKERS.format(runtime="tjgen-bare", count=2) + f"  success: {success}\n")
    assert answer.code == 1
    assert "error[TJ425]" in answer.err
    assert "use roles: [worker]" in answer.err


@pytest.mark.parametrize(
    "patch", ["{spec: {pytorchReplicaSpecs: null}}", "{spec: {pytorchReplicaSpecs: {Master: {replicas: 2}}}}"]
)
def test_what_a_patch_has_broken_is_refused_by_the_server(tmp_path: Path, patch: str) -> None:
    spec = (
        "  target: pytorchjob\n  runtime: tjgen-torch\n  script: t.py\n  patches: {p: {target: {kind: PyTorchJob}, merge: %s}}\n"
    )
    answer = build(tmp_path, spec % patch)
    assert answer.code == 1
    assert "error[TJ5" in answer.err


def test_a_run_that_kueue_lets_in_is_no_gang_of_volcano(tmp_path: Path) -> None:
    tree, _ = job(tmp_path, "  target: pytorchjob\n  runtime: tjgen-torch-volcano\n  script: t.py\n  schedule: {system: none}\n")
    assert "schedulerName" not in tree["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]


def test_kueue_sends_a_run_to_another_cluster(tmp_path: Path) -> None:
    spec = "  target: mpijob\n  runtime: tjgen-mpi\n  script: t.py\n  nodes: 2\n"
    tree, _ = job(tmp_path, spec + "  schedule: {system: kueue, queue: nlp, multiKueue: true}\n")
    assert tree["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "nlp"
    policy = tree["spec"]["runPolicy"]
    assert policy["managedBy"] == "kueue.x-k8s.io/multikueue"
    assert policy.keys().isdisjoint({"schedulingPolicy", "suspend"})


JOB = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob"}


def test_a_change_of_the_template_does_not_reach_pods_that_are_there() -> None:
    image = ("spec", "pytorchReplicaSpecs", "Worker", "template", "spec", "containers", 0, "image")
    assert effect(JOB, Changed(image, "a", "b")).kind == SILENT
    assert effect(JOB, Changed(("spec", "pytorchReplicaSpecs", "Worker", "replicas"), 2, 3)).kind == IN_PLACE
    assert effect(JOB, Changed(("spec", "runPolicy", "suspend"), None, True)).kind == IN_PLACE


def test_a_locked_run_is_suspended_in_place() -> None:
    old = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "a"},
        "spec": {"runPolicy": {"backoffLimit": 2}},
    }
    new = {**old, "spec": {"runPolicy": {"backoffLimit": 9, "suspend": True}}}
    assert carry(old, new)["spec"] == {"runPolicy": {"backoffLimit": 2, "suspend": True}}
    assert carry(carry(old, new), old) == old


@pytest.mark.parametrize(
    ("requested", "processes"),
    [
        ("", None),
        ("  gpu: h100:4\n", None),
        ("  gpu: h100:4\n  procsPerNode: 4\n", None),
        ("  gpu: h100:4\n  procsPerNode: 2\n", "2"),
        ("  procsPerNode: 3\n", "3"),
    ],
)
def test_paddle_counts_the_devices_unless_the_processes_differ(tmp_path: Path, requested: str, processes: str | None) -> None:
    tree, _ = job(tmp_path, f"  target: paddlejob\n  runtime: tjgen-paddle\n  script: t.py\n  nodes: 2\n{requested}")
    [container] = tree["spec"]["paddleReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    assert {one["name"]: one["value"] for one in container.get("env", [])}.get("PADDLE_NPROC_PER_NODE") == processes


def test_a_variable_that_the_user_sets_is_kept(tmp_path: Path) -> None:
    spec = "  target: paddlejob\n  runtime: tjgen-paddle\n  script: t.py\n  procsPerNode: 3\n"
    tree, _ = job(tmp_path, spec + "  env: {PADDLE_NPROC_PER_NODE: '2'}\n")
    [container] = tree["spec"]["paddleReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    assert container["env"] == [{"name": "PADDLE_NPROC_PER_NODE", "value": "2"}]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("  command: [python, t.py]\n", "TJ150"),
        ("  command: [sh, -c, python t.py]\n", "TJ150"),
        ("  command: [python, -m, paddle.distributed.launch, t.py]\n", ""),
        ("  command: [fleetrun, t.py]\n", ""),
        ("  command: [python, t.py]\n  env: {PADDLE_TRAINER_ENDPOINTS: 'a:1,b:1'}\n", ""),
        ("  script: python t.py\n  launcher: none\n", ""),
        ("  script: t.py\n", ""),
    ],
)
def test_a_program_of_paddle_needs_its_launcher(tmp_path: Path, words: str, code: str) -> None:
    _, said = job(tmp_path, f"  target: paddlejob\n  runtime: tjgen-paddle\n  nodes: 2\n{words}")
    assert ("TJ150" in said) == bool(code)


@pytest.mark.parametrize(
    ("env", "is_alone"), [("", True), ("  env: {PADDLE_MASTER: 'a:1', PADDLE_NNODES: '2'}\n", False), ("  nodes: 1\n", False)]
)
@pytest.mark.parametrize("target", ["trainjob", "jobset", "volcanojob"])
def test_the_launcher_of_paddle_needs_an_address(tmp_path: Path, target: str, env: str, is_alone: bool) -> None:
    nodes = "" if "nodes" in env else "  nodes: 2\n"
    answer = build(tmp_path, f"  target: {target}\n  runtime: tjgen-paddle\n  script: t.py\n{nodes}{env}")
    assert answer.code == 0, answer.err
    assert ("PADDLE_MASTER" in answer.err) is is_alone


def test_variables_that_the_operator_of_a_paddlejob_sets_are_reported(tmp_path: Path) -> None:
    _, said = job(tmp_path, "  target: paddlejob\n  runtime: tjgen-paddle\n  script: t.py\n  env: {PADDLE_NNODES: '2'}\n")
    assert "the operator of a PaddleJob sets PADDLE_NNODES after this one" in said
