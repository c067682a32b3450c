"""What becomes of runs as Volcano Jobs, beyond what the cases show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen
from tjgen.cluster.controllers.volcano import pod_group
from tjgen.cluster.validate import admission
from tjgen.trees.manifests.manifest import Manifest

HEAD = "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: run, namespace: ml}\nspec:\n  target: volcanojob\n"
TORCH = "  runtime: tjgen-torch\n  image: train:1\n  script: train.py\n  naming: fixed\n  schedule: {queue: q}\n"


def built(folder: Path, spec: str, *words: str) -> tuple[list[Any], str]:
    """The objects of an experiment of target volcanojob, and what is reported about them."""
    return built_from(folder, HEAD + spec, *words)


def built_from(folder: Path, experiment: str, *words: str) -> tuple[list[Any], str]:
    """The objects of an experiment, and what is reported about them."""
    (folder / "run.yaml").write_text(experiment, encoding="utf-8")
    answer = tjgen(folder, "build", "run.yaml", *words)
    assert answer.code == 0, answer.err
    return list(yaml.safe_load_all(answer.out)), answer.err


def tasks(objects: list[Any]) -> dict[str, Any]:
    return {task["name"]: task for task in objects[-1]["spec"]["tasks"]}


def environment(task: Any) -> dict[str, Any]:
    [container] = task["template"]["spec"]["containers"]
    return {one["name"]: one.get("value") for one in container["env"]}


def ranks(task: Any) -> tuple[Any, list[str]]:
    [container] = task["template"]["spec"]["containers"]
    return environment(task).get("PET_NODE_RANK"), container["command"]


@pytest.mark.parametrize(
    ("nodes", "found"),
    [
        (1, {"node": ("0", ["torchrun"])}),
        (2, {"master": ("0", ["torchrun"]), "worker": ("1", ["torchrun"])}),
        (3, {"master": ("0", ["torchrun"]), "worker": (None, ["env", "PET_NODE_RANK=$(RANK)", "torchrun"])}),
    ],
)
def test_every_pod_of_torch_knows_its_rank(tmp_path: Path, nodes: int, found: dict[str, Any]) -> None:
    objects, _ = built(tmp_path, f"{TORCH}  nodes: {nodes}\n")
    assert {name: ranks(task) for name, task in tasks(objects).items()} == found
    assert {environment(task)["PET_NNODES"] for task in tasks(objects).values()} == {str(nodes)}
    assert ("pytorch" in objects[-1]["spec"]["plugins"]) == (nodes > 1)


def test_the_master_is_the_role_of_one_pod_whatever_the_roles_are_called(tmp_path: Path) -> None:
    objects, _ = built(tmp_path, f"{TORCH}  roles: {{boss: {{replicas: 1}}, aide: {{replicas: 4}}}}\n")
    assert objects[-1]["spec"]["plugins"]["pytorch"] == ["--master=boss", "--worker=aide", "--port=23456"]
    assert environment(tasks(objects)["aide"])["PET_MASTER_ADDR"] == "run-boss-0.run"


def test_what_is_said_of_a_variable_stays(tmp_path: Path) -> None:
    objects, _ = built(tmp_path, f"{TORCH}  nodes: 2\n  env: {{PET_MASTER_PORT: 1234}}\n")
    assert {environment(task)["PET_MASTER_PORT"] for task in tasks(objects).values()} == {"1234"}


def test_the_last_role_of_which_nothing_is_said_has_the_nodes_that_are_left(tmp_path: Path) -> None:
    plain = "  runtime: tjgen-plain\n  script: train.py\n  schedule: {queue: q}\n"
    objects, _ = built(tmp_path, f"{plain}  nodes: 7\n  roles: {{a: {{replicas: 2}}, b: {{}}, c: {{}}}}\n")
    assert {name: task["replicas"] for name, task in tasks(objects).items()} == {"a": 2, "b": 1, "c": 4}
    assert objects[-1]["spec"]["minAvailable"] == 7


def test_policies_follow_the_failure_policy_of_the_runtime(tmp_path: Path) -> None:
    together, _ = built(tmp_path, TORCH)
    alone, _ = built(tmp_path, TORCH.replace("torch", "plain"))
    assert [one["action"] for one in together[-1]["spec"]["policies"]] == ["RestartJob", "RestartJob"]
    # Volcano counts starts: two restarts are three starts.
    assert together[-1]["spec"]["maxRetry"] == 3
    assert [one["action"] for one in alone[-1]["spec"]["policies"]] == ["RestartPod", "RestartPod"]
    # One start, three restarts of failed pods, and 20 of evicted ones, which the runtime does not count.
    assert alone[-1]["spec"]["maxRetry"] == 24


def test_tasks_say_what_the_webhook_would_write_so_that_they_can_be_applied_again(tmp_path: Path) -> None:
    objects, _ = built(tmp_path, f"{TORCH}  nodes: 3\n  volcano: {{tasks: {{worker: {{maxRetry: 7}}}}}}\n")
    assert {name: task["maxRetry"] for name, task in tasks(objects).items()} == {"master": 3, "worker": 7}
    found = tjgen(tmp_path, "lint", "run.yaml", "--gitops", "argocd", "--select", "TJ646")
    assert (found.code, found.out, found.err) == (0, "", "1 object, 0 problems\n")


def test_warnings_are_about_the_object_with_its_patches(tmp_path: Path) -> None:
    without = TORCH.replace("  schedule: {queue: q}\n", "")
    patch = "  patches: {queue: {target: {kind: Job}, merge: {spec: {queue: vision}}}}\n"
    assert "TJ418" in built(tmp_path, without)[1]
    assert built(tmp_path, without + patch)[1] == ""


def job(least: int | None, **replicas: int) -> Manifest:
    """A Job whose pods ask for one CPU in the first task, two in the second, and so on."""
    made = [
        {
            "name": name,
            "replicas": count,
            "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": str(cpus)}}}]}},
        }
        for cpus, (name, count) in enumerate(replicas.items(), 1)
    ]
    spec = {"tasks": made} if least is None else {"tasks": made, "minAvailable": least}
    tree = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j", "namespace": "n"}, "spec": spec}
    return Manifest(tree, {})


@pytest.mark.parametrize(("least", "cpus"), [(None, "7"), (5, "7"), (3, "3"), (4, "5")])
def test_a_gang_asks_for_what_its_first_pods_ask_for(least: int | None, cpus: str) -> None:
    spec = pod_group(job(least, a=3, b=2).tree)[0]["spec"]
    pods = str(5 if least is None else least)
    assert spec["minResources"] == {"cpu": cpus, "requests.cpu": cpus, "pods": pods, "count/pods": pods}
    assert spec["minTaskMember"] == {"a": 3, "b": 2}
    assert spec["queue"] == "default"


def test_a_pod_group_has_the_metadata_of_its_job_and_counts_its_limits() -> None:
    one = job(None, a=1)
    resources = {"requests": {"cpu": "1", "nvidia.com/gpu": "8"}, "limits": {"cpu": "2", "memory": "1Gi", "nvidia.com/gpu": "8"}}
    tree = changed_container(one.tree, resources=resources)
    tree["metadata"] |= {"labels": {"team": "vision"}, "annotations": {"note": "x"}}
    group = pod_group(tree)[0]
    assert group["metadata"]["labels"] == {"team": "vision"}
    assert group["metadata"]["annotations"] == {"note": "x"}
    assert [(owner["kind"], owner["name"], owner["controller"]) for owner in group["metadata"]["ownerReferences"]] == [
        ("Job", "j", True)
    ]
    assert group["spec"]["minResources"] == {
        "count/pods": "1",
        "pods": "1",
        "cpu": "1",
        "requests.cpu": "1",
        "nvidia.com/gpu": "8",
        "requests.nvidia.com/gpu": "8",
        "limits.cpu": "2",
        "limits.memory": "1Gi",
    }


def changed_container(tree: Any, **fields: Any) -> dict[str, Any]:
    """A copy whose first container of the first task has other fields."""
    made: dict[str, Any] = json.loads(json.dumps(tree))
    made["spec"]["tasks"][0]["template"]["spec"]["containers"][0].update(fields)
    return made


PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {experiments: [run.yaml], platforms: [platform.yaml]}
"""
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  queues: {q: {capability: {nvidia.com/gpu: 20}}}
"""


@pytest.mark.parametrize(("least", "starts"), [(20, True), (21, False)])
def test_a_queue_has_to_have_room_for_what_the_gang_needs(tmp_path: Path, least: int, starts: bool) -> None:
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    spec = (
        f"  runtime: tjgen-plain\n  script: a.py\n  nodes: 24\n  gpu: h100:1\n  schedule: {{queue: q, minAvailable: {least}}}\n"
    )
    (tmp_path / "run.yaml").write_text(HEAD + spec, encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert ("TJ385" in answer.err) is not starts
    assert answer.code == (0 if starts else 1)


ELASTIC = (
    TORCH.replace("{queue: q}", "{{queue: q}}")
    + "  gpu: h100:8\n  sharedMemory: 1Gi\n  nodes: {nodes}\n  elastic: {{min: 1, max: {most}}}\n"
)


@pytest.mark.parametrize(("nodes", "most", "warns"), [(2, 2, False), (2, 3, True), (3, 3, True), (3, 8, True)])
def test_nodes_that_an_elastic_run_may_get_later_are_compared_with_its_queue(
    tmp_path: Path, nodes: int, most: int, warns: bool
) -> None:
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    pools = "  nodePools: {h100: {count: 3, like: h100, devices: 8, resources: {cpu: 96, memory: 1000Gi}}}\n"
    (tmp_path / "platform.yaml").write_text(PLATFORM + pools, encoding="utf-8")
    (tmp_path / "run.yaml").write_text(HEAD + ELASTIC.format(nodes=nodes, most=most), encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 0, answer.err
    assert ("TJ395" in answer.err, "TJ385" in answer.err) == (warns, False)
    assert "TJ581" not in tjgen(tmp_path, "fit").err


def test_the_number_of_nodes_of_an_elastic_job_changes_in_place(tmp_path: Path) -> None:
    before, _ = built(tmp_path, ELASTIC.format(nodes=2, most=8))
    after, _ = built(tmp_path, ELASTIC.format(nodes=7, most=8))
    assert tasks(after)["worker"]["replicas"] == 6
    assert admission.review(after[-1], old=before[-1], context=()).errors == ()


def test_an_elastic_run_may_start_with_its_master(tmp_path: Path) -> None:
    objects, problems = built(tmp_path, ELASTIC.format(nodes=2, most=2))
    assert {name: task["minAvailable"] for name, task in tasks(objects).items()} == {"master": 1, "worker": 0}
    assert objects[-1]["spec"]["minAvailable"] == 1
    assert pod_group(objects[-1])[0]["spec"]["minTaskMember"] == {"master": 1, "worker": 0}
    assert "TJ419" not in problems


def test_prometheus_can_reach_the_pods_of_a_monitored_job(tmp_path: Path) -> None:
    """Plugin svc otherwise creates a NetworkPolicy that admits the Job's own pods only (volcano v1.14.4)."""
    alone, _ = built(tmp_path, TORCH + "  nodes: 2\n")
    watched, _ = built(tmp_path, TORCH + "  nodes: 2\n  monitor: {port: 9400}\n")
    assert "--disable-network-policy" not in alone[-1]["spec"]["plugins"]["svc"]
    assert "--disable-network-policy" in watched[-1]["spec"]["plugins"]["svc"]


def test_a_second_apply_of_a_job_with_host_networking_changes_nothing(tmp_path: Path) -> None:
    objects, _ = built(tmp_path, TORCH + "  nodes: 2\n  pod: {hostNetwork: true}\n")
    for task in tasks(objects).values():
        assert task["template"]["spec"]["dnsPolicy"] == "ClusterFirstWithHostNet"
        assert task["template"]["metadata"] == {}
        assert task["minAvailable"] == task["replicas"]
    assert admission.review(objects[-1], old=objects[-1], context=()).errors == ()


@pytest.mark.parametrize(
    ("field", "value", "code", "hint"),
    [
        ("runningEstimate", "2 hours", "TJ530", "1h30m"),
        ("policies", "{PodPending: {action: AbortJob, timeout: 5 minutes}}", "TJ530", "1h30m"),
        ("exitCodes", '{"137": RestartJbo}', "TJ104", "RestartJob"),
    ],
)
def test_what_volcano_refuses_or_ignores_is_an_error(tmp_path: Path, field: str, value: str, code: str, hint: str) -> None:
    (tmp_path / "run.yaml").write_text(f"{HEAD}{TORCH}  volcano: {{{field}: {value}}}\n", encoding="utf-8")
    answer = tjgen(tmp_path, "build", "run.yaml")
    assert (answer.code, answer.out) == (1, "")
    assert f"error[{code}] run.yaml:11:" in answer.err
    assert hint in answer.err


def test_variables_come_after_the_index_that_they_refer_to(tmp_path: Path) -> None:
    """A container replaces references to earlier variables only, and both controllers append theirs."""
    env = '  env: {A: "$(B)", B: "b-$(VC_TASK_INDEX)", SHARD: "part-$(JOB_COMPLETION_INDEX)"}\n'
    spec = TORCH.replace("torch", "plain") + "  nodes: 2\n" + env
    objects, _ = built(tmp_path, spec)
    listed = tasks(objects)["node"]["template"]["spec"]["containers"][0]["env"]
    names = [one["name"] for one in listed]
    assert names.index("VC_TASK_INDEX") < names.index("B") < names.index("A")
    assert names.index("JOB_COMPLETION_INDEX") < names.index("SHARD")
    of_trainer, _ = built_from(tmp_path, HEAD.replace("volcanojob", "trainjob") + spec.replace("  schedule: {queue: q}\n", ""))
    listed = of_trainer[-1]["spec"]["trainer"]["env"]
    assert listed[0]["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.annotations['batch.kubernetes.io/job-completion-index']"
    assert [one["name"] for one in listed].index("SHARD") > 0


@pytest.mark.parametrize(
    ("volcano", "codes"),
    [
        ("policies: {PodFailed: RestartJob}, exitCodes: {'2': TerminateJob}", ["2"]),
        ("policies: {'*': RestartJob}, exitCodes: {'2': TerminateJob, '3': AbortJob}", ["2"]),
        ("tasks: {worker: {policies: {PodFailed: RestartJob}, exitCodes: {'4': TerminateJob}}}", ["4"]),
        ("policies: {PodFailed: RestartJob}, tasks: {worker: {exitCodes: {'4': TerminateJob}}}", []),
        ("policies: {PodEvicted: RestartJob}, exitCodes: {'2': TerminateJob}", []),
        ("policies: {PodFailed: RestartJob}", []),
    ],
    ids=["of the job", "any event", "of a task", "tasks precede the job", "another event", "no exit code"],
)
def test_exit_codes_behind_a_policy_for_each_failure_are_reported(tmp_path: Path, volcano: str, codes: list[str]) -> None:
    _, problems = built(tmp_path, f"{TORCH}  nodes: 2\n  volcano: {{{volcano}}}\n")
    reported = [line for line in problems.splitlines() if "[TJ439]" in line]
    assert [line.partition("exit code ")[2].split()[0] for line in reported] == codes
